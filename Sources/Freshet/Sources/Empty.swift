/// A cold flow that finishes at once.
///
///     result   |     Empty<Int, Never>()
@frozen
public struct Empty<Element: Sendable, Failure: Error>: Flow {
  /// Makes a flow without values.
  @inlinable
  public init() {}

  /// Starts the observer and finishes it, before this returns.
  @inlinable
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    subscribeToEnd(.finished, observer)
  }

  /// The finish.
  @inlinable
  @inline(__always)
  public var known: Known<Element, Failure>? { .end(.finished) }
}

/// Starts an observer and ends it, for sources that have no values.
@inlinable
func subscribeToEnd<O: Observer>(_ end: End<O.Failure>, _ observer: O) -> Subscription {
  let subscription = Subscription()
  var observer = observer
  observer.start(subscription)
  if subscription.markEnded() { observer.end(end) }
  return subscription
}
