import Freshet
import FreshetStore

/// One run of `watch` over the store.
struct StoreWatch {
  private let session: Session
  private let plan: WatchPlan
  private let bounds: WatchBounds
  private let clock = ContinuousClock()

  init(_ invocation: Invocation, _ session: Session) throws(Stop) {
    self.session = session
    plan = try WatchPlan(invocation)
    bounds = try WatchBounds(invocation, plan)
  }

  func run() throws(Stop) -> Finish {
    let deadline = bounds.timeout.map { clock.now + $0 }
    let manager = try session.openStore(
      command: "watch", mustExist: true, until: deadline, filter: plan.cursorFilter)
    let posters = try PosterFiles(of: manager, session.settings)
    var start = bounds.start
    var counted = 0
    while true {
      let steppers = plan.views.map { $0.stepper(posters) }
      let follower = Follower(
        output: session.output, plan: plan, steppers,
        countLimit: bounds.count.map { $0 - counted }, wake: session.waiter.wake)
      let subscription = manager.observe(steppers.map(\.query), from: start.position)
        .subscribe(follower)
      defer { subscription.dispose() }
      let end: RunEnd
      do throws(Stop) {
        end = try drive(follower, subscription, start, deadline)
      } catch {
        subscription.dispose()
        if case .signal = error { try keepLast(of: follower) }
        throw error
      }
      counted += follower.counted
      session.count("events", follower.counted)
      switch end {
      case .finish(let finish):
        subscription.dispose()
        try keepLast(of: follower)
        return finish
      case .restart(let error):
        var from = follower.token
        if from == nil, case .after(let token) = start.position { from = token }
        try tellReset(error, from, manager)
        start = WatchBounds.Start(position: .snapshot, showsSnapshot: true)
      }
    }
  }

  private enum RunEnd {
    case finish(Finish)
    /// The cursor leads nowhere: tell so, and begin with a snapshot.
    case restart(StoreError)
  }

  /// Moves what the follower has to stdout until something ends the run.
  private func drive(
    _ follower: Follower, _ subscription: Subscription, _ start: WatchBounds.Start,
    _ deadline: ContinuousClock.Instant?
  ) throws(Stop) -> RunEnd {
    var silence = Silence(since: clock.now, sequence: session.output.sequence)
    while true {
      let work = follower.takeWork()
      var reached = work.reached
      switch work.parked {
      case .state(let steps, let token):
        try show(steps, token, start)
        follower.hasWrittenState(at: token)
        reached = token
      case .commit(let events, let token):
        try follower.write(events, reaching: token)
        reached = token
      case nil: break
      }
      try session.output.flush()
      if let reached { try keep(reached) }
      if case .state = work.parked {
        session.serviceManager.ready()
        if bounds.isOnlySnapshot { return .finish(.done) }
      }
      if work.hasReachedCount || (work.parked != nil && follower.hasReachedCount) {
        return .finish(Finish(reason: "count", exit: ExitCode.done))
      }
      if work.isPaused {
        subscription.resume()
        continue
      }
      if let end = work.end { return try runEnd(end) }
      silence.look(at: session.output.sequence, isLatest: follower.isLatest, clock.now)
      let beat = bounds.heartbeat.map { silence.heartbeatFrom + $0 }
      let idle = bounds.untilIdle.flatMap { span in silence.idleFrom.map { $0 + span } }
      let next = [deadline, beat, idle].compactMap { $0 }.min()
      let wake = try session.waiter.wait(timeout: next.map { clock.now.duration(to: $0) })
      guard wake.isTimeout else { continue }
      let now = clock.now
      if let deadline, now >= deadline {
        return .finish(.timeout)
      }
      if let idle, now >= idle {
        return .finish(Finish(reason: "idle", exit: ExitCode.done))
      }
      if let beat, now >= beat {
        try sayHeartbeat(follower)
        silence.heartbeatIsSaid(session.output.sequence, clock.now)
      }
    }
  }

  /// How long nothing was told.
  private struct Silence {
    private(set) var heartbeatFrom: ContinuousClock.Instant
    /// Nil while there is something to read still.
    private(set) var idleFrom: ContinuousClock.Instant?
    private var sequence: Int64

    init(since now: ContinuousClock.Instant, sequence: Int64) {
      heartbeatFrom = now
      self.sequence = sequence
    }

    mutating func look(at sequence: Int64, isLatest: Bool, _ now: ContinuousClock.Instant) {
      if sequence != self.sequence {
        self.sequence = sequence
        heartbeatFrom = now
        idleFrom = nil
      }
      if !isLatest { idleFrom = nil } else if idleFrom == nil { idleFrom = now }
    }

    /// A heartbeat is no news.
    mutating func heartbeatIsSaid(_ sequence: Int64, _ now: ContinuousClock.Instant) {
      self.sequence = sequence
      heartbeatFrom = now
    }
  }

  /// A bookmark, which takes the place past what the filter keeps back.
  private func sayHeartbeat(_ follower: Follower) throws(Stop) {
    guard let token = follower.token else { return }
    session.sayBookmark(
      plan.cursor(at: token), revision: token.revision, view: plan.onlyView, isInitial: false)
    try session.output.flush()
    try keep(token)
  }

  /// The views' first state, or where the stream begins.
  private func show(
    _ steps: [ViewStep], _ token: Token, _ start: WatchBounds.Start
  ) throws(Stop) {
    if start.showsSnapshot {
      for step in steps { try session.showSnapshot(step, plan.filter, cursor: nil) }
    }
    // Without a snapshot the screens' first steps would tell of lists that are not told here.
    session.sayBookmark(
      plan.cursor(at: token), revision: token.revision, view: plan.onlyView,
      isInitial: start.showsSnapshot)
  }

  /// Remembers a place whose events were written.
  private func keep(_ token: Token) throws(Stop) {
    try bounds.cursorFile?.write(Cursor(token: token, filter: plan.cursorFilter))
  }

  /// Remembers what came into the buffer since the last look: it is written before the end is told.
  private func keepLast(of follower: Follower) throws(Stop) {
    follower.close()
    guard bounds.cursorFile != nil, let token = follower.token else { return }
    try session.output.flush()
    try keep(token)
  }

  private func runEnd(_ end: End<StoreError>) throws(Stop) -> RunEnd {
    switch end {
    case .finished:
      throw .store(
        Problem(code: "source_closed", message: "the store was closed while it was followed"))
    case .failed(let error):
      guard [.differentStore, .diverged, .compacted].contains(error.code) else {
        throw .store(Problem(error))
      }
      if bounds.isStrict { throw .cursor(Problem(error)) }
      return .restart(error)
    }
  }

  /// Why a new snapshot follows.
  ///
  /// - Parameter from: The place that was reached, or where the run was to begin; nil for neither.
  private func tellReset(
    _ error: StoreError, _ from: Token?, _ manager: DatabaseManager
  ) throws(Stop) {
    let isGap = error.code == .compacted
    let oldest: Token
    do {
      oldest = try manager.oldestToken
    } catch {
      throw .store(Problem(error))
    }
    session.output.emit(EventHead(isGap ? "stream.gap" : "stream.reset")) { data in
      data.string("reason", error.code.name)
      data.string("from", from.map(plan.cursor))
      data.string("oldest", plan.cursor(at: oldest))
    }
    session.diagnostics.note("\(error.message). A new snapshot follows.")
  }
}
