extension Flow where Failure == Never {
  /// Turns events back into values and an end.
  ///
  ///     source   p-----q-----r-----s-----|     p=value(1) q=value(2) r=end(failed) s=value(3)
  ///     result   1-----2-----#
  ///
  /// The first end event stops the source, then ends the result. A source that
  /// finishes without one finishes the result.
  ///
  /// - Complexity: O(1) per value.
  @_transparent
  public func dematerialize<Value: Sendable, Problem: Error>()
    -> Dematerialize<Self, Value, Problem> where Element == Event<Value, Problem>
  {
    Dematerialize(source: self)
  }
}

/// The flow behind `dematerialize()`.
@frozen
public struct Dematerialize<Source: Flow, Element: Sendable, Failure: Error>: Flow
where Source.Element == Event<Element, Failure>, Source.Failure == Never {
  @usableFromInline let source: Source

  @_transparent
  @usableFromInline
  init(source: Source) {
    self.source = source
  }

  /// Subscribes to the source, whose values become values and an end.
  @_transparent
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    source.subscribe(DematerializeObserver(downstream: observer))
  }
}

@frozen
@usableFromInline
struct DematerializeObserver<Downstream: Observer>: Observer {
  @usableFromInline typealias Element = Event<Downstream.Element, Downstream.Failure>
  @usableFromInline typealias Failure = Never
  @usableFromInline var downstream: Downstream
  @usableFromInline var subscription: Subscription?

  @inlinable
  @inline(__always)
  init(downstream: Downstream) {
    self.downstream = downstream
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
    switch value {
    case .value(let value):
      return downstream.receive(value)
    case .end(let end):
      if subscription.stop() { downstream.end(end) }
      return .stop
    }
  }

  @inlinable
  @inline(__always)
  mutating func end(_ end: End<Never>) {
    guard subscription != nil else { return }
    subscription = nil
    downstream.end(.finished)
  }
}
