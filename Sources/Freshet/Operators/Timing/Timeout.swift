extension Flow {
  /// Fails when nothing comes for too long.
  ///
  ///     source   -a-b-----c--|
  ///     result   -a-b---#        timeout(after: 4 ticks, on: scheduler) { .timedOut }
  ///
  /// The time runs from the subscription and again from each value. A value that
  /// comes at the very moment counts when it was sent before the timer came due.
  /// While the observer pauses the source is not to send anything, so the time stands
  /// still; it runs anew, in full, when the observer goes on.
  ///
  /// - Parameters:
  ///   - time: How long nothing may come. Must be positive.
  ///   - scheduler: Measures the time.
  ///   - failure: What to fail with.
  /// - Complexity: O(1) per value; one timer, which is moved and not made anew.
  @inlinable
  public func timeout(
    after time: Duration, on scheduler: any TimeScheduler,
    failure: @escaping @Sendable () -> Failure
  ) -> some Flow<Element, Failure> {
    precondition(time > .zero, "timeout(after:on:) needs a positive time")
    return Timeout(
      source: self, time: time, scheduler: scheduler,
      fallback: { Fail<Element, Failure>(failure()) })
  }

  /// Goes on with another flow when nothing comes for too long.
  ///
  ///     source   -a-b-----c--|
  ///     result   -a-b---(89|)     timeout(after: 4 ticks, on: scheduler, switchTo: [8, 9].flow)
  ///
  /// See ``timeout(after:on:failure:)``. The source is let go.
  @inlinable
  public func timeout<Other: Flow>(
    after time: Duration, on scheduler: any TimeScheduler, switchTo other: Other
  ) -> some Flow<Element, Failure> where Other.Element == Element, Other.Failure == Failure {
    precondition(time > .zero, "timeout(after:on:) needs a positive time")
    return Timeout(source: self, time: time, scheduler: scheduler, fallback: { other })
  }
}

/// The flow behind `timeout`.
@frozen
@usableFromInline
struct Timeout<Source: Flow, Fallback: Flow>: Flow
where Fallback.Element == Source.Element, Fallback.Failure == Source.Failure {
  @usableFromInline typealias Element = Source.Element
  @usableFromInline typealias Failure = Source.Failure
  @usableFromInline let source: Source
  @usableFromInline let time: Duration
  @usableFromInline let scheduler: any TimeScheduler
  @usableFromInline let fallback: @Sendable () -> Fallback

  @inlinable
  init(
    source: Source, time: Duration, scheduler: any TimeScheduler,
    fallback: @escaping @Sendable () -> Fallback
  ) {
    self.source = source
    self.time = time
    self.scheduler = scheduler
    self.fallback = fallback
  }

  @inlinable
  @inline(__always)
  @discardableResult
  func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    let kernel = Kernel(
      rule: TimeoutRule(time: time, fallback: fallback), observer: observer, sources: 2,
      scheduler: scheduler)
    kernel.begin()
    // The clock starts before the source does.
    kernel.open(Just(()), at: Port(1), value: { _ in .begin }, end: { _ in .begun })
    kernel.open(source, at: Port(0), value: { .value($0) }, end: { .end($0) })
    return kernel
  }
}

/// Watches the distance between values.
@frozen
@usableFromInline
struct TimeoutRule<Fallback: Flow>: Rule {
  @usableFromInline typealias Output = Fallback.Element
  @usableFromInline typealias Failure = Fallback.Failure
  @usableFromInline typealias Inner = Fallback

  @usableFromInline
  enum Input: Sendable {
    case begin
    case begun
    case value(Fallback.Element)
    case end(End<Fallback.Failure>)
  }

  @usableFromInline let time: Duration
  @usableFromInline let fallback: @Sendable () -> Fallback
  @usableFromInline var due = Moment.zero

  /// The time came due while the observer paused; there is no timer.
  @usableFromInline var standsStill = false

  @inlinable
  init(time: Duration, fallback: @escaping @Sendable () -> Fallback) {
    self.time = time
    self.fallback = fallback
  }

  @inlinable static var needsTime: Bool { true }
  @inlinable static var watchesPauses: Bool { true }

  @inlinable
  @inline(__always)
  mutating func advance(_ input: Input, from port: Port, into out: inout Outbox<Self>) {
    switch input {
    case .begin:
      due = out.now + time
      out.wake(at: due)
    case .begun:
      break
    case .value(let value):
      due = out.now + time
      out.emit(value)
    case .end(let end):
      out.end(end)
    }
  }

  @inlinable
  mutating func resumed(into out: inout Outbox<Self>) {
    due = out.now + time
    guard standsStill else { return }  // A timer is running, for an earlier moment.
    standsStill = false
    out.wake(at: due)
  }

  @inlinable
  mutating func wake(into out: inout Outbox<Self>) {
    guard !out.isObserverPaused else {
      standsStill = true
      return
    }
    guard out.now >= due else {
      out.wake(at: due)
      return
    }
    out.dispose(Port(0))
    _ = out.subscribe(fallback())
  }

  @inlinable static func input(value: Fallback.Element) -> Input { .value(value) }
  @inlinable static func input(end: End<Fallback.Failure>) -> Input { .end(end) }
}
