import Freshet
import Synchronization

@testable import FreshetStore

/// Takes one value at a time from a feed that pauses after each.
final class Stepper<Element: Sendable>: Sendable {
  private struct State: Sendable {
    var values: [Element] = []
    var end: End<StoreError>?
    var waiter: CheckedContinuation<Void, Never>?
    var subscription: Subscription?
  }

  private let state = Mutex(State())

  func start(_ subscription: Subscription) { state.withLock { $0.subscription = subscription } }

  func put(_ value: Element) { change { $0.values.append(value) } }

  func finish(_ end: End<StoreError>) { change { $0.end = end } }

  private func change(_ change: (inout State) -> Void) {
    let waiter = state.withLock { state in
      change(&state)
      return state.waiter.take()
    }
    waiter?.resume()
  }

  /// The next value; a feed that ends instead is a mistake of the test.
  func next() async -> Element {
    while true {
      if let value = state.withLock({ $0.values.isEmpty ? nil : $0.values.removeFirst() }) {
        return value
      }
      if let end = state.withLock({ $0.end }) { preconditionFailure("the feed ended: \(end)") }
      await wait()
    }
  }

  func ended() async -> End<StoreError> {
    while true {
      if let end = state.withLock({ $0.end }) { return end }
      await wait()
    }
  }

  private func wait() async {
    await withCheckedContinuation { continuation in
      let isReady = state.withLock { state in
        if !state.values.isEmpty || state.end != nil { return true }
        state.waiter = continuation
        return false
      }
      if isReady { continuation.resume() }
    }
  }

  func resume() { state.withLock { $0.subscription }?.resume() }
}

struct StepObserver<Element: Sendable>: Observer {
  typealias Failure = StoreError
  static var mayPause: Bool { true }
  let stepper: Stepper<Element>

  init(_ stepper: Stepper<Element>) { self.stepper = stepper }

  mutating func start(_ subscription: Subscription) { stepper.start(subscription) }

  mutating func receive(_ value: Element) -> Answer {
    stepper.put(value)
    return .pause
  }

  mutating func end(_ end: End<StoreError>) { stepper.finish(end) }
}
