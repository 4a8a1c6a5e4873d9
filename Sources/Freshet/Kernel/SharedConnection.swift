import Synchronization

/// When a shared source is stopped and started again.
struct SharePolicy: Sendable {
  let scope: ShareScope
  let grace: (time: Duration, scheduler: any TimeScheduler)?
}

/// The observers of a shared source, and its running subscription.
final class SharedConnection<Element: Sendable, Failure: Error>: Sendable {
  /// The connection that new observers join.
  final class Holder: Sendable {
    let policy: SharePolicy
    private let replay: Int
    private let current = Mutex<SharedConnection?>(nil)

    init(replay: Int, policy: SharePolicy) {
      self.replay = replay
      self.policy = policy
    }

    /// Joins the connection, or makes a new one.
    func join() -> SharedConnection {
      current.withLock { current in
        if let running = current, running.enter() { return running }
        let connection = SharedConnection(holder: self, replay: replay)
        _ = connection.enter()
        current = connection
        return connection
      }
    }

    func forget(_ connection: SharedConnection) {
      current.withLock { current in
        if current === connection { current = nil }
      }
    }
  }

  private struct State: Sendable {
    var observers = 0
    var isStarted = false
    var isOver = false
    var source: Subscription?
    var departures = 0
    var grace: Disposable?
  }

  private let holder: Holder
  private let state = Mutex(State())
  let hub: Hub<Element, Failure, Recent<Element>>

  private init(holder: Holder, replay: Int) {
    self.holder = holder
    let link = Link()
    hub = Hub(
      memory: Recent(capacity: replay, period: nil, scheduler: nil),
      onResume: { link.connection?.resume() },
      onLeave: { link.connection?.leave() })
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

  private func enter() -> Bool {
    let (isOpen, grace) = state.withLock { state -> (Bool, Disposable?) in
      guard !state.isOver else { return (false, nil) }
      state.observers += 1
      return (true, exchange(&state.grace, for: nil))
    }
    grace?.dispose()
    return isOpen
  }

  /// Whether the caller is the one who starts the source.
  func mustStart() -> Bool {
    state.withLock { state in
      guard !state.isOver, !state.isStarted, state.observers > 0 else { return false }
      state.isStarted = true
      return true
    }
  }

  private func leave() {
    let departure = state.withLock { state -> Int? in
      state.observers -= 1
      guard state.observers == 0, !state.isOver, state.isStarted else { return nil }
      state.departures += 1
      return state.departures
    }
    guard let departure else { return }
    guard let (time, scheduler) = holder.policy.grace else {
      stop(departure)
      return
    }
    let timer = scheduler.schedule(after: time) { [weak self] in self?.stop(departure) }
    state.withLock { state in
      if state.departures == departure, state.observers == 0 { state.grace = timer }
    }
  }

  /// Stops the source, unless somebody has come since.
  private func stop(_ departure: Int) {
    let (isDue, source) = state.withLock { state -> (Bool, Subscription?) in
      guard state.departures == departure, state.observers == 0, !state.isOver else {
        return (false, nil)
      }
      state.isStarted = false
      if holder.policy.scope == .whileConnected { state.isOver = true }
      return (true, exchange(&state.source, for: nil))
    }
    guard isDue else { return }
    if holder.policy.scope == .whileConnected { holder.forget(self) }
    source?.dispose()
  }

  private func resume() {
    state.withLock { $0.source }?.resume()
  }

  func attach(_ source: Subscription) {
    let isWanted = state.withLock { state in
      guard !state.isOver, state.isStarted, state.source == nil else { return false }
      state.source = source
      return true
    }
    if !isWanted { source.dispose() }
  }

  func end(_ end: End<Failure>) {
    let isFirst = state.withLock { state in
      state.source = nil
      return !exchange(&state.isOver, for: holder.policy.scope == .whileConnected)
    }
    guard isFirst else { return }
    // Forgotten first, so that an observer that subscribes again starts the source again.
    if holder.policy.scope == .whileConnected { holder.forget(self) }
    hub.send(end: end)
  }
}

/// The observer that brings the shared source's events to the hub.
struct SharedInlet<Element: Sendable, Failure: Error>: Observer {
  let connection: SharedConnection<Element, Failure>
  var source: Subscription?

  static var mayPause: Bool { true }

  mutating func start(_ subscription: Subscription) {
    guard source == nil else {
      subscription.dispose()
      return
    }
    source = subscription
    connection.attach(subscription)
  }

  mutating func receive(_ value: Element) -> Answer {
    source?.isDisposed == false ? connection.hub.send(value) : .stop
  }

  mutating func end(_ end: End<Failure>) {
    guard source != nil else { return }
    source = nil
    connection.end(end)
  }
}
