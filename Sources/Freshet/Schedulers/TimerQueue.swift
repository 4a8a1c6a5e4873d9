import Synchronization

/// Works in the order of their times; first come, first served among equals.
///
/// A heap and one armed timer, whatever the number of works. Works run one at a time,
/// on the thread that the timer comes on.
final class TimerQueue: Sendable {
  fileprivate struct Entry: Sendable {
    let due: Moment
    let sequence: UInt64
    let job: TimedJob

    func isBefore(_ other: Entry) -> Bool {
      due == other.due ? sequence < other.sequence : due < other.due
    }
  }

  fileprivate struct State: Sendable {
    var heap: [Entry] = []
    var sequence: UInt64 = 0
    var calledOff = 0
    /// When the armed timer comes.
    var wakeTime: Moment?
    var timer: Disposable?
    var isWorking = false
  }

  private let state = Mutex(State())
  private let now: @Sendable () -> Moment
  private let arm: @Sendable (Duration, @escaping @Sendable () -> Void) -> Disposable

  /// Makes an empty queue.
  ///
  /// - Parameters:
  ///   - now: Tells the time.
  ///   - arm: Runs a closure after a while, where the works are to run.
  init(
    now: @escaping @Sendable () -> Moment,
    arm: @escaping @Sendable (Duration, @escaping @Sendable () -> Void) -> Disposable
  ) {
    self.now = now
    self.arm = arm
  }

  /// How many works wait or were called off and are still to be cleared away.
  var count: Int { state.withLock { $0.heap.count } }

  /// Adds a work.
  ///
  /// - Returns: The token that calls it off and releases it.
  /// - Complexity: O(log n).
  func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> Disposable {
    let job = TimedJob(work)
    state.withLock { state in
      let due = now() + max(.zero, delay)
      state.insert(Entry(due: due, sequence: state.sequence, job: job))
      state.sequence += 1
    }
    armIfNeeded()
    return Disposable { [self] in callOff(job) }
  }

  /// Arms the timer for the first work, if it would come too late or there is none.
  private func armIfNeeded() {
    while true {
      let time = now()
      let (wakeTime, old) = state.withLock { state -> (Moment?, Disposable?) in
        guard !state.isWorking, let first = state.heap.first else { return (nil, nil) }
        if let wakeTime = state.wakeTime, wakeTime <= first.due { return (nil, nil) }
        state.wakeTime = first.due
        return (first.due, exchange(&state.timer, for: nil))
      }
      old?.dispose()
      guard let wakeTime else { return }
      let timer = arm(wakeTime - time) { [self] in wake(wakeTime) }
      let isKept = state.withLock { state in
        guard state.wakeTime == wakeTime, state.timer == nil else { return false }
        state.timer = timer
        return true
      }
      if isKept { return }
      // It has come already, or a sooner one was armed; disposing does no harm then.
      timer.dispose()
    }
  }

  /// Does what is due; one caller at a time.
  private func wake(_ wakeTime: Moment) {
    let (isOurs, timer) = state.withLock { state -> (Bool, Disposable?) in
      guard state.wakeTime == wakeTime else { return (false, nil) }
      state.wakeTime = nil
      let timer = exchange(&state.timer, for: nil)
      return (!exchange(&state.isWorking, for: true), timer)
    }
    _ = timer  // Released outside the lock.
    guard isOurs else { return }
    while let job = nextDue() { job.run() }
    armIfNeeded()
  }

  private func nextDue() -> TimedJob? {
    let time = now()
    return state.withLock { state in
      guard let first = state.heap.first, first.due <= time else {
        state.isWorking = false
        return nil
      }
      state.removeFirst()
      if first.job.isCalledOff { state.calledOff -= 1 }
      return first.job
    }
  }

  private func callOff(_ job: TimedJob) {
    guard job.callOff() else { return }
    let timer = state.withLock { state -> Disposable? in
      state.calledOff += 1
      guard state.calledOff * 2 > state.heap.count else { return nil }
      state.compact()
      guard state.heap.isEmpty else { return nil }
      state.wakeTime = nil
      return exchange(&state.timer, for: nil)
    }
    timer?.dispose()
  }
}

extension TimerQueue.State {
  fileprivate mutating func insert(_ entry: TimerQueue.Entry) {
    heap.append(entry)
    var child = heap.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[child].isBefore(heap[parent]) else { return }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  fileprivate mutating func removeFirst() {
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    sink(from: 0)
  }

  /// Clears away what was called off.
  ///
  /// O(n), after at least n/2 were called off.
  fileprivate mutating func compact() {
    heap.removeAll { $0.job.isCalledOff }
    calledOff = 0
    for parent in stride(from: heap.count / 2 - 1, through: 0, by: -1) { sink(from: parent) }
  }

  private mutating func sink(from start: Int) {
    var parent = start
    while true {
      var least = parent
      let children = 2 * parent + 1..<max(2 * parent + 1, min(2 * parent + 3, heap.count))
      for child in children {
        if heap[child].isBefore(heap[least]) { least = child }
      }
      guard least != parent else { return }
      heap.swapAt(parent, least)
      parent = least
    }
  }
}

/// A work that runs once, or is called off and released.
final class TimedJob: Sendable {
  private let work: Mutex<(@Sendable () -> Void)?>

  init(_ work: @escaping @Sendable () -> Void) {
    self.work = Mutex(work)
  }

  var isCalledOff: Bool { work.withLock { $0 == nil } }

  func run() {
    take()?()
  }

  /// Releases the work; false when it has run or was called off before.
  func callOff() -> Bool {
    take() != nil
  }

  private func take() -> (@Sendable () -> Void)? {
    work.withLock { exchange(&$0, for: nil) }
  }
}
