/// A flow that is made anew for each subscription.
///
///     result   1--2--|     Deferred { [1, 2].flow }
@frozen
public struct Deferred<Source: Flow>: Flow {
  /// The source's values.
  public typealias Element = Source.Element

  /// The source's failure.
  public typealias Failure = Source.Failure
  @usableFromInline let make: @Sendable () -> Source

  /// Makes a flow from a closure that is called with each subscription.
  @inlinable
  public init(_ make: @escaping @Sendable () -> Source) {
    self.make = make
  }

  /// Makes a flow and subscribes to it.
  @inlinable
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    make().subscribe(observer)
  }
}
