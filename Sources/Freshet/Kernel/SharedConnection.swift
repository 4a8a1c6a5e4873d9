import Synchronization

/// One run of a shared source, from the first observer to the end or the last one's leave.
final class SharedConnection<Element: Sendable, Failure: Error>: Sendable {
  /// The connection that new observers join.
  final class Holder: Sendable {
    let current = Mutex<SharedConnection?>(nil)

    /// Joins the running connection, or makes a new one, which the caller must start.
    func join() -> (connection: SharedConnection, isNew: Bool) {
      current.withLock { current in
        if let running = current, running.enter() { return (running, false) }
        let connection = SharedConnection(holder: self)
        _ = connection.enter()
        current = connection
        return (connection, true)
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
    let isFirst = state.withLock { state in
      state.source = nil
      return !exchange(&state.isOver, for: true)
    }
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
