extension Flow {
  /// Folds the values, sends each intermediate result, or fails.
  ///
  ///     source   1--2--x--3--|
  ///     result   1--3--#           tryScan(0) { try $0 + number($1) }
  ///
  /// The first result itself is not sent. A thrown failure stops the source, then
  /// fails the result. The source's own end passes through unchanged. State is per
  /// subscription.
  ///
  /// - Parameters:
  ///   - initial: What the first value is combined with.
  ///   - step: Combines the result so far with a value.
  /// - Complexity: O(1) per value.
  @_transparent
  public func tryScan<Result: Sendable>(
    _ initial: Result,
    _ step: @escaping @Sendable (Result, Element) throws(Failure) -> Result
  ) -> TryScan<Self, Result> {
    TryScan(source: self, initial: initial, step: step)
  }
}

extension Flow where Failure == Never {
  /// Folds the values, sends each intermediate result, or fails.
  ///
  ///     source   1--2--x--3--|
  ///     result   1--3--#           tryScan(0) { try $0 + number($1) }
  ///
  /// The first result itself is not sent. A thrown failure stops the source, then
  /// fails the result. The source's own end passes through unchanged. State is per
  /// subscription.
  /// The failure type is what the closure declares to throw; a closure that does
  /// not say fails with `any Error`.
  ///
  /// - Parameters:
  ///   - initial: What the first value is combined with.
  ///   - step: Combines the result so far with a value.
  /// - Complexity: O(1) per value.
  @_transparent
  public func tryScan<Result: Sendable, Thrown: Error>(
    _ initial: Result,
    _ step: @escaping @Sendable (Result, Element) throws(Thrown) -> Result
  ) -> TryScan<PromoteFailure<Self, Thrown>, Result> {
    TryScan(source: promoteFailure(to: Thrown.self), initial: initial, step: step)
  }
}

/// The flow behind `tryScan(_:_:)`.
@frozen
public struct TryScan<Source: Flow, Element: Sendable>: Flow {
  /// The source's failure.
  public typealias Failure = Source.Failure
  @usableFromInline let source: Source
  @usableFromInline let initial: Element
  @usableFromInline let step: @Sendable (Element, Source.Element) throws(Source.Failure) -> Element

  @_transparent
  @usableFromInline
  init(
    source: Source,
    initial: Element,
    step: @escaping @Sendable (Element, Source.Element) throws(Source.Failure) -> Element
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
    source.subscribe(TryScanObserver(downstream: observer, result: initial, step: step))
  }
}

@frozen
@usableFromInline
struct TryScanObserver<Element: Sendable, Downstream: Observer>: Observer {
  @usableFromInline typealias Failure = Downstream.Failure
  @usableFromInline var downstream: Downstream
  @usableFromInline var result: Downstream.Element
  @usableFromInline let step:
    @Sendable (Downstream.Element, Element) throws(Downstream.Failure) -> Downstream.Element
  @usableFromInline var subscription: Subscription?

  @inlinable
  @inline(__always)
  init(
    downstream: Downstream,
    result: Downstream.Element,
    step:
      @escaping @Sendable (Downstream.Element, Element) throws(Downstream.Failure) ->
      Downstream.Element
  ) {
    self.downstream = downstream
    self.result = result
    self.step = step
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
      result = try step(result, value)
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
