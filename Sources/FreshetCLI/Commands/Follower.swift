import Freshet
import FreshetStore
import Synchronization

/// Takes commits from the store's thread and puts their events into the output buffer.
///
/// When the buffer is full, or a list is too large to be written in one go, it pauses the store's
/// flow and leaves the rest to the main thread: so memory stays flat however slow the reader is.
final class Follower: Observer {
  typealias Element = ViewStep
  typealias Failure = StoreError

  /// What the main thread has to do.
  struct Work {
    /// A list that was left to the main thread.
    var parked: ViewStep?
    /// The flow waits to be resumed.
    var isPaused = false
    /// The place after the last commit whose events are in the buffer.
    var reached: Token?
    /// As many item events as were asked for are in the buffer.
    var hasReachedCount = false
    /// How the flow ended.
    var end: End<StoreError>?
  }

  private struct State {
    var work = Work()
    var token: Token?
    var itemCount = 0
    /// The run is over: nothing more goes into the buffer.
    var isClosed = false
  }

  static var mayPause: Bool { true }

  /// A commit of more changes is written by the main thread, piece by piece.
  private static let largeCommit = 512

  private let output: Output
  private let waiter: Waiter
  private let filter: Cursor.Filter
  private let countLimit: Int?
  private let state = Mutex(State())

  init(output: Output, waiter: Waiter, filter: Cursor.Filter, countLimit: Int?) {
    self.output = output
    self.waiter = waiter
    self.filter = filter
    self.countLimit = countLimit
  }

  /// How many item events were written so far.
  var itemCount: Int { state.withLock { $0.itemCount } }

  /// The place of the last list.
  var token: Token? { state.withLock { $0.token } }

  var hasReachedCount: Bool { countLimit.map { itemCount >= $0 } ?? false }

  /// What there is to do now; asked again, only what is new.
  func takeWork() -> Work {
    state.withLock { state in
      defer {
        state.work.parked = nil
        state.work.isPaused = false
        state.work.reached = nil
      }
      return state.work
    }
  }

  // MARK: The store's thread

  func start(_ subscription: Subscription) {}

  func receive(_ step: ViewStep) -> Answer {
    let changes = step.tellsItems ? step.list.changes?.changes.count ?? 0 : 0
    if step.list.isInitial || changes > Self.largeCommit {
      state.withLock { state in
        state.work.parked = step
        state.work.isPaused = true
        state.token = step.list.token
      }
      waiter.wake()
      return .pause
    }
    let waiting = emit(step, reaches: step.list.token)
    let answer = state.withLock { state -> Answer in
      if state.isClosed { return .stop }
      state.token = step.list.token
      if let countLimit, state.itemCount >= countLimit {
        state.work.hasReachedCount = true
        return .stop
      }
      if waiting >= Output.highWaterBytes {
        state.work.isPaused = true
        return .pause
      }
      return .more
    }
    waiter.wake()
    return answer
  }

  func end(_ end: End<StoreError>) {
    state.withLock { $0.work.end = end }
    waiter.wake()
  }

  /// Puts a commit's events into the buffer.
  /// - Returns: How many bytes wait there.
  ///
  /// The place that is reached is set before the buffer can be written, so that whoever writes it
  /// knows it.
  private func emit(
    _ step: ViewStep, part: Range<Int>? = nil, reaches token: Token? = nil
  ) -> Int {
    output.batch { batch in
      if state.withLock(\.isClosed) { return }
      let items = batch.emitCommit(step, filter: filter, part: part)
      state.withLock { state in
        state.itemCount += items
        if let token { state.work.reached = token }
      }
    }
  }

  /// Lets nothing more into the buffer; what there is to do then is the last.
  func close() {
    output.batch { _ in state.withLock { $0.isClosed = true } }
  }

  /// Writes a large commit, called by the main thread while the store's flow is paused.
  func writeParked(_ step: ViewStep) throws(Stop) {
    let count = step.list.changes?.changes.count ?? 0
    for start in stride(from: 0, to: count, by: 64) {
      if emit(step, part: start..<min(start + 64, count)) >= Output.highWaterBytes {
        try output.flush()
      }
    }
  }
}
