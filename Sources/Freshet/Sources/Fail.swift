/// A cold flow that fails at once.
///
///     result   #     Fail<Int, Problem>(.offline)
@frozen
public struct Fail<Element: Sendable, Failure: Error>: Flow {
  @usableFromInline let failure: Failure

  /// Makes a flow that fails with the given failure.
  @inlinable
  public init(_ failure: Failure) {
    self.failure = failure
  }

  /// Starts the observer and fails it, before this returns.
  @inlinable
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    subscribeToEnd(.failed(failure), observer)
  }

  /// The failure.
  @inlinable
  @inline(__always)
  public var known: Known<Element, Failure>? { .end(.failed(failure)) }
}
