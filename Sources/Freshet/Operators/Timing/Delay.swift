extension Flow {
  /// Sends everything a while later.
  ///
  ///     source   a-b----|
  ///     result   --a-b----|     delay(for: 2 ticks)
  ///
  /// Distances are kept, and so is the distance of a finish. A failure passes at
  /// once and drops what is under way, unless `failFast` is false.
  ///
  /// - Parameters:
  ///   - time: How much later. Must be positive.
  ///   - scheduler: Measures the time and, as a rule, delivers. When the source sends at that
  ///     very moment its thread delivers; for a fixed place add `observe(on:)`.
  ///   - failFast: Whether a failure overtakes the values.
  /// - Complexity: O(1) per value; holds what came within the time, and one timer.
  @inlinable
  public func delay(
    for time: Duration, on scheduler: any TimeScheduler, failFast: Bool = true
  ) -> some Flow<Element, Failure> {
    precondition(time > .zero, "delay(for:on:) needs a positive time")
    return Delay(source: self, time: time, failFast: failFast, scheduler: scheduler)
  }

  /// Subscribes to the source a while later.
  ///
  ///     source     a-b-|
  ///     result   ---a-b-|     delaySubscription(for: 3 ticks)
  ///
  /// - Parameters:
  ///   - time: How much later. Must be positive.
  ///   - scheduler: Measures the time; the source is subscribed to there.
  /// - Complexity: O(1) per value.
  @inlinable
  public func delaySubscription(
    for time: Duration, on scheduler: any TimeScheduler
  ) -> some Flow<Element, Failure> {
    let source = self
    return Timer(after: time, on: scheduler).promoteFailure(to: Failure.self)
      .flatMap { _ in source }
  }
}

/// The flow behind `delay(for:on:failFast:)`.
@frozen
@usableFromInline
struct Delay<Source: Flow>: Flow {
  @usableFromInline typealias Element = Source.Element
  @usableFromInline typealias Failure = Source.Failure
  @usableFromInline let source: Source
  @usableFromInline let time: Duration
  @usableFromInline let failFast: Bool
  @usableFromInline let scheduler: any TimeScheduler

  @inlinable
  init(source: Source, time: Duration, failFast: Bool, scheduler: any TimeScheduler) {
    self.source = source
    self.time = time
    self.failFast = failFast
    self.scheduler = scheduler
  }

  @inlinable
  @inline(__always)
  @discardableResult
  func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    let kernel = Kernel(
      rule: DelayRule<Element, Failure>(time: time, failFast: failFast), observer: observer,
      sources: 1,
      scheduler: scheduler)
    kernel.begin()
    kernel.open(source, at: Port(0), value: { .value($0) }, end: { .end($0) })
    return kernel
  }
}

/// Holds what is under way, each with its time.
///
/// Invariant: a timer for the first of the queue is running exactly while the queue holds something.
@frozen
@usableFromInline
struct DelayRule<Element: Sendable, Failure: Error>: Rule {
  @usableFromInline typealias Output = Element
  @usableFromInline typealias Inner = NoInner

  @usableFromInline
  enum Input: Sendable {
    case value(Element)
    case end(End<Failure>)
  }

  @usableFromInline let time: Duration
  @usableFromInline let failFast: Bool
  @usableFromInline var queue = Queue<(due: Moment, input: Input)>()

  @inlinable
  init(time: Duration, failFast: Bool) {
    self.time = time
    self.failFast = failFast
  }

  @inlinable static var needsTime: Bool { true }

  @inlinable
  mutating func advance(_ input: Input, from port: Port, into out: inout Outbox<Self>) {
    if failFast, case .end(.failed(let failure)) = input {
      out.end(.failed(failure))
      return
    }
    if queue.isEmpty { out.wake(at: out.now + time) }
    queue.append((out.now + time, input))
  }

  @inlinable
  mutating func wake(into out: inout Outbox<Self>) {
    while let first = queue.first, first.due <= out.now {
      _ = queue.popFirst()
      switch first.input {
      case .value(let value): out.emit(value)
      case .end(let end): out.end(end)
      }
    }
    if let first = queue.first { out.wake(at: first.due) }
  }
}
