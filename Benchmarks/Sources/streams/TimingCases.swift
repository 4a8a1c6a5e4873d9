import Dispatch
import Freshet
import Synchronization

@inline(never)
func flowObserveOn(_ count: Int) -> Int {
  let done = DispatchSemaphore(value: 0)
  let cell = Cell()
  let subject = PublishSubject<Int, Never>()
  let token = subject.observe(on: QueueScheduler(label: "benchmark"), overflow: .unbounded)
    .subscribe(
      onValue: { cell.value.store($0, ordering: .relaxed) }, onEnd: { _ in done.signal() })
  for value in 0..<count { subject.send(value) }
  subject.finish()
  done.wait()
  token.dispose()
  return cell.value.load(ordering: .relaxed)
}

/// Keeps jobs until somebody runs them: a queue without a second thread.
final class HeldJobs: Scheduler {
  private let jobs = Mutex<[@Sendable () -> Void]>([])

  func schedule(_ work: @escaping @Sendable () -> Void) {
    jobs.withLock { $0.append(work) }
  }

  func run() {
    let due = jobs.withLock { jobs in
      defer { jobs.removeAll(keepingCapacity: true) }
      return jobs
    }
    for job in due { job() }
  }
}

/// How many values come between two runs of the jobs.
let batchSize = 200

/// The same on one thread: what the work costs without the luck of two.
@inline(never)
func flowObserveOnHeld(_ count: Int) -> Int {
  let jobs = HeldJobs()
  let cell = Cell()
  let subject = PublishSubject<Int, Never>()
  let token = subject.observe(on: jobs)
    .subscribe { cell.value.store($0, ordering: .relaxed) }
  for start in stride(from: 0, to: count, by: batchSize) {
    for value in start..<min(start + batchSize, count) { subject.send(value) }
    jobs.run()
  }
  token.dispose()
  return cell.value.load(ordering: .relaxed)
}

@inline(never)
func handObserveOnHeld(_ count: Int) -> Int {
  let jobs = HeldJobs()
  let cell = Cell()
  let handoff = HandHandoff(
    schedule: { jobs.schedule($0) }, receive: { cell.value.store($0, ordering: .relaxed) })
  for start in stride(from: 0, to: count, by: batchSize) {
    for value in start..<min(start + batchSize, count) { handoff.send(value) }
    jobs.run()
  }
  return cell.value.load(ordering: .relaxed)
}

/// A mutex and batches, by hand.
final class HandHandoff: Sendable {
  private struct State: Sendable {
    var queue: [Int] = []
    var isScheduled = false
  }

  private let state = Mutex(State())
  private let schedule: @Sendable (@escaping @Sendable () -> Void) -> Void
  private let receive: @Sendable (Int) -> Void

  init(
    schedule: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
    receive: @escaping @Sendable (Int) -> Void
  ) {
    self.schedule = schedule
    self.receive = receive
  }

  func send(_ value: Int) {
    let mustSchedule = state.withLock { state in
      state.queue.append(value)
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    if mustSchedule { schedule { [self] in drain() } }
  }

  private func drain() {
    while true {
      let batch = state.withLock { state in
        let batch = state.queue
        state.queue = []
        if batch.isEmpty { state.isScheduled = false }
        return batch
      }
      if batch.isEmpty { return }
      for value in batch { receive(value) }
    }
  }
}

@inline(never)
func handObserveOn(_ count: Int) -> Int {
  let done = DispatchSemaphore(value: 0)
  let cell = Cell()
  let queue = DispatchQueue(label: "benchmark")
  let handoff = HandHandoff(
    schedule: { queue.async(execute: $0) },
    receive: { value in
      cell.value.store(value, ordering: .relaxed)
      if value == count - 1 { done.signal() }
    })
  for value in 0..<count { handoff.send(value) }
  done.wait()
  return cell.value.load(ordering: .relaxed)
}

@inline(never)
func flowDebounce(_ count: Int) -> Int {
  let cell = Cell()
  let subject = PublishSubject<Int, Never>()
  subject.debounce(for: .seconds(60), on: QueueScheduler(label: "benchmark"))
    .subscribe(Sum(cell))
  for value in 0..<count { subject.send(value) }
  subject.finish()
  return cell.value.load(ordering: .relaxed)
}

@inline(never)
func flowThrottle(_ count: Int) -> Int {
  let cell = Cell()
  let subject = PublishSubject<Int, Never>()
  subject.throttle(for: .seconds(60), on: QueueScheduler(label: "benchmark"), leading: false)
    .subscribe(Sum(cell))
  for value in 0..<count { subject.send(value) }
  subject.finish()
  return cell.value.load(ordering: .relaxed)
}

/// Reads the clock that the scheduler of the flows uses, once per value.
@inline(never)
func handClock(_ count: Int) -> Int {
  var last: UInt64 = 0
  for _ in 0..<count { last = max(last, DispatchTime.now().uptimeNanoseconds) }
  return last == 0 ? 0 : mix(0, count - 1)
}

func timingCases(_ runner: Runner) {
  let many = 200_000
  runner.compare(
    "observe-on/serial-queue", values: many, reach: 1.5,
    floor: { handObserveOn(many) }, flow: { flowObserveOn(many) })
  runner.compare(
    "observe-on/one-thread", values: many, reach: 1.5,
    floor: { handObserveOnHeld(many) }, flow: { flowObserveOnHeld(many) })
  let count = 50_000
  runner.compare(
    "throttle/pushed-fast", values: count, reach: 2,
    floor: { handClock(count) }, flow: { flowThrottle(count) })
  runner.compare(
    "debounce/pushed-fast", values: count, reach: 2,
    floor: { handClock(count) }, flow: { flowDebounce(count) })
}
