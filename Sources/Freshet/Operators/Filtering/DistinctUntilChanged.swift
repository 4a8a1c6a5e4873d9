extension Flow {
  /// Leaves out values that count as the same as the last one sent.
  ///
  ///     source   1--1--2--1--|
  ///     result   1-----2--1--|
  ///
  /// A value is compared with the last value *sent*, so that a tolerance adds
  /// up: with `abs($0 - $1) <= 1` the values 1, 2, 3, 4 give 1, 3. The end
  /// passes through unchanged. State is per subscription.
  ///
  /// - Parameter isSame: Compares the last value sent with the new one.
  /// - Complexity: O(1) per value.
  @_transparent
  public func distinctUntilChanged(
    by isSame: @escaping @Sendable (Element, Element) -> Bool
  ) -> DistinctUntilChanged<Self> {
    DistinctUntilChanged(source: self, isSame: isSame)
  }
}

extension Flow where Element: Equatable {
  /// Leaves out values that equal the last one sent.
  ///
  ///     source   1--1--2--1--|
  ///     result   1-----2--1--|
  ///
  /// A value that does not equal itself, such as NaN, always passes.
  ///
  /// - Complexity: O(1) per value.
  @_transparent
  public func distinctUntilChanged() -> DistinctUntilChanged<Self> {
    distinctUntilChanged(by: { $0 == $1 })
  }
}

/// The flow behind `distinctUntilChanged(by:)`.
@frozen
public struct DistinctUntilChanged<Source: Flow>: Flow {
  /// The source's values.
  public typealias Element = Source.Element

  /// The source's failure.
  public typealias Failure = Source.Failure
  @usableFromInline let source: Source
  @usableFromInline let isSame: @Sendable (Element, Element) -> Bool

  @_transparent
  @usableFromInline
  init(source: Source, isSame: @escaping @Sendable (Element, Element) -> Bool) {
    self.source = source
    self.isSame = isSame
  }

  /// Subscribes to the source; each observer has a last value of its own.
  @_transparent
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    source.subscribe(DistinctObserver(downstream: observer, isSame: isSame))
  }
}

@frozen
@usableFromInline
struct DistinctObserver<Downstream: Observer>: Observer {
  @usableFromInline typealias Element = Downstream.Element
  @usableFromInline typealias Failure = Downstream.Failure
  @usableFromInline var downstream: Downstream
  @usableFromInline let isSame: @Sendable (Element, Element) -> Bool
  @usableFromInline var last: Element?

  @inlinable
  init(downstream: Downstream, isSame: @escaping @Sendable (Element, Element) -> Bool) {
    self.downstream = downstream
    self.isSame = isSame
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
    if let last, isSame(last, value) { return .more }
    last = value
    return downstream.receive(value)
  }

  @inlinable
  @inline(__always)
  mutating func end(_ end: End<Failure>) {
    downstream.end(end)
  }
}
