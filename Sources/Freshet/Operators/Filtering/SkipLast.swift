extension Flow {
  /// Leaves out the last values.
  ///
  ///     source   1--2--3--4--|
  ///     result   ------1--2--|     skipLast(2)
  ///
  /// Each value is sent when `count` later ones have come. The end passes through
  /// at once. State is per subscription.
  ///
  /// - Parameter count: How many values to leave out. Not negative.
  /// - Complexity: O(1) per value; holds `count` values.
  @_transparent
  public func skipLast(_ count: Int) -> SkipLast<Self> {
    precondition(count >= 0, "skipLast(_:) needs a count that is not negative")
    return SkipLast(source: self, count: count)
  }
}

/// The flow behind `skipLast(_:)`.
@frozen
public struct SkipLast<Source: Flow>: Flow {
  /// The source's values.
  public typealias Element = Source.Element

  /// The source's failure.
  public typealias Failure = Source.Failure
  @usableFromInline let source: Source
  @usableFromInline let count: Int

  @_transparent
  @usableFromInline
  init(source: Source, count: Int) {
    self.source = source
    self.count = count
  }

  /// Subscribes to the source; each observer has a queue of its own.
  @_transparent
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    source.subscribe(SkipLastObserver(downstream: observer, held: Ring(limit: count)))
  }
}

@frozen
@usableFromInline
struct SkipLastObserver<Downstream: Observer>: Observer {
  @usableFromInline typealias Element = Downstream.Element
  @usableFromInline typealias Failure = Downstream.Failure
  @usableFromInline var downstream: Downstream
  @usableFromInline var held: Ring<Downstream.Element>

  @inlinable
  @inline(__always)
  init(downstream: Downstream, held: Ring<Downstream.Element>) {
    self.downstream = downstream
    self.held = held
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
    guard let first = held.push(value) else { return .more }
    return downstream.receive(first)
  }

  @inlinable
  @inline(__always)
  mutating func end(_ end: End<Failure>) {
    downstream.end(end)
  }
}
