extension Flow {
  /// Collects the values of each period into a list.
  ///
  ///     source   1-2---3------4--|
  ///     result   ----p---q---r---(s|)     buffer(for: 4 ticks, …, emptyLists: true)
  ///              p=[1,2] q=[3] r=[] s=[4]
  ///
  /// With a count a list is sent, and a new period begun, as soon as it has that
  /// many values. Empty lists are left out unless asked for. What is left when
  /// the source finishes is sent first; a failure drops it.
  ///
  /// - Parameters:
  ///   - period: How long a list is open. Must be positive.
  ///   - count: How long a list may get.
  ///   - scheduler: Measures the time and, as a rule, delivers. When the source sends at that
  ///     very moment its thread delivers; for a fixed place add `observe(on:)`.
  ///   - emptyLists: Whether a period without values gives an empty list.
  /// - Complexity: O(1) per value; holds one list and one timer.
  @inlinable
  public func buffer(
    for period: Duration, orCount count: Int = .max, on scheduler: any TimeScheduler,
    emptyLists: Bool = false
  ) -> some Flow<[Element], Failure> {
    precondition(period > .zero && count > 0, "buffer(for:orCount:on:) needs positive numbers")
    return BufferInTime(
      source: self, period: period, count: count, emptyLists: emptyLists, scheduler: scheduler)
  }

  /// Collects values into a list that is sent whenever another flow sends something.
  ///
  ///     source   1-2---3------4--|
  ///     signal   ----x---x---
  ///     result   ----p---q-------(r|)     p=[1,2] q=[3] r=[4]
  ///
  /// What is left when the source finishes is sent first; a failure drops it.
  /// That the signal finishes changes nothing; its failure ends the result.
  ///
  /// - Parameters:
  ///   - signal: Says when to send the list.
  ///   - emptyLists: Whether a signal without values gives an empty list.
  /// - Complexity: O(1) per value; holds one list.
  @inlinable
  public func buffer<Signal: Flow>(
    until signal: Signal, emptyLists: Bool = false
  ) -> some Flow<[Element], Failure> where Signal.Failure == Failure {
    BufferUntil(source: self, signal: signal, emptyLists: emptyLists)
  }
}

/// The flow behind `buffer(for:orCount:on:emptyLists:)`.
@frozen
@usableFromInline
struct BufferInTime<Source: Flow>: Flow {
  @usableFromInline typealias Element = [Source.Element]
  @usableFromInline typealias Failure = Source.Failure
  @usableFromInline let source: Source
  @usableFromInline let period: Duration
  @usableFromInline let count: Int
  @usableFromInline let emptyLists: Bool
  @usableFromInline let scheduler: any TimeScheduler

  @inlinable
  init(
    source: Source, period: Duration, count: Int, emptyLists: Bool,
    scheduler: any TimeScheduler
  ) {
    self.source = source
    self.period = period
    self.count = count
    self.emptyLists = emptyLists
    self.scheduler = scheduler
  }

  @inlinable
  @inline(__always)
  @discardableResult
  func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    let kernel = Kernel(
      rule: BufferRule<Source.Element, Failure>(
        period: period, count: count, emptyLists: emptyLists),
      observer: observer, sources: 2, scheduler: scheduler)
    kernel.begin()
    kernel.open(Just(()), at: Port(1), value: { _ in .begin }, end: { _ in .signalEnd })
    kernel.open(source, at: Port(0), value: { .value($0) }, end: { .end($0) })
    return kernel
  }
}

/// The flow behind `buffer(until:emptyLists:)`.
@frozen
@usableFromInline
struct BufferUntil<Source: Flow, Signal: Flow>: Flow where Signal.Failure == Source.Failure {
  @usableFromInline typealias Element = [Source.Element]
  @usableFromInline typealias Failure = Source.Failure
  @usableFromInline let source: Source
  @usableFromInline let signal: Signal
  @usableFromInline let emptyLists: Bool

  @inlinable
  init(source: Source, signal: Signal, emptyLists: Bool) {
    self.source = source
    self.signal = signal
    self.emptyLists = emptyLists
  }

  @inlinable
  @inline(__always)
  @discardableResult
  func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    let kernel = Kernel(
      rule: BufferRule<Source.Element, Failure>(
        period: nil, count: .max, emptyLists: emptyLists),
      observer: observer, sources: 2)
    kernel.begin()
    kernel.open(
      signal, at: Port(1), value: { _ in .signal },
      end: { end in
        if case .finished = end { .signalEnd } else { .end(end) }
      })
    kernel.open(source, at: Port(0), value: { .value($0) }, end: { .end($0) })
    return kernel
  }
}

/// Collects until the period, the count or a signal closes the list.
@frozen
@usableFromInline
struct BufferRule<Value: Sendable, Failure: Error>: Rule {
  @usableFromInline typealias Output = [Value]
  @usableFromInline typealias Inner = NoInner

  @usableFromInline
  enum Input: Sendable {
    case begin
    case value(Value)
    case signal
    case signalEnd
    case end(End<Failure>)
  }

  @usableFromInline let period: Duration?
  @usableFromInline let count: Int
  @usableFromInline let emptyLists: Bool
  @usableFromInline var list: [Value] = []
  @usableFromInline var due = Moment.zero

  @inlinable
  init(period: Duration?, count: Int, emptyLists: Bool) {
    self.period = period
    self.count = count
    self.emptyLists = emptyLists
  }

  @inlinable static var needsTime: Bool { true }

  @inlinable
  mutating func advance(_ input: Input, from port: Port, into out: inout Outbox<Self>) {
    switch input {
    case .begin:
      if let period {
        due = out.now + period
        out.wake(at: due)
      }
    case .value(let value):
      list.append(value)
      guard list.count == count else { return }
      out.emit(exchange(&list, for: []))
      if let period { due = out.now + period }
    case .signal:
      send(&out)
    case .signalEnd:
      break
    case .end(let end):
      if case .finished = end, !list.isEmpty { out.emit(list) }
      list = []
      out.end(end)
    }
  }

  @inlinable
  mutating func send(_ out: inout Outbox<Self>) {
    if emptyLists || !list.isEmpty { out.emit(exchange(&list, for: [])) }
  }

  @inlinable
  mutating func wake(into out: inout Outbox<Self>) {
    guard let period else { return }
    if out.now >= due {
      send(&out)
      due = due + period
      if due <= out.now { due = out.now + period }
    }
    out.wake(at: due)
  }
}
