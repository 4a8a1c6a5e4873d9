extension Flow {
  /// Finishes where the source fails.
  ///
  ///     source   1--2--#
  ///     result   1--2--|
  ///
  /// The result cannot fail. The failure is lost: look at it with
  /// ``tap(onStart:onValue:onEnd:)`` before, if it matters.
  ///
  /// - Complexity: free for values.
  @_transparent
  public func ignoreFailure() -> IgnoreFailure<Self> {
    IgnoreFailure(source: self)
  }
}

/// The flow behind `ignoreFailure()`.
@frozen
public struct IgnoreFailure<Source: Flow>: Flow {
  /// The source's values.
  public typealias Element = Source.Element

  /// It cannot fail: a finish takes the place of the failure.
  public typealias Failure = Never
  @usableFromInline let source: Source

  @_transparent
  @usableFromInline
  init(source: Source) {
    self.source = source
  }

  /// Subscribes to the source, whose failure becomes a finish.
  @_transparent
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    source.subscribe(IgnoreFailureObserver<Source.Failure, O>(downstream: observer))
  }

  /// Hands the steps after it to the source, which makes them one closure with its own.
  @_transparent
  @discardableResult
  public func subscribe<O: Observer>(
    _ observer: O, through next: @escaping @Sendable (Element) -> O.Element?
  ) -> Subscription where O.Failure == Failure {
    source.subscribe(IgnoreFailureObserver<Source.Failure, O>(downstream: observer), through: next)
  }
}

@frozen
@usableFromInline
struct IgnoreFailureObserver<Failure: Error, Downstream: Observer>: Observer
where Downstream.Failure == Never {
  @usableFromInline typealias Element = Downstream.Element
  @usableFromInline var downstream: Downstream

  @inlinable
  @inline(__always)
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
  mutating func end(_ end: End<Failure>) {
    downstream.end(.finished)
  }
}
