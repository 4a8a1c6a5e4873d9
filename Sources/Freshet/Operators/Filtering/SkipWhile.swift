extension Flow {
  /// Leaves values out as long as they pass a test, and lets all others through.
  ///
  ///     source   1--2--3--1--|
  ///     result   ------3--1--|     skipWhile { $0 < 3 }
  ///
  /// The end passes through unchanged. State is per subscription.
  ///
  /// - Parameter condition: Called once per value, until it is false.
  /// - Complexity: O(1) per value.
  @_transparent
  public func skipWhile(
    _ condition: @escaping @Sendable (Element) -> Bool
  ) -> SkipWhile<Self> {
    SkipWhile(source: self, condition: condition)
  }
}

/// The flow behind `skipWhile(_:)`.
@frozen
public struct SkipWhile<Source: Flow>: Flow {
  /// The source's values.
  public typealias Element = Source.Element

  /// The source's failure.
  public typealias Failure = Source.Failure
  @usableFromInline let source: Source
  @usableFromInline let condition: @Sendable (Element) -> Bool

  @_transparent
  @usableFromInline
  init(source: Source, condition: @escaping @Sendable (Element) -> Bool) {
    self.source = source
    self.condition = condition
  }

  /// Subscribes to the source; values are left out anew for each observer.
  @_transparent
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    source.subscribe(SkipWhileObserver(downstream: observer, condition: condition))
  }
}

@frozen
@usableFromInline
struct SkipWhileObserver<Downstream: Observer>: Observer {
  @usableFromInline typealias Element = Downstream.Element
  @usableFromInline typealias Failure = Downstream.Failure
  @usableFromInline var downstream: Downstream
  @usableFromInline let condition: @Sendable (Element) -> Bool
  @usableFromInline var isOpen = false

  @inlinable
  @inline(__always)
  init(downstream: Downstream, condition: @escaping @Sendable (Element) -> Bool) {
    self.downstream = downstream
    self.condition = condition
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
    if !isOpen {
      if condition(value) { return .more }
      isOpen = true
    }
    return downstream.receive(value)
  }

  @inlinable
  @inline(__always)
  mutating func end(_ end: End<Failure>) {
    downstream.end(end)
  }
}
