extension Flow {
  /// Sends each value together with the time since the one before.
  ///
  ///     source   ---a------b------|
  ///     result   ---p------q------|     measureInterval(on: scheduler)   p=a,3 q=b,7
  ///
  /// The first interval starts with the subscription. The end passes through
  /// unchanged.
  ///
  /// - Parameter scheduler: Whose time is read.
  /// - Complexity: O(1) per value, and one look at the scheduler's clock.
  @_transparent
  public func measureInterval<Clock: TimeScheduler>(
    on scheduler: Clock
  ) -> MeasureInterval<Self, Clock> {
    MeasureInterval(source: self, scheduler: scheduler)
  }
}

/// The flow behind `measureInterval(on:)`.
@frozen
public struct MeasureInterval<Source: Flow, Clock: TimeScheduler>: Flow {
  /// A value and the time since the one before it.
  public typealias Element = (value: Source.Element, interval: Duration)

  /// The source's failure.
  public typealias Failure = Source.Failure
  @usableFromInline let source: Source
  @usableFromInline let scheduler: Clock

  @_transparent
  @usableFromInline
  init(source: Source, scheduler: Clock) {
    self.source = source
    self.scheduler = scheduler
  }

  /// Subscribes to the source and begins to measure.
  @_transparent
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    source.subscribe(MeasureIntervalObserver(downstream: observer, scheduler: scheduler))
  }
}

@frozen
@usableFromInline
struct MeasureIntervalObserver<Element: Sendable, Clock: TimeScheduler, Downstream: Observer>:
  Observer
where Downstream.Element == (value: Element, interval: Duration) {
  @usableFromInline typealias Failure = Downstream.Failure
  @usableFromInline var downstream: Downstream
  @usableFromInline let scheduler: Clock
  @usableFromInline var last: Moment?

  @inlinable
  @inline(__always)
  init(downstream: Downstream, scheduler: Clock) {
    self.downstream = downstream
    self.scheduler = scheduler
  }

  @inlinable static var mayPause: Bool { Downstream.mayPause }

  @inlinable
  @inline(__always)
  mutating func start(_ subscription: Subscription) {
    if last == nil { last = scheduler.now }
    downstream.start(subscription)
  }

  @inlinable
  @inline(__always)
  mutating func receive(_ value: Element) -> Answer {
    let now = scheduler.now
    let interval = now - (exchange(&last, for: now) ?? now)
    return downstream.receive((value: value, interval: interval))
  }

  @inlinable
  @inline(__always)
  mutating func end(_ end: End<Failure>) {
    downstream.end(end)
  }
}
