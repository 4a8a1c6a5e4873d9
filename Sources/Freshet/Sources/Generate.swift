/// A cold flow of what a function makes from a state, until it makes nothing.
///
///     result   (1248|)     Generate(from: 1) { n in defer { n *= 2 }; return n < 10 ? n : nil }
///
/// Each subscription begins with the first state and calls the function on the subscribing
/// thread, once per value. It stops calling when the observer pauses, and goes on where
/// `resume()` is called. For the same value again and again take `repeatElement(_:count:)`
/// and its `flow`, for a range of numbers the range's.
public struct Generate<State: Sendable, Element: Sendable>: Flow {
  /// It cannot fail.
  public typealias Failure = Never
  private let initial: State
  private let next: @Sendable (inout State) -> Element?

  /// Makes a flow from a state and a function.
  ///
  /// - Parameters:
  ///   - initial: The state that each subscription begins with.
  ///   - next: Changes the state and makes a value; nil ends the flow.
  public init(from initial: State, next: @escaping @Sendable (inout State) -> Element?) {
    self.initial = initial
    self.next = next
  }

  /// Calls the function until it makes nothing, or the observer pauses or leaves.
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    SequenceFlow(Generated(state: initial, make: next)).subscribe(observer)
  }
}

/// The sequence behind `Generate`.
private struct Generated<State: Sendable, Element: Sendable>: Sequence, IteratorProtocol, Sendable {
  var state: State
  let make: @Sendable (inout State) -> Element?

  mutating func next() -> Element? { make(&state) }
}
