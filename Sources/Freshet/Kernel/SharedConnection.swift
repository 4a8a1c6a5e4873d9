import Synchronization

/// One run of a shared source, from the first observer to the end or the last one's leave.
final class SharedConnection<Element: Sendable, Failure: Error>: Sendable {
  /// The connection that new observers join.
  ///
  /// The source keeps the connection alive, not the holder: a source that goes away
  /// without an end takes the connection and its observers with it.
  final class Holder: Sendable {
    private struct Current: Sendable {
      weak var connection: SharedConnection?
    }

    private let current = Mutex(Current())

    /// Joins the running connection, or makes a new one, which the caller must start.
    func join() -> (connection: SharedConnection, isNew: Bool) {
      let (connection, old) = current.withLock {
        current -> (SharedConnection, SharedConnection?) in
        let old = current.connection
        if let old, old.enter() { return (old, old) }
        let connection = SharedConnection(holder: self)
        _ = connection.enter()
        current.connection = connection
        return (connection, old)  // The old one may be released here, outside the lock.
      }
      return (connection, connection !== old)
    }

    func forget(_ connection: SharedConnection) {
      current.withLock { current in
        if current.connection === connection { current.connection = nil }
      }
    }
  }

  private struct State: Sendable {
    var observers = 0
    var isOver = false
    var source: Subscription?
  }

  private let holder: Holder
  private let state = Mutex(State())

  let hub: Hub<Element, Failure, NoMemory<Element>>

  private init(holder: Holder) {
    self.holder = holder
    let link = Link()
    hub = Hub(
      memory: NoMemory(),
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

  deinit {
    hub.abandon()  // The source went away without an end.
  }

  private func enter() -> Bool {
    state.withLock { state in
      guard !state.isOver else { return false }
      state.observers += 1
      return true
    }
  }

  private func leave() {
    let (isLast, source) = state.withLock { state -> (Bool, Subscription?) in
      state.observers -= 1
      guard state.observers == 0, !state.isOver else { return (false, nil) }
      state.isOver = true
      return (true, exchange(&state.source, for: nil))
    }
    guard isLast else { return }
    holder.forget(self)
    source?.dispose()
  }

  private func resume() {
    state.withLock { $0.source }?.resume()
  }

  var isOver: Bool { state.withLock { $0.isOver } }

  func attach(_ source: Subscription) {
    let isWanted = state.withLock { state in
      guard !state.isOver, state.source == nil else { return false }
      state.source = source
      return true
    }
    if !isWanted { source.dispose() }
  }

  func end(_ end: End<Failure>) {
    let (isFirst, source) = state.withLock { state in
      (!exchange(&state.isOver, for: true), exchange(&state.source, for: nil))
    }
    _ = source
    guard isFirst else { return }
    // Forgotten first, so that an observer that subscribes again starts the source again.
    holder.forget(self)
    hub.send(end: end)
  }
}

/// The observer that brings the shared source's events to the hub.
struct SharedInlet<Element: Sendable, Failure: Error>: Observer {
  let connection: SharedConnection<Element, Failure>

  static var mayPause: Bool { true }

  mutating func start(_ subscription: Subscription) {
    connection.attach(subscription)
  }

  mutating func receive(_ value: Element) -> Answer {
    connection.isOver ? .stop : connection.hub.send(value)
  }

  mutating func end(_ end: End<Failure>) {
    connection.end(end)
  }
}
