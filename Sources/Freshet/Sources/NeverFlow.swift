/// A flow without values that never ends.
///
///     result   -------     NeverFlow<Int, Never>()
///
/// It holds nothing: the observer is released as soon as it is connected.
@frozen
public struct NeverFlow<Element: Sendable, Failure: Error>: Flow {
  /// Makes a flow that says nothing.
  @inlinable
  public init() {}

  /// Starts the observer, and lets it go.
  @inlinable
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    let subscription = Subscription()
    var observer = observer
    observer.start(subscription)
    return subscription
  }
}
