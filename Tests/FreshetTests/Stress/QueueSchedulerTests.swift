import Dispatch
import Freshet
import Synchronization
import Testing

@Suite("queue scheduler")
struct QueueSchedulerTests {
  @Test("work that was called off does not run, work that was not does, not too early")
  func calledOff() {
    let scheduler = QueueScheduler(label: "timers")
    let ran = Seen<Int>()
    let done = DispatchSemaphore(value: 0)
    let start = scheduler.now
    let tokens = DisposeBag()
    // On the queue itself nothing can come due between the two calls.
    scheduler.schedule {
      scheduler.schedule(after: .milliseconds(20)) {
        ran.add(1)
        done.signal()
      }.store(in: tokens)
      scheduler.schedule(after: .milliseconds(10)) { ran.add(2) }.dispose()
    }
    done.wait()
    #expect(ran.all == [1], "expected only what was not called off")
    #expect(scheduler.now - start >= .milliseconds(20), "expected it not to run too early")
    tokens.dispose()
  }

  @Test("timers called off from many threads")
  func manyThreads() {
    let scheduler = QueueScheduler(label: "timers")
    let late = Atomic<Int>(0)
    let done = DispatchSemaphore(value: 0)
    DispatchQueue.concurrentPerform(iterations: 200) { _ in
      let token = scheduler.schedule(after: .seconds(3600)) { late.add(1, ordering: .relaxed) }
      token.dispose()
    }
    scheduler.schedule { done.signal() }
    done.wait()
    #expect(late.load(ordering: .relaxed) == 0, "expected none to run")
  }

  @Test("debounce on a queue sends what has waited; observe(on:) fixes the place")
  func debounce() {
    let queue = DispatchQueue(label: "debounce")
    queue.setSpecific(key: Self.key, value: true)
    let done = DispatchSemaphore(value: 0)
    let seen = Seen<Bool>()
    let scheduler = QueueScheduler(queue)
    let subject = PublishSubject<Int, Never>()
    // Without observe(on:) a sender that is still inside when the timer comes delivers itself.
    let token = subject.debounce(for: .milliseconds(1), on: scheduler).observe(on: scheduler)
      .subscribe { _ in
        seen.add(DispatchQueue.getSpecific(key: Self.key) == true)
        done.signal()
      }
    subject.send(1)
    done.wait()
    #expect(seen.all == [true], "expected the value once, on the queue")
    token.dispose()
  }

  @Test("a delay beyond all bounds does not trap")
  func longDelay() {
    QueueScheduler(label: "long").schedule(after: .seconds(Int64.max)) {}.dispose()
  }

  private static let key = DispatchSpecificKey<Bool>()
}
