extension Flow {
  /// Leaves out the first values.
  ///
  ///     source   1--2--3--4--|
  ///     result   ------3--4--|     skip(2)
  ///
  /// The end passes through unchanged.
  ///
  /// - Parameter count: How many values to leave out. Not negative.
  /// - Complexity: O(1) per value.
  @inlinable
  public func skip(_ count: Int) -> Skip<Self> {
    precondition(count >= 0, "skip(_:) needs a count that is not negative")
    return Skip(source: self, count: count)
  }
}

/// The flow behind `skip(_:)`.
@frozen
public struct Skip<Source: Flow>: Flow {
  /// The source's values.
  public typealias Element = Source.Element

  /// The source's failure.
  public typealias Failure = Source.Failure
  @usableFromInline let source: Source
  @usableFromInline let count: Int

  @inlinable
  init(source: Source, count: Int) {
    self.source = source
    self.count = count
  }

  /// Subscribes to the source; each observer has a count of its own.
  @inlinable
  @inline(__always)
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    source.subscribe(SkipObserver(downstream: observer, left: count))
  }
}

@frozen
@usableFromInline
struct SkipObserver<Downstream: Observer>: Observer {
  @usableFromInline typealias Element = Downstream.Element
  @usableFromInline typealias Failure = Downstream.Failure
  @usableFromInline var downstream: Downstream
  @usableFromInline var left: Int

  @inlinable
  init(downstream: Downstream, left: Int) {
    self.downstream = downstream
    self.left = left
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
    guard left == 0 else {
      left -= 1
      return .more
    }
    return downstream.receive(value)
  }

  @inlinable
  @inline(__always)
  mutating func end(_ end: End<Failure>) {
    downstream.end(end)
  }
}
