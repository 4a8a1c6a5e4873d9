import Dispatch
import Freshet
import FreshetTesting
import Synchronization
import Testing

@Suite("TM-26: schedulers that run inline; executors")
struct InlineSchedulerTests {
  @Test("TM-26 work scheduled on the queue does not overtake work that waits for it")
  func tm26() {
    let queue = DispatchQueue(label: "main, so to speak")
    let scheduler = InlineQueueScheduler(queue)
    let seen = Seen<String>()
    let done = DispatchSemaphore(value: 0)
    queue.async {
      // Here nothing waits: it runs at once.
      scheduler.schedule { seen.add("inline") }
      seen.add("after inline")
      // A worker schedules A while the queue is busy with us.
      Threads.concurrently(1) { _ in scheduler.schedule { seen.add("A") } }
      // B comes before A has run, and must not overtake it.
      scheduler.schedule {
        seen.add("B")
        done.signal()
      }
      seen.add("both wait")
    }
    done.wait()
    #expect(seen.all == ["inline", "after inline", "both wait", "A", "B"])
  }

  @Test("from elsewhere it runs on the queue, in order; timed work too")
  func elsewhere() {
    let queue = DispatchQueue(label: "inline")
    let key = DispatchSpecificKey<Bool>()
    queue.setSpecific(key: key, value: true)
    let scheduler = InlineQueueScheduler(queue)
    let seen = Seen<Bool>()
    let done = DispatchSemaphore(value: 0)
    let recorder = Recorder<Int, Never>()
    recorder.subscribe(
      to: (0..<100).flow.observe(on: scheduler, capacity: 4).tap(
        onValue: { _ in seen.add(DispatchQueue.getSpecific(key: key) == true) },
        onEnd: { _ in done.signal() }))
    done.wait()
    #expect(seen.all == Array(repeating: true, count: 100))
    let timed = scheduler.schedule(after: .milliseconds(1)) {
      seen.add(DispatchQueue.getSpecific(key: key) == true)
      done.signal()
    }
    done.wait()
    #expect(seen.all.last == true)
    timed.dispose()
    // The recorder's last line is written after the signal: let the queue come to rest.
    queue.sync {}
    #expect(recorder.values == Array(0..<100))
  }

  @Test("a task executor runs the work of a TaskScheduler, in order")
  func executor() async {
    let executor = QueueExecutor()
    let scheduler = TaskScheduler(executor: executor)
    let seen = Seen<Bool>()
    let done = Promise<Void, Never>()
    for number in 0..<20 {
      scheduler.schedule {
        seen.add(executor.isHere)
        if number == 19 { done.resolve(()) }
      }
    }
    _ = await done.firstValue()
    #expect(seen.all == Array(repeating: true, count: 20))
  }
}

/// Runs tasks on a dispatch queue.
private final class QueueExecutor: TaskExecutor {
  private let queue = DispatchQueue(label: "executor")
  private let key = DispatchSpecificKey<Bool>()

  init() {
    queue.setSpecific(key: key, value: true)
  }

  var isHere: Bool { DispatchQueue.getSpecific(key: key) == true }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
