extension Flow {
  /// Delivers values and end on a scheduler, in order.
  ///
  ///     source   1-2-3-|
  ///     result   -1-2-3-|     observe(on: queue)     a job of the queue begins a tick later
  ///
  /// There is one job on the scheduler at a time, so the order holds on a
  /// concurrent queue too, and neither a finish nor a failure overtakes a
  /// value. A source that was paused is resumed on the scheduler.
  ///
  /// - Parameters:
  ///   - scheduler: Where the observer is called.
  ///   - capacity: How many values may wait. At least one.
  ///   - overflow: What to do with more. By default the source is paused.
  /// - Complexity: O(1) per value; values that come together are delivered by one job.
  @inlinable
  public func observe(
    on scheduler: any Scheduler, capacity: Int = 256, overflow: Overflow<Failure> = .suspend
  ) -> ObserveOn<Self> {
    precondition(capacity > 0, "observe(on:) needs room for at least one value")
    return ObserveOn(source: self, scheduler: scheduler, capacity: capacity, overflow: overflow)
  }
}

/// The flow behind `observe(on:capacity:overflow:)`.
@frozen
public struct ObserveOn<Source: Flow>: Flow {
  /// The source's values.
  public typealias Element = Source.Element

  /// The source's failure.
  public typealias Failure = Source.Failure
  @usableFromInline let source: Source
  @usableFromInline let scheduler: any Scheduler
  @usableFromInline let capacity: Int
  @usableFromInline let overflow: Overflow<Failure>

  @inlinable
  init(
    source: Source, scheduler: any Scheduler, capacity: Int, overflow: Overflow<Failure>
  ) {
    self.source = source
    self.scheduler = scheduler
    self.capacity = capacity
    self.overflow = overflow
  }

  /// Subscribes to the source, with a queue in front of the observer.
  @inlinable
  @inline(__always)
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    let handoff = Handoff(
      observer: observer, scheduler: scheduler,
      mailbox: Mailbox(capacity: capacity, overflow: overflow))
    if handoff.begin() { source.subscribe(HandoffInlet(handoff: handoff)) }
    return handoff
  }
}
