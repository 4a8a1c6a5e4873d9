extension Flow {
  /// Sends the latest value whenever another flow sends something.
  ///
  ///     source   1-2---3----|
  ///     signal   ---x-x---x---
  ///     result   ---2-----3-|
  ///
  /// A value is sent once; a signal without a new value sends nothing. Finishes
  /// with the source; that the signal finishes ends the sampling, and so the
  /// result. A failure of either ends it.
  ///
  /// - Complexity: O(1) per value; holds one value.
  @inlinable
  public func sample<Signal: Flow>(on signal: Signal) -> some Flow<Element, Failure>
  where Signal.Failure == Failure {
    Sample(source: self, signal: signal)
  }

  /// Sends the latest value, if there is a new one, at the end of each period.
  ///
  ///     source   1-2---3----|
  ///     result   ---2--3----|     sample(every: 3 ticks, on: scheduler)
  ///
  /// - Parameters:
  ///   - period: How long a period lasts. Must be positive.
  ///   - scheduler: Measures the time and, as a rule, delivers. When the source sends at that
  ///     very moment its thread delivers; for a fixed place add `observe(on:)`.
  /// - Complexity: O(1) per value; holds one value.
  @inlinable
  public func sample(
    every period: Duration, on scheduler: any TimeScheduler
  ) -> some Flow<Element, Failure> {
    sample(on: Interval(every: period, on: scheduler).promoteFailure(to: Failure.self))
  }
}

/// The flow behind `sample`.
@frozen
@usableFromInline
struct Sample<Source: Flow, Signal: Flow>: Flow where Signal.Failure == Source.Failure {
  @usableFromInline typealias Element = Source.Element
  @usableFromInline typealias Failure = Source.Failure
  @usableFromInline let source: Source
  @usableFromInline let signal: Signal

  @inlinable
  init(source: Source, signal: Signal) {
    self.source = source
    self.signal = signal
  }

  @inlinable
  @inline(__always)
  @discardableResult
  func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    let kernel = Kernel(
      rule: SampleRule<Element, Failure>(), observer: observer, sources: 2)
    kernel.begin()
    kernel.open(signal, at: Port(1), value: { _ in .signal }, end: { .end($0) })
    kernel.open(source, at: Port(0), value: { .value($0) }, end: { .end($0) })
    return kernel
  }
}

/// Holds the latest value until the signal.
@frozen
@usableFromInline
struct SampleRule<Element: Sendable, Failure: Error>: Rule {
  @usableFromInline typealias Output = Element
  @usableFromInline typealias Inner = NoInner

  @usableFromInline
  enum Input: Sendable {
    case value(Element)
    case signal
    case end(End<Failure>)
  }

  @usableFromInline var latest: Element?

  @inlinable
  init() {}

  @inlinable
  mutating func advance(_ input: Input, from port: Port, into out: inout Outbox<Self>) {
    switch input {
    case .value(let value): latest = value
    case .signal: if let value = exchange(&latest, for: nil) { out.emit(value) }
    case .end(let end): out.end(end)
    }
  }
}
