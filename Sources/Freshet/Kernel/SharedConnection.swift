import Synchronization

/// When a shared source is stopped and started again.
struct SharePolicy: Sendable {
  let scope: ShareScope
  let grace: (time: Duration, scheduler: any TimeScheduler)?
}

/// The observers of a shared source, and its running subscription.
///
/// With `.whileConnected` a connection has one run; with `.forever` it is used again
/// and again, until the source has ended.
final class SharedConnection<Element: Sendable, Failure: Error>: Sendable {
  /// The connection that new observers join.
  ///
  /// The source keeps a connection alive, not the holder, unless the connection is to
  /// stay for ever: a source that goes away without an end takes the connection and its
  /// observers with it.
  final class Holder: Sendable {
    private struct Current: Sendable {
      weak var connection: SharedConnection?
      var kept: SharedConnection?
    }

    let policy: SharePolicy
    private let replay: Int
    private let current = Mutex(Current())

    init(replay: Int, policy: SharePolicy) {
      self.replay = replay
      self.policy = policy
    }

    /// Joins the connection, or makes a new one.
    func join() -> SharedConnection {
      var grace: Disposable?
      let (connection, old) = current.withLock {
        current -> (SharedConnection, SharedConnection?) in
        let old = current.connection
        if let old, old.enter(callingOff: &grace) { return (old, old) }
        let connection = SharedConnection(holder: self, replay: replay)
        _ = connection.enter(callingOff: &grace)
        current.connection = connection
        if policy.scope == .forever { current.kept = connection }
        return (connection, old)
      }
      // Called off, and the old one perhaps released, outside the lock.
      grace?.dispose()
      _ = old
      return connection
    }

    func forget(_ connection: SharedConnection) {
      current.withLock { current in
        if current.connection === connection { current.connection = nil }
      }
    }
  }

  private struct State: Sendable {
    var observers = 0
    /// The number of the present run, or of the last one.
    var run = 0
    var isRunning = false
    /// The source has ended: there is no other run.
    var hasEnded = false
    /// Nobody can join any more.
    var isClosed = false
    var source: Subscription?
    /// Tells a departure of the last observer from those before it.
    var departures = 0
    var grace: Disposable?
    /// What goes up to each source, when it comes.
    var joined = Turns()
  }

  // The holder may keep the connection; its policy is all that is needed without it.
  private weak let holder: Holder?
  private let policy: SharePolicy
  private let state = Mutex(State())
  let hub: Hub<Element, Failure, Recent<Element>>

  private init(holder: Holder, replay: Int) {
    self.holder = holder
    policy = holder.policy
    let link = Link()
    hub = Hub(
      memory: Recent(capacity: replay, period: nil, scheduler: nil),
      onResume: { link.connection?.resume() },
      onLeave: { link.connection?.leave() },
      onUpward: { link.connection?.pass($0) })
    link.target.withLock { $0.connection = self }
  }

  /// Lets the hub's closures reach the connection without keeping it alive.
  private final class Link: Sendable {
    struct Target: Sendable {
      weak var connection: SharedConnection?
    }
    let target = Mutex(Target())
    var connection: SharedConnection? { target.withLock { $0.connection } }
  }

  deinit {
    hub.abandon()  // The source went away without an end.
  }

  // MARK: Coming and going

  /// Counts an observer in; false when the connection is closed.
  ///
  /// - Parameter grace: Takes the timer of a stop that is no longer due.
  private func enter(callingOff grace: inout Disposable?) -> Bool {
    let (isOpen, timer) = state.withLock { state -> (Bool, Disposable?) in
      guard !state.isClosed else { return (false, nil) }
      state.observers += 1
      return (true, exchange(&state.grace, for: nil))
    }
    if let timer { grace = timer }
    return isOpen
  }

  private func leave() {
    let departure = state.withLock { state -> Int? in
      state.observers -= 1
      guard state.observers == 0, state.isRunning else { return nil }
      state.departures += 1
      return state.departures
    }
    guard let departure else { return }
    guard let (time, scheduler) = policy.grace else {
      stop(departure)
      return
    }
    let timer = scheduler.schedule(after: time) { [weak self] in self?.stop(departure) }
    // A timer that is not kept is called off: somebody has come meanwhile.
    state.withLock { state in
      let isWanted = state.departures == departure && state.observers == 0 && state.isRunning
      if isWanted { state.grace = timer }
    }
  }

  /// Stops the source, unless somebody has come since.
  private func stop(_ departure: Int) {
    let isOnce = policy.scope == .whileConnected
    let (isDue, source, grace) = state.withLock {
      state -> (Bool, Subscription?, Disposable?) in
      guard state.departures == departure, state.observers == 0, state.isRunning else {
        return (false, nil, nil)
      }
      state.isRunning = false
      state.isClosed = isOnce
      return (true, exchange(&state.source, for: nil), exchange(&state.grace, for: nil))
    }
    guard isDue else { return }
    _ = grace  // Released outside the lock.
    if isOnce { holder?.forget(self) }
    source?.dispose()
  }

  // MARK: The source

  /// Begins a run.
  ///
  /// - Returns: Its number, for the one caller who has to start the source; nil for all others.
  func mustStart() -> Int? {
    state.withLock { state in
      guard !state.isRunning, !state.hasEnded, !state.isClosed, state.observers > 0 else {
        return nil
      }
      state.isRunning = true
      state.run += 1
      return state.run
    }
  }

  private func resume() {
    state.withLock { $0.source }?.resume()
  }

  private func pass(_ message: Upward) {
    let source = state.withLock { state in
      if case .join(let member, let above) = message { state.joined.join(member, above: above) }
      return state.source
    }
    source?.pass(message)
  }

  fileprivate func attach(_ source: Subscription, run: Int) {
    let (isWanted, joined) = state.withLock { state -> (Bool, [Upward]) in
      guard state.isRunning, state.run == run, state.source == nil else { return (false, []) }
      state.source = source
      return (true, state.joined.messages)
    }
    if !isWanted { source.dispose() }
    for message in joined { source.pass(message) }
  }

  fileprivate func end(_ end: End<Failure>, run: Int) {
    let isOnce = policy.scope == .whileConnected
    let (isCurrent, source, grace) = state.withLock {
      state -> (Bool, Subscription?, Disposable?) in
      guard state.isRunning, state.run == run else { return (false, nil, nil) }
      state.isRunning = false
      state.hasEnded = true
      state.isClosed = isOnce
      return (true, exchange(&state.source, for: nil), exchange(&state.grace, for: nil))
    }
    guard isCurrent else { return }
    _ = source
    grace?.dispose()
    // Forgotten first, so that an observer that subscribes again starts the source again.
    if isOnce { holder?.forget(self) }
    hub.send(end: end)
  }
}

/// The observer that brings the shared source's events to the hub.
struct SharedInlet<Element: Sendable, Failure: Error>: Observer {
  let connection: SharedConnection<Element, Failure>
  let run: Int
  var source: Subscription?

  init(connection: SharedConnection<Element, Failure>, run: Int) {
    self.connection = connection
    self.run = run
  }

  static var mayPause: Bool { true }

  mutating func start(_ subscription: Subscription) {
    guard source == nil else {
      subscription.dispose()
      return
    }
    source = subscription
    connection.attach(subscription, run: run)
  }

  mutating func receive(_ value: Element) -> Answer {
    source?.isDisposed == false ? connection.hub.send(value) : .stop
  }

  mutating func end(_ end: End<Failure>) {
    guard source != nil else { return }
    source = nil
    connection.end(end, run: run)
  }
}
