extension Flow where Failure == Never {
  /// Gives a flow that cannot fail a failure type, to combine it with flows that can.
  ///
  ///     source   1--2--|
  ///     result   1--2--|     promoteFailure(to: Problem.self)
  ///
  /// - Complexity: free.
  @inlinable
  public func promoteFailure<Failure: Error>(
    to type: Failure.Type = Failure.self
  ) -> PromoteFailure<Self, Failure> {
    PromoteFailure(source: self)
  }
}

/// The flow behind `promoteFailure(to:)`.
@frozen
public struct PromoteFailure<Source: Flow, Failure: Error>: Flow where Source.Failure == Never {
  /// The source's values.
  public typealias Element = Source.Element
  @usableFromInline let source: Source

  @inlinable
  init(source: Source) {
    self.source = source
  }

  /// Subscribes to the source, for an observer that could take a failure.
  @_transparent
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    source.subscribe(PromoteObserver(downstream: observer))
  }

  /// Hands the steps after it to the source, which makes them one closure with its own.
  @_transparent
  @discardableResult
  public func subscribe<O: Observer>(
    _ observer: O, through next: @escaping @Sendable (Element) -> O.Element?
  ) -> Subscription where O.Failure == Failure {
    source.subscribe(PromoteObserver(downstream: observer), through: next)
  }
}

@frozen
@usableFromInline
struct PromoteObserver<Downstream: Observer>: Observer {
  @usableFromInline typealias Element = Downstream.Element
  @usableFromInline typealias Failure = Never
  @usableFromInline var downstream: Downstream

  @inlinable
  init(downstream: Downstream) {
    self.downstream = downstream
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
  mutating func end(_ end: End<Never>) {
    downstream.end(.finished)
  }
}
