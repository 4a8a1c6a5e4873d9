extension Flow {
  /// Lets values through as long as they pass a test, then finishes and stops the source.
  ///
  ///     source     1--2--3--1--|
  ///     result     1--2--|           takeWhile { $0 < 3 }
  ///     inclusive  1--2--(3|)        takeWhile(inclusive: true) { $0 < 3 }
  ///
  /// The source is stopped before the result finishes. When the source ends
  /// earlier, its end passes through.
  ///
  /// - Parameters:
  ///   - isInclusive: Whether the first value that does not pass is sent too.
  ///   - condition: Called once per value, until it is false.
  /// - Complexity: O(1) per value.
  @_transparent
  public func takeWhile(
    inclusive isInclusive: Bool = false, _ condition: @escaping @Sendable (Element) -> Bool
  ) -> TakeWhile<Self> {
    TakeWhile(source: self, isInclusive: isInclusive, condition: condition)
  }
}

/// The flow behind `takeWhile(inclusive:_:)`.
@frozen
public struct TakeWhile<Source: Flow>: Flow {
  /// The source's values.
  public typealias Element = Source.Element

  /// The source's failure.
  public typealias Failure = Source.Failure
  @usableFromInline let source: Source
  @usableFromInline let isInclusive: Bool
  @usableFromInline let condition: @Sendable (Element) -> Bool

  @_transparent
  @usableFromInline
  init(source: Source, isInclusive: Bool, condition: @escaping @Sendable (Element) -> Bool) {
    self.source = source
    self.isInclusive = isInclusive
    self.condition = condition
  }

  /// Subscribes to the source, until a value does not pass the test.
  @_transparent
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    source.subscribe(
      TakeWhileObserver(downstream: observer, isInclusive: isInclusive, condition: condition))
  }
}

@frozen
@usableFromInline
struct TakeWhileObserver<Downstream: Observer>: Observer {
  @usableFromInline typealias Element = Downstream.Element
  @usableFromInline typealias Failure = Downstream.Failure
  @usableFromInline var downstream: Downstream
  @usableFromInline let isInclusive: Bool
  @usableFromInline let condition: @Sendable (Element) -> Bool
  @usableFromInline var subscription: Subscription?

  @inlinable
  @inline(__always)
  init(
    downstream: Downstream, isInclusive: Bool, condition: @escaping @Sendable (Element) -> Bool
  ) {
    self.downstream = downstream
    self.isInclusive = isInclusive
    self.condition = condition
  }

  @inlinable static var mayPause: Bool { Downstream.mayPause }

  @inlinable
  @inline(__always)
  mutating func start(_ subscription: Subscription) {
    guard self.subscription == nil else {
      subscription.dispose()  // A second source for one observer: the first one lives.
      return
    }
    self.subscription = subscription
    downstream.start(subscription)
  }

  @inlinable
  @inline(__always)
  mutating func receive(_ value: Element) -> Answer {
    guard subscription != nil else { return .stop }
    if condition(value) { return downstream.receive(value) }
    if isInclusive, downstream.receive(value) == .stop { return .stop }
    if subscription.stop() { downstream.end(.finished) }
    return .stop
  }

  @inlinable
  @inline(__always)
  mutating func end(_ end: End<Failure>) {
    guard subscription != nil else { return }
    subscription = nil
    downstream.end(end)
  }
}
