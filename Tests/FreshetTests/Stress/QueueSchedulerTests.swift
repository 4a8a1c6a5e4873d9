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
    let kept = scheduler.schedule(after: .milliseconds(20)) {
      ran.add(1)
      done.signal()
    }
    scheduler.schedule(after: .milliseconds(10)) { ran.add(2) }.dispose()
    #expect(done.wait(timeout: .now() + 30) == .success, "expected the work to run")
    #expect(ran.all == [1], "expected only what was not called off")
    #expect(scheduler.now - start >= .milliseconds(20), "expected it not to run too early")
    kept.dispose()
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
    #expect(done.wait(timeout: .now() + 30) == .success, "expected the queue to be free")
    #expect(late.load(ordering: .relaxed) == 0, "expected none to run")
  }

  @Test("debounce on a queue delivers there, and a delay beyond all bounds does not trap")
  func debounce() {
    let queue = DispatchQueue(label: "debounce")
    queue.setSpecific(key: Self.key, value: true)
    let done = DispatchSemaphore(value: 0)
    let subject = PublishSubject<Int, Never>()
    let token = subject.debounce(for: .milliseconds(1), on: QueueScheduler(queue)).subscribe { _ in
      if DispatchQueue.getSpecific(key: Self.key) == true { done.signal() }
    }
    subject.send(1)
    #expect(done.wait(timeout: .now() + 30) == .success, "expected the value on the queue")
    token.dispose()
    QueueScheduler(queue).schedule(after: .seconds(Int64.max)) {}.dispose()
  }

  private static let key = DispatchSpecificKey<Bool>()
}
