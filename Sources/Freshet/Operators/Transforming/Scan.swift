extension Flow {
  /// Folds the values and sends each intermediate result.
  ///
  ///     source   1--2--3--|
  ///     result   1--3--6--|     scan(0, +)
  ///
  /// The first result itself is not sent; an empty source gives an empty
  /// result. The end passes through unchanged. State is per subscription.
  ///
  /// - Parameters:
  ///   - initial: What the first value is combined with.
  ///   - step: Combines the result so far with a value.
  /// - Complexity: O(1) per value.
  @_transparent
  public func scan<Result: Sendable>(
    _ initial: Result, _ step: @escaping @Sendable (Result, Element) -> Result
  ) -> Scan<Self, Result> {
    Scan(source: self, initial: initial, step: step)
  }
}

/// The flow behind `scan(_:_:)`.
@frozen
public struct Scan<Source: Flow, Element: Sendable>: Flow {
  /// The source's failure.
  public typealias Failure = Source.Failure
  @usableFromInline let source: Source
  @usableFromInline let initial: Element
  @usableFromInline let step: @Sendable (Element, Source.Element) -> Element

  @_transparent
  @usableFromInline
  init(
    source: Source, initial: Element,
    step: @escaping @Sendable (Element, Source.Element) -> Element
  ) {
    self.source = source
    self.initial = initial
    self.step = step
  }

  /// Subscribes to the source; each observer has a state of its own.
  @_transparent
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    source.subscribe(ScanObserver(downstream: observer, result: initial, step: step))
  }
}

@frozen
@usableFromInline
struct ScanObserver<Element: Sendable, Downstream: Observer>: Observer {
  @usableFromInline typealias Failure = Downstream.Failure
  @usableFromInline var downstream: Downstream
  @usableFromInline var result: Downstream.Element
  @usableFromInline let step: @Sendable (Downstream.Element, Element) -> Downstream.Element

  @inlinable
  init(
    downstream: Downstream, result: Downstream.Element,
    step: @escaping @Sendable (Downstream.Element, Element) -> Downstream.Element
  ) {
    self.downstream = downstream
    self.result = result
    self.step = step
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
    result = step(result, value)
    return downstream.receive(result)
  }

  @inlinable
  @inline(__always)
  mutating func end(_ end: End<Failure>) {
    downstream.end(end)
  }
}
