extension Flow {
  /// Sends a value once the source has stayed quiet for a while.
  ///
  ///     source   ab-c------|
  ///     result   ------c---|      for: 3 ticks
  ///
  /// Every new value replaces the one that waits and restarts the wait. A
  /// finishing source hands over the waiting value first; a failing source
  /// drops it and fails at once.
  ///
  /// - Parameters:
  ///   - quiet: How long the source must stay silent. Must be positive.
  ///   - scheduler: Measures the time and, as a rule, delivers. When the source sends at that
  ///     very moment its thread delivers; for a fixed place add `observe(on:)`.
  /// - Complexity: O(1) per value; holds one value and one timer, which is moved
  ///   and not made anew with each value.
  @inlinable
  public func debounce(
    for quiet: Duration, on scheduler: any TimeScheduler
  ) -> Debounce<Self> {
    precondition(quiet > .zero, "debounce(for:on:) needs a positive quiet period")
    return Debounce(source: self, quiet: quiet, scheduler: scheduler)
  }
}

/// The flow behind `debounce(for:on:)`.
@frozen
public struct Debounce<Source: Flow>: Flow {
  /// The source's values.
  public typealias Element = Source.Element

  /// The source's failure.
  public typealias Failure = Source.Failure
  @usableFromInline let source: Source
  @usableFromInline let quiet: Duration
  @usableFromInline let scheduler: any TimeScheduler

  @inlinable
  init(source: Source, quiet: Duration, scheduler: any TimeScheduler) {
    self.source = source
    self.quiet = quiet
    self.scheduler = scheduler
  }

  /// Subscribes to the source; each observer has a timer of its own.
  @inlinable
  @inline(__always)
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    let kernel = Kernel(
      rule: DebounceRule<Element, Failure>(quiet: quiet), observer: observer, sources: 1,
      scheduler: scheduler)
    kernel.begin()
    kernel.open(source, at: Port(0), value: { .value($0) }, end: { .end($0) })
    return kernel
  }
}

/// Holds the latest value until its time has come.
///
/// Invariant: a timer is running exactly while a value waits; it may be early.
@frozen
@usableFromInline
struct DebounceRule<Element: Sendable, Failure: Error>: Rule {
  @usableFromInline typealias Output = Element
  @usableFromInline typealias Inner = NoInner

  @usableFromInline
  enum Input: Sendable {
    case value(Element)
    case end(End<Failure>)
  }

  @usableFromInline let quiet: Duration
  @usableFromInline var waiting: Element?
  @usableFromInline var due = Moment.zero

  @inlinable
  init(quiet: Duration) {
    self.quiet = quiet
  }

  @inlinable static var needsTime: Bool { true }

  @inlinable
  @inline(__always)
  mutating func advance(_ input: Input, from port: Port, into out: inout Outbox<Self>) {
    switch input {
    case .value(let value):
      due = out.now + quiet
      if waiting == nil { out.wake(at: due) }
      waiting = value
    case .end(let end):
      if case .finished = end, let value = waiting { out.emit(value) }
      waiting = nil
      out.end(end)
    }
  }

  @inlinable
  mutating func wake(into out: inout Outbox<Self>) {
    guard let value = waiting else { return }
    if out.now < due {
      out.wake(at: due)
    } else {
      waiting = nil
      out.emit(value)
    }
  }
}
