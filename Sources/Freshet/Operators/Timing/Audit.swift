extension Flow {
  /// Waits a while after a value and then sends the latest.
  ///
  ///     source   a-b-c------d--|
  ///     result   ---b---c------(d|)     audit(for: 3 ticks, on: scheduler)
  ///
  /// It is ``throttle(for:on:leading:trailing:)`` with only the trailing value,
  /// but for what follows: the next wait begins with the next value. A value
  /// that waits when the source finishes is sent first; a failure drops it.
  ///
  /// - Parameters:
  ///   - time: How long to wait. Must be positive.
  ///   - scheduler: Measures the time and, as a rule, delivers. When the source sends at that
  ///     very moment its thread delivers; for a fixed place add `observe(on:)`.
  /// - Complexity: O(1) per value; holds one value and one timer.
  @inlinable
  public func audit(
    for time: Duration, on scheduler: any TimeScheduler
  ) -> some Flow<Element, Failure> {
    precondition(time > .zero, "audit(for:on:) needs a positive time")
    return Audit(source: self, time: time, scheduler: scheduler)
  }
}

/// The flow behind `audit(for:on:)`.
@frozen
@usableFromInline
struct Audit<Source: Flow>: Flow {
  @usableFromInline typealias Element = Source.Element
  @usableFromInline typealias Failure = Source.Failure
  @usableFromInline let source: Source
  @usableFromInline let time: Duration
  @usableFromInline let scheduler: any TimeScheduler

  @inlinable
  init(source: Source, time: Duration, scheduler: any TimeScheduler) {
    self.source = source
    self.time = time
    self.scheduler = scheduler
  }

  @inlinable
  @inline(__always)
  @discardableResult
  func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    let kernel = Kernel(
      rule: AuditRule<Element, Failure>(time: time), observer: observer, sources: 1,
      scheduler: scheduler)
    kernel.begin()
    kernel.open(source, at: Port(0), value: { .value($0) }, end: { .end($0) })
    return kernel
  }
}

/// Holds the latest value until the wait that its first began is over.
@frozen
@usableFromInline
struct AuditRule<Element: Sendable, Failure: Error>: Rule {
  @usableFromInline typealias Output = Element
  @usableFromInline typealias Inner = NoInner

  @usableFromInline
  enum Input: Sendable {
    case value(Element)
    case end(End<Failure>)
  }

  @usableFromInline let time: Duration
  @usableFromInline var latest: Element?

  @inlinable
  init(time: Duration) {
    self.time = time
  }

  @inlinable static var needsTime: Bool { true }

  @inlinable
  mutating func advance(_ input: Input, from port: Port, into out: inout Outbox<Self>) {
    switch input {
    case .value(let value):
      if latest == nil { out.wake(at: out.now + time) }
      latest = value
    case .end(let end):
      if case .finished = end, let value = latest { out.emit(value) }
      latest = nil
      out.end(end)
    }
  }

  @inlinable
  mutating func wake(into out: inout Outbox<Self>) {
    if let value = exchange(&latest, for: nil) { out.emit(value) }
  }
}
