extension Flow {
  /// Sends at most one value per period.
  ///
  ///     source     -a-xy-----b--x--cxxx--|
  ///     both       -a---y----b---x---x---(x|)     for: 4 ticks
  ///     leading    -a--------b-----c-----|        trailing: false
  ///     trailing   -----y--------x---x---(x|)     leading: false
  ///
  /// A value that comes outside a period begins one; with `leading` it is sent at
  /// once. With `trailing` the latest value that came within a period is sent
  /// when the period is over, and begins the next. One that comes at the very end
  /// takes the place of one that waits; when none waits it begins a period. A value
  /// that waits when the source finishes is sent first; a failure drops it.
  ///
  /// - Parameters:
  ///   - period: How long a period lasts. Must be positive.
  ///   - scheduler: Measures the time and, as a rule, delivers. When the source sends at that
  ///     very moment its thread delivers; for a fixed place add `observe(on:)`.
  ///   - leading: Whether the value that begins a period is sent at once.
  ///   - trailing: Whether the latest value of a period is sent at its end.
  /// - Complexity: O(1) per value; holds one value and one timer.
  @inlinable
  public func throttle(
    for period: Duration, on scheduler: any TimeScheduler, leading: Bool = true,
    trailing: Bool = true
  ) -> some Flow<Element, Failure> {
    precondition(period > .zero, "throttle(for:on:) needs a positive period")
    precondition(leading || trailing, "throttle that sends neither first nor last sends nothing")
    return Throttle(
      source: self, period: period, leading: leading, trailing: trailing, scheduler: scheduler)
  }
}

/// The flow behind `throttle(for:on:leading:trailing:)`.
@frozen
@usableFromInline
struct Throttle<Source: Flow>: Flow {
  @usableFromInline typealias Element = Source.Element
  @usableFromInline typealias Failure = Source.Failure
  @usableFromInline let source: Source
  @usableFromInline let period: Duration
  @usableFromInline let leading: Bool
  @usableFromInline let trailing: Bool
  @usableFromInline let scheduler: any TimeScheduler

  @inlinable
  init(
    source: Source, period: Duration, leading: Bool, trailing: Bool, scheduler: any TimeScheduler
  ) {
    self.source = source
    self.period = period
    self.leading = leading
    self.trailing = trailing
    self.scheduler = scheduler
  }

  @inlinable
  @inline(__always)
  @discardableResult
  func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    let kernel = Kernel(
      rule: ThrottleRule<Element, Failure>(
        period: period, leading: leading, trailing: trailing), observer: observer, sources: 1,
      scheduler: scheduler)
    kernel.begin()
    kernel.open(source, at: Port(0), value: { .value($0) }, end: { .end($0) })
    return kernel
  }
}

/// Holds the latest value of the running period.
///
/// Invariant: while `isTimerSet`, a timer for `periodEnd` or earlier is running.
@frozen
@usableFromInline
struct ThrottleRule<Element: Sendable, Failure: Error>: Rule {
  @usableFromInline typealias Output = Element
  @usableFromInline typealias Inner = NoInner

  @usableFromInline
  enum Input: Sendable {
    case value(Element)
    case end(End<Failure>)
  }

  @usableFromInline let period: Duration
  @usableFromInline let leading: Bool
  @usableFromInline let trailing: Bool
  @usableFromInline var periodEnd: Moment?
  @usableFromInline var waiting: Element?
  @usableFromInline var isTimerSet = false

  @inlinable
  init(period: Duration, leading: Bool, trailing: Bool) {
    self.period = period
    self.leading = leading
    self.trailing = trailing
  }

  @inlinable static var needsTime: Bool { true }

  @inlinable
  @inline(__always)
  mutating func advance(_ input: Input, from port: Port, into out: inout Outbox<Self>) {
    switch input {
    case .value(let value):
      // While a value waits its period is not over before the timer has come due.
      if let end = periodEnd, out.now < end || waiting != nil {
        if trailing { hold(value, until: end, &out) }
      } else {
        // A period whose end nobody waited for is over without a timer.
        let end = out.now + period
        periodEnd = end
        if leading { out.emit(value) } else { hold(value, until: end, &out) }
      }
    case .end(let end):
      if case .finished = end, let value = waiting { out.emit(value) }
      waiting = nil
      out.end(end)
    }
  }

  @inlinable
  mutating func hold(_ value: Element, until end: Moment, _ out: inout Outbox<Self>) {
    waiting = value
    if !isTimerSet {
      isTimerSet = true
      out.wake(at: end)
    }
  }

  @inlinable
  mutating func wake(into out: inout Outbox<Self>) {
    isTimerSet = false
    guard let value = waiting, let end = periodEnd else { return }
    if out.now < end {
      hold(value, until: end, &out)
      return
    }
    waiting = nil
    periodEnd = out.now + period
    out.emit(value)
  }
}
