extension Flow {
  /// Counts the values, from zero.
  ///
  ///     source   a------b------c------|
  ///     result   p------q------r------|     p=0,a q=1,b r=2,c
  ///
  /// The end passes through unchanged. The count is per subscription.
  ///
  /// - Complexity: O(1) per value.
  @_transparent
  public func enumerated() -> Enumerated<Self> {
    Enumerated(source: self)
  }
}

/// The flow behind `enumerated()`.
@frozen
public struct Enumerated<Source: Flow>: Flow {
  /// A value and how many came before it.
  public typealias Element = (offset: Int, element: Source.Element)

  /// The source's failure.
  public typealias Failure = Source.Failure
  @usableFromInline let source: Source

  @_transparent
  @usableFromInline
  init(source: Source) {
    self.source = source
  }

  /// Subscribes to the source; each observer has a count of its own.
  @_transparent
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    source.subscribe(EnumeratedObserver(downstream: observer))
  }
}

@frozen
@usableFromInline
struct EnumeratedObserver<Element: Sendable, Downstream: Observer>: Observer
where Downstream.Element == (offset: Int, element: Element) {
  @usableFromInline typealias Failure = Downstream.Failure
  @usableFromInline var downstream: Downstream
  @usableFromInline var offset = 0

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
    let here = offset
    offset = here + 1
    return downstream.receive((offset: here, element: value))
  }

  @inlinable
  @inline(__always)
  mutating func end(_ end: End<Failure>) {
    downstream.end(end)
  }
}
