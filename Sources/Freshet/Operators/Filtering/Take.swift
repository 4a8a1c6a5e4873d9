extension Flow {
  /// Lets the first values through, then finishes and stops the source.
  ///
  ///     source   1--2--3--4--|
  ///     result   1--(2|)         take(2)
  ///
  /// `take(0)` finishes at once and does not subscribe to the source. When the
  /// source ends earlier, its end passes through. The source is stopped before
  /// the result finishes.
  ///
  /// - Parameter count: How many values to let through. Not negative.
  /// - Complexity: O(1) per value.
  @inlinable
  public func take(_ count: Int) -> Take<Self> {
    precondition(count >= 0, "take(_:) needs a count that is not negative")
    return Take(source: self, count: count)
  }
}

/// The flow behind `take(_:)`.
@frozen
public struct Take<Source: Flow>: Flow {
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
  ///
  /// With a count of zero the observer is finished without a subscription.
  @inlinable
  @inline(__always)
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    guard count > 0 else { return subscribeToEnd(.finished, observer) }
    return source.subscribe(TakeObserver(downstream: observer, left: count))
  }
}

@frozen
@usableFromInline
struct TakeObserver<Downstream: Observer>: Observer {
  @usableFromInline typealias Element = Downstream.Element
  @usableFromInline typealias Failure = Downstream.Failure
  @usableFromInline var downstream: Downstream
  @usableFromInline var left: Int
  @usableFromInline var subscription: Subscription?

  @inlinable
  init(downstream: Downstream, left: Int) {
    self.downstream = downstream
    self.left = left
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
    guard left > 0 else { return .stop }
    left -= 1
    let answer = downstream.receive(value)
    guard left == 0, answer != .stop else { return answer }
    if subscription?.endEarly() == true { downstream.end(.finished) }
    return .stop
  }

  @inlinable
  @inline(__always)
  mutating func end(_ end: End<Failure>) {
    guard left > 0 else { return }
    left = 0
    downstream.end(end)
  }
}
