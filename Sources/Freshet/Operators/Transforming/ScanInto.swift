extension Flow {
  /// Folds the values in place and sends each intermediate result.
  ///
  ///     source   1-----2-----3------|
  ///     result   p-----q-----r------|     scan(into: []) { $0.append($1) }
  ///              p=[1] q=[1,2] r=[1,2,3]
  ///
  /// The first result itself is not sent; an empty source gives an empty
  /// result. The end passes through unchanged. State is per subscription. An
  /// observer that keeps a result makes the next step copy it.
  ///
  /// - Parameters:
  ///   - initial: What the first value is put into.
  ///   - step: Puts a value into the result so far.
  /// - Complexity: O(1) per value, besides the step.
  @_transparent
  public func scan<Result: Sendable>(
    into initial: Result, _ step: @escaping @Sendable (inout Result, Element) -> Void
  ) -> ScanInto<Self, Result> {
    ScanInto(source: self, initial: initial, step: step)
  }
}

/// The flow behind `scan(into:_:)`.
@frozen
public struct ScanInto<Source: Flow, Element: Sendable>: Flow {
  /// The source's failure.
  public typealias Failure = Source.Failure
  @usableFromInline let source: Source
  @usableFromInline let initial: Element
  @usableFromInline let step: @Sendable (inout Element, Source.Element) -> Void

  @_transparent
  @usableFromInline
  init(
    source: Source,
    initial: Element,
    step: @escaping @Sendable (inout Element, Source.Element) -> Void
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
    source.subscribe(ScanIntoObserver(downstream: observer, result: initial, step: step))
  }
}

@frozen
@usableFromInline
struct ScanIntoObserver<Element: Sendable, Downstream: Observer>: Observer {
  @usableFromInline typealias Failure = Downstream.Failure
  @usableFromInline var downstream: Downstream
  @usableFromInline var result: Downstream.Element
  @usableFromInline let step: @Sendable (inout Downstream.Element, Element) -> Void

  @inlinable
  @inline(__always)
  init(
    downstream: Downstream,
    result: Downstream.Element,
    step: @escaping @Sendable (inout Downstream.Element, Element) -> Void
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
    step(&result, value)
    return downstream.receive(result)
  }

  @inlinable
  @inline(__always)
  mutating func end(_ end: End<Failure>) {
    downstream.end(end)
  }
}
