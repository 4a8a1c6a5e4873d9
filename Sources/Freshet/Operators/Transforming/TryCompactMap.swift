extension Flow {
  /// Turns values into others, drops those that have none, or fails.
  ///
  ///     source   1--2--y--x--3--|
  ///     result   1--2-----#           tryCompactMap { try numberIfAny($0) }
  ///
  /// A thrown failure stops the source, then fails the result. The source's own
  /// end passes through unchanged.
  ///
  /// - Parameter transform: Called once per value, where the value arrives.
  /// - Complexity: O(1) per value; adjacent ones become one closure.
  @_transparent
  public func tryCompactMap<Result: Sendable>(
    _ transform: @escaping @Sendable (Element) throws(Failure) -> Result?
  ) -> TryCompactMap<Self, Result> {
    TryCompactMap(source: self, transform: transform)
  }
}

extension Flow where Failure == Never {
  /// Turns values into others, drops those that have none, or fails.
  ///
  ///     source   1--2--y--x--3--|
  ///     result   1--2-----#           tryCompactMap { try numberIfAny($0) }
  ///
  /// A thrown failure stops the source, then fails the result. The source's own
  /// end passes through unchanged.
  /// The failure type is what the closure declares to throw; a closure that does
  /// not say fails with `any Error`.
  ///
  /// - Parameter transform: Called once per value, where the value arrives.
  /// - Complexity: O(1) per value; adjacent ones become one closure.
  @_transparent
  public func tryCompactMap<Result: Sendable, Thrown: Error>(
    _ transform: @escaping @Sendable (Element) throws(Thrown) -> Result?
  ) -> TryCompactMap<PromoteFailure<Self, Thrown>, Result> {
    TryCompactMap(source: promoteFailure(to: Thrown.self), transform: transform)
  }
}

/// The flow behind `tryMap(_:)`, `tryFilter(_:)` and `tryCompactMap(_:)`.
@frozen
public struct TryCompactMap<Source: Flow, Element: Sendable>: Flow {
  /// The source's failure.
  public typealias Failure = Source.Failure
  @usableFromInline let source: Source
  @usableFromInline let transform: @Sendable (Source.Element) throws(Source.Failure) -> Element?

  @_transparent
  @usableFromInline
  init(
    source: Source,
    transform: @escaping @Sendable (Source.Element) throws(Source.Failure) -> Element?
  ) {
    self.source = source
    self.transform = transform
  }

  /// Subscribes to the source, with the transform in front of the observer.
  @_transparent
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    source.subscribe(TryObserver(downstream: observer, transform: transform))
  }

  /// Connects an observer through one closure, made of this step and the ones after it.
  @_transparent
  @discardableResult
  public func subscribe<O: Observer>(
    _ observer: O, through next: @escaping @Sendable (Element) -> O.Element?
  ) -> Subscription where O.Failure == Failure {
    let transform = transform
    return source.subscribe(
      TryObserver(downstream: observer) { value throws(Failure) in
        try transform(value).flatMap(next)
      })
  }
}

@frozen
@usableFromInline
struct TryObserver<Element: Sendable, Downstream: Observer>: Observer {
  @usableFromInline typealias Failure = Downstream.Failure
  @usableFromInline var downstream: Downstream
  @usableFromInline let transform:
    @Sendable (Element) throws(Downstream.Failure) -> Downstream.Element?
  @usableFromInline var subscription: Subscription?

  @inlinable
  @inline(__always)
  init(
    downstream: Downstream,
    transform: @escaping @Sendable (Element) throws(Downstream.Failure) -> Downstream.Element?
  ) {
    self.downstream = downstream
    self.transform = transform
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
    do throws(Failure) {
      guard let result = try transform(value) else { return .more }
      return downstream.receive(result)
    } catch {
      if subscription.stop() { downstream.end(.failed(error)) }
      return .stop
    }
  }

  @inlinable
  @inline(__always)
  mutating func end(_ end: End<Failure>) {
    guard subscription != nil else { return }
    subscription = nil
    downstream.end(end)
  }
}

extension TryCompactMap {
  /// Adds one more step that may fail to those before, as one closure.
  ///
  ///     tryMap { try number($0) }.tryCompactMap { try halfIfAny($0) }
  ///
  /// - Complexity: O(1) per value.
  @_transparent
  public func tryCompactMap<Result: Sendable>(
    _ transform: @escaping @Sendable (Element) throws(Failure) -> Result?
  ) -> TryCompactMap<Source, Result> {
    let first = self.transform
    return TryCompactMap<Source, Result>(source: source) { value throws(Failure) in
      guard let value = try first(value) else { return nil }
      return try transform(value)
    }
  }
}
