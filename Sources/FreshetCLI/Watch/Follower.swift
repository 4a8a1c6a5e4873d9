import Freshet
import FreshetStore
import Synchronization

/// Takes commits from the store's thread, has the views go through them and puts the events into the
/// output buffer.
///
/// When the buffer is full, or a list is too large to be written in one go, it pauses the store's
/// flow and leaves the rest to the main thread: so memory stays flat however slow the reader is.
final class Follower: Observer {
  typealias Element = LiveLists
  typealias Failure = StoreError

  /// Something that was left to the main thread.
  enum Parked {
    /// The views' first state.
    case state([ViewStep], Token)
    /// A commit too large to be written in one go.
    case commit(CommitEvents, Token)
  }

  /// What the main thread has to do.
  struct Work {
    var parked: Parked?
    /// The flow waits to be resumed.
    var isPaused = false
    /// The place after the last commit whose events are in the buffer.
    var reached: Token?
    /// As many events as were asked for are in the buffer.
    var hasReachedCount = false
    /// How the flow ended.
    var end: End<StoreError>?
  }

  private struct State {
    var work = Work()
    /// The views between two commits; empty while they go through one.
    var steppers: [any ViewStepper]
    /// The place up to which all that is told is in the buffer.
    var token: Token?
    /// Whether no later commit was known.
    var isLatest = false
    var counted = 0
    /// The run is over: nothing more goes into the buffer.
    var isClosed = false
  }

  static var mayPause: Bool { true }

  /// A commit of more events is written by the main thread, piece by piece.
  private static let largeCommit = 512

  private let output: Output
  private let wake: @Sendable () -> Void
  private let plan: WatchPlan
  private let itemViews: [Bool]
  private let countLimit: Int?
  private let state: Mutex<State>

  /// - Parameters:
  ///   - steppers: The views, in the order of the plan.
  ///   - wake: Tells the main thread that there is something to do.
  ///   - countLimit: How many events are asked for.
  init(
    output: Output, plan: WatchPlan, _ steppers: [any ViewStepper], countLimit: Int?,
    wake: @escaping @Sendable () -> Void
  ) {
    self.output = output
    self.wake = wake
    self.plan = plan
    self.countLimit = countLimit
    itemViews = plan.views.map(\.tellsItems)
    state = Mutex(State(steppers: steppers))
  }

  /// How many of the events that a bound counts were told so far.
  var counted: Int { state.withLock { $0.counted } }

  /// The place up to which all that is told is in the buffer.
  var token: Token? { state.withLock { $0.token } }

  /// Whether all that is known in the store was read.
  var isLatest: Bool { state.withLock { $0.isLatest } }

  var hasReachedCount: Bool { countLimit.map { counted >= $0 } ?? false }

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

  func receive(_ lists: LiveLists) -> Answer {
    let steps = step(through: lists)
    if lists.isInitial { return park(.state(steps.compactMap { $0 }, lists.token), lists) }
    let events = CommitEvents(
      lists, steps, itemViews: itemViews, cursor: plan.cursor(at: lists.token), plan.filter)
    if events.count == 0 { return pass(lists) }
    if events.count > Self.largeCommit { return park(.commit(events, lists.token), lists) }
    let waiting = emit(events, 0..<events.count, reaching: lists.token)
    let answer = state.withLock { state -> Answer in
      if state.isClosed { return .stop }
      state.isLatest = lists.isLatest
      if let countLimit, state.counted >= countLimit {
        state.work.hasReachedCount = true
        return .stop
      }
      if waiting >= Output.highWaterBytes {
        state.work.isPaused = true
        return .pause
      }
      return .more
    }
    wake()
    return answer
  }

  func end(_ end: End<StoreError>) {
    state.withLock { $0.work.end = end }
    wake()
  }

  /// Each view's step through a commit; nil for a view that it does not touch.
  private func step(through lists: LiveLists) -> [ViewStep?] {
    // Taken out for the time, so that no rule of a screen runs under the lock.
    var steppers: [any ViewStepper] = []
    state.withLock { swap(&$0.steppers, &steppers) }
    var steps: [ViewStep?] = []
    for place in steppers.indices {
      steps.append(lists.lists[place].map { steppers[place].take($0) })
    }
    state.withLock { swap(&$0.steppers, &steppers) }
    return steps
  }

  /// Leaves something to the main thread.
  private func park(_ parked: Parked, _ lists: LiveLists) -> Answer {
    state.withLock { state in
      state.work.parked = parked
      state.work.isPaused = true
      state.isLatest = lists.isLatest
    }
    wake()
    return .pause
  }

  /// A commit of which nothing is told moves the place all the same.
  private func pass(_ lists: LiveLists) -> Answer {
    let (isClosed, isNews) = state.withLock { state in
      if state.isClosed { return (true, false) }
      defer { state.isLatest = lists.isLatest }
      state.token = lists.token
      return (false, lists.isLatest && !state.isLatest)
    }
    if isNews { wake() }
    return isClosed ? .stop : .more
  }

  /// Puts events of a commit into the buffer.
  /// - Returns: How many bytes wait there.
  ///
  /// With the last of them the place is reached; that is noted before the buffer can be written, so
  /// that whoever writes it knows it.
  private func emit(_ events: CommitEvents, _ part: Range<Int>, reaching token: Token) -> Int {
    output.batch { batch in
      if state.withLock(\.isClosed) { return }
      events.emit(part, to: &batch)
      guard part.upperBound == events.count else { return }
      state.withLock { state in
        state.counted += plan.counted(events)
        state.work.reached = token
        state.token = token
      }
    }
  }

  // MARK: The main thread

  /// Lets nothing more into the buffer; what there is to do then is the last.
  func close() {
    output.batch { _ in state.withLock { $0.isClosed = true } }
  }

  /// Writes a large commit, while the store's flow is paused.
  func write(_ events: CommitEvents, reaching token: Token) throws(Stop) {
    for start in stride(from: 0, to: events.count, by: 64) {
      let part = start..<min(start + 64, events.count)
      if emit(events, part, reaching: token) >= Output.highWaterBytes { try output.flush() }
    }
  }

  /// The first state was written.
  func hasWrittenState(at token: Token) { state.withLock { $0.token = token } }
}
