extension Flow {
  /// Sends each value together with the one before.
  ///
  ///     source   1--2------3------|
  ///     result   ---p------q------|     p=1,2 q=2,3
  ///
  /// A source of fewer than two values gives none. The end passes through
  /// unchanged. State is per subscription.
  ///
  /// - Complexity: O(1) per value; holds one value.
  @_transparent
  public func pairwise() -> Pairwise<Self> {
    Pairwise(source: self)
  }
}

/// The flow behind `pairwise()`.
@frozen
public struct Pairwise<Source: Flow>: Flow {
  /// A value and the one before it.
  public typealias Element = (previous: Source.Element, current: Source.Element)

  /// The source's failure.
  public typealias Failure = Source.Failure
  @usableFromInline let source: Source

  @_transparent
  @usableFromInline
  init(source: Source) {
    self.source = source
  }

  /// Subscribes to the source; each observer has a previous value of its own.
  @_transparent
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    source.subscribe(PairwiseObserver(downstream: observer))
  }
}

@frozen
@usableFromInline
struct PairwiseObserver<Element: Sendable, Downstream: Observer>: Observer
where Downstream.Element == (previous: Element, current: Element) {
  @usableFromInline typealias Failure = Downstream.Failure
  @usableFromInline var downstream: Downstream
  @usableFromInline var last: Element?

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
    guard let previous = exchange(&last, for: value) else { return .more }
    return downstream.receive((previous: previous, current: value))
  }

  @inlinable
  @inline(__always)
  mutating func end(_ end: End<Failure>) {
    downstream.end(end)
  }
}
