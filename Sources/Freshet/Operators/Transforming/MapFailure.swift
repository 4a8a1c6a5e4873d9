extension Flow {
  /// Turns the failure into another one.
  ///
  ///     source   1--2--#
  ///     result   1--2--#     mapFailure { Problem($0) }
  ///
  /// Values and a finish pass through unchanged.
  ///
  /// - Parameter transform: Called once, when the source fails.
  /// - Complexity: free for values.
  @_transparent
  public func mapFailure<Other: Error>(
    _ transform: @escaping @Sendable (Failure) -> Other
  ) -> MapFailure<Self, Other> {
    MapFailure(source: self, transform: transform)
  }
}

/// The flow behind `mapFailure(_:)`.
@frozen
public struct MapFailure<Source: Flow, Failure: Error>: Flow {
  /// The source's values.
  public typealias Element = Source.Element
  @usableFromInline let source: Source
  @usableFromInline let transform: @Sendable (Source.Failure) -> Failure

  @_transparent
  @usableFromInline
  init(source: Source, transform: @escaping @Sendable (Source.Failure) -> Failure) {
    self.source = source
    self.transform = transform
  }

  /// Subscribes to the source, whose failure goes through the transform.
  @_transparent
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    source.subscribe(MapFailureObserver(downstream: observer, transform: transform))
  }

  /// Hands the steps after it to the source, which makes them one closure with its own.
  @_transparent
  @discardableResult
  public func subscribe<O: Observer>(
    _ observer: O, through next: @escaping @Sendable (Element) -> O.Element?
  ) -> Subscription where O.Failure == Failure {
    source.subscribe(
      MapFailureObserver(downstream: observer, transform: transform), through: next)
  }
}

@frozen
@usableFromInline
struct MapFailureObserver<Failure: Error, Downstream: Observer>: Observer {
  @usableFromInline typealias Element = Downstream.Element
  @usableFromInline var downstream: Downstream
  @usableFromInline let transform: @Sendable (Failure) -> Downstream.Failure

  @inlinable
  @inline(__always)
  init(downstream: Downstream, transform: @escaping @Sendable (Failure) -> Downstream.Failure) {
    self.downstream = downstream
    self.transform = transform
  }

  @inlinable static var mayPause: Bool { Downstream.mayPause }

  @inlinable
  @inline(__always)
  mutating func start(_ subscription: Subscription) {
    downstream.start(subscription)
  }

  @inlinable
  @inline(__always)
  mutating func receive(_ value: Element) -> Answer {
    downstream.receive(value)
  }

  @inlinable
  @inline(__always)
  mutating func end(_ end: End<Failure>) {
    downstream.end(end.mapFailure(transform))
  }
}
