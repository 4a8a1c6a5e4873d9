import Synchronization

/// What an emitter, its work and its one observer share.
final class Emission<Element: Sendable, Failure: Error>: Sendable {
  private struct State: Sendable {
    var token: Disposable?
    var onResume: (@Sendable () -> Void)?
    var owesResume = false
    var isClosed = false
  }

  private final class Box: Sendable {
    let state = Mutex(State())

    func resume() {
      let body = state.withLock { state -> (@Sendable () -> Void)? in
        if state.onResume == nil { state.owesResume = true }
        return state.onResume
      }
      body?()
    }

    func close() {
      let closed = state.withLock { state in
        state.isClosed = true
        return (exchange(&state.token, for: nil), exchange(&state.onResume, for: nil))
      }
      closed.0?.dispose()
    }
  }

  let hub: Hub<Element, Failure, NoMemory<Element>>
  private let box = Box()

  init() {
    let box = box
    hub = Hub(
      memory: NoMemory(), onResume: { box.resume() }, onLeave: { box.close() })
  }

  var isClosed: Bool { box.state.withLock { $0.isClosed } }

  /// Keeps the work's token until the end, or disposes of it when that has come already.
  func keep(_ token: Disposable?) {
    let isLate = box.state.withLock { state in
      guard !state.isClosed else { return true }
      state.token = token
      return false
    }
    if isLate { token?.dispose() }
  }

  func onResume(_ body: @escaping @Sendable () -> Void) {
    let isOwed = box.state.withLock { state in
      state.onResume = body
      return exchange(&state.owesResume, for: false)
    }
    if isOwed { body() }
  }

  func close() {
    box.close()
  }
}

/// Closes the emission after its end has been delivered.
struct EmissionOutlet<Downstream: Observer>: Observer {
  typealias Element = Downstream.Element
  typealias Failure = Downstream.Failure
  var downstream: Downstream
  let emission: Emission<Element, Failure>

  init(downstream: Downstream, _ emission: Emission<Element, Failure>) {
    self.downstream = downstream
    self.emission = emission
  }

  static var mayPause: Bool { Downstream.mayPause }

  mutating func start(_ subscription: Subscription) {
    downstream.start(subscription)
  }

  mutating func receive(_ value: Element) -> Answer {
    downstream.receive(value)
  }

  mutating func end(_ end: End<Failure>) {
    downstream.end(end)
    emission.close()
  }
}
