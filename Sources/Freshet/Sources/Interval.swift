/// A flow that counts periods, without end.
///
///     result   --0--1--2--3     Interval(every: 3 ticks, on: scheduler)
///
/// Each subscription counts by itself. Ticks keep to the times that the first
/// one set, without drift. When the observer or the machine was busy or asleep
/// for longer than a period the missed ticks are left out of time, not of the
/// count: the next tick is on the beat and its number says how many periods
/// have passed. Ticks that fall into a pause of the observer are left out likewise.
@frozen
public struct Interval: Flow {
  /// How many periods had passed before this one.
  public typealias Element = Int

  /// It cannot fail.
  public typealias Failure = Never
  @usableFromInline let period: Duration
  @usableFromInline let scheduler: any TimeScheduler

  /// Makes a flow that ticks.
  ///
  /// - Parameters:
  ///   - period: The time between ticks and before the first. Must be positive.
  ///   - scheduler: Measures the time and delivers.
  @inlinable
  public init(every period: Duration, on scheduler: any TimeScheduler) {
    precondition(period > .zero, "Interval(every:on:) needs a positive period")
    self.period = period
    self.scheduler = scheduler
  }

  /// Starts to count the periods for one observer.
  ///
  /// The first tick is one period from now.
  @inlinable
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    let kernel = Kernel(
      rule: IntervalRule(period: period), observer: observer, sources: 1, scheduler: scheduler)
    kernel.begin()
    kernel.open(Just(()), at: Port(0), value: { .begin }, end: { _ in .begun })
    return kernel
  }
}

/// Sets the timer again and again.
@frozen
@usableFromInline
struct IntervalRule: Rule {
  @usableFromInline typealias Output = Int
  @usableFromInline typealias Failure = Never
  @usableFromInline typealias Inner = NoInner

  @usableFromInline
  enum Input: Sendable {
    case begin
    case begun
  }

  @usableFromInline let period: Duration
  @usableFromInline var count = 0
  @usableFromInline var due = Moment.zero

  @inlinable
  init(period: Duration) {
    self.period = period
  }

  @inlinable static var needsTime: Bool { true }

  @inlinable
  mutating func advance(_ input: Input, from port: Port, into out: inout Outbox<Self>) {
    guard case .begin = input else { return }
    due = out.now + period
    out.wake(at: due)
  }

  @inlinable
  mutating func wake(into out: inout Outbox<Self>) {
    let late = out.now - due
    if late >= period {
      // The quotient is a floating-point number: it may be off by one at a whole number.
      var missed = Int(late / period)
      while period * missed > late { missed -= 1 }
      while period * (missed + 1) <= late { missed += 1 }
      count += missed
      due = due + period * missed
    }
    if !out.isObserverPaused { out.emit(count) }
    count += 1
    due = due + period
    out.wake(at: due)
  }
}
