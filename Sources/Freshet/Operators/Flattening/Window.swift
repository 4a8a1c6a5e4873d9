extension Flow {
  /// Splits a flow into flows of a given number of values.
  ///
  ///     source   1---2---3---4---5--|
  ///     result   (a)-----(b)-----(c)|     window(count: 2)
  ///     a        1---2|
  ///     b                3---4|
  ///
  /// A window is sent before its first value; whoever subscribes to it then
  /// misses nothing. Windows are hot. The last one ends with the source.
  ///
  /// - Parameter count: How many values a window has. Positive.
  /// - Complexity: O(1) per value.
  @inlinable
  public func window(count: Int) -> some Flow<Window<Element, Failure>, Failure> {
    precondition(count > 0, "window(count:) needs a positive number")
    return WindowFlow(
      source: self, signal: NeverFlow<Void, Failure>(), period: nil, count: count,
      scheduler: nil)
  }

  /// Splits a flow into flows that last for a given time each.
  ///
  ///     source   1-2---3------4--|
  ///     result   (a)--(b)--(c)---|     window(for: 5 ticks, on: scheduler)
  ///
  /// The first window is sent with the subscription, each further one when the
  /// one before has ended, whether values come or not.
  ///
  /// - Parameters:
  ///   - period: How long a window lasts. Must be positive.
  ///   - count: How many values a window has at most; a full one ends early.
  ///   - scheduler: Measures the time.
  /// - Complexity: O(1) per value.
  @inlinable
  public func window(
    for period: Duration, orCount count: Int = .max, on scheduler: any TimeScheduler
  ) -> some Flow<Window<Element, Failure>, Failure> {
    precondition(period > .zero && count > 0, "window(for:orCount:on:) needs positive numbers")
    return WindowFlow(
      source: self, signal: NeverFlow<Void, Failure>(), period: period, count: count,
      scheduler: scheduler)
  }

  /// Splits a flow into flows that end whenever another flow sends something.
  ///
  ///     source   1-2---3------4--|
  ///     signal   ----x---x---
  ///     result   (a)-(b)-(c)-----|
  ///
  /// The first window is sent with the subscription. That the signal finishes
  /// changes nothing; its failure ends the result and the running window.
  ///
  /// - Parameter signal: Says when to begin the next window.
  /// - Complexity: O(1) per value.
  @inlinable
  public func window<Signal: Flow>(
    until signal: Signal
  ) -> some Flow<Window<Element, Failure>, Failure> where Signal.Failure == Failure {
    WindowFlow(source: self, signal: signal, period: nil, count: .max, scheduler: nil)
  }
}

/// One of the flows that `window` sends.
public struct Window<Element: Sendable, Failure: Error>: Flow {
  @usableFromInline let subject: PublishSubject<Element, Failure>

  @inlinable
  init(subject: PublishSubject<Element, Failure>) {
    self.subject = subject
  }

  @inlinable
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    subject.subscribe(observer)
  }
}

/// The flow behind `window`.
@frozen
@usableFromInline
struct WindowFlow<Source: Flow, Signal: Flow>: Flow where Signal.Failure == Source.Failure {
  @usableFromInline typealias Element = Window<Source.Element, Source.Failure>
  @usableFromInline typealias Failure = Source.Failure
  @usableFromInline let source: Source
  @usableFromInline let signal: Signal
  @usableFromInline let period: Duration?
  @usableFromInline let count: Int
  @usableFromInline let scheduler: (any TimeScheduler)?

  @inlinable
  init(
    source: Source, signal: Signal, period: Duration?, count: Int,
    scheduler: (any TimeScheduler)?
  ) {
    self.source = source
    self.signal = signal
    self.period = period
    self.count = count
    self.scheduler = scheduler
  }

  @inlinable
  @discardableResult
  func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    // Without a time or a signal a window is opened only for a value.
    let opensAlways = period != nil || !(signal is NeverFlow<Void, Failure>)
    let kernel = Kernel(
      rule: WindowRule<Source.Element, Failure>(
        period: period, count: count, opensAlways: opensAlways),
      observer: WindowOutlet(downstream: observer), sources: 3, scheduler: scheduler)
    kernel.begin()
    kernel.open(Just(()), at: Port(2), value: { _ in .begin }, end: { _ in .signalEnd })
    kernel.open(
      signal, at: Port(1), value: { _ in .signal },
      end: { end in
        if case .finished = end { .signalEnd } else { .end(end) }
      })
    kernel.open(source, at: Port(0), value: { .value($0) }, end: { .end($0) })
    return kernel
  }
}

/// Something to do with a window; done by the outlet, in order.
@frozen
@usableFromInline
enum WindowStep<Element: Sendable, Failure: Error>: Sendable {
  case open(PublishSubject<Element, Failure>)
  case value(Element, PublishSubject<Element, Failure>)
  case close(End<Failure>, PublishSubject<Element, Failure>)
}

/// Says which window opens, gets a value, closes.
@frozen
@usableFromInline
struct WindowRule<Value: Sendable, Failure: Error>: Rule {
  @usableFromInline typealias Output = WindowStep<Value, Failure>
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
  @usableFromInline let opensAlways: Bool
  @usableFromInline var window: PublishSubject<Value, Failure>?
  @usableFromInline var size = 0
  @usableFromInline var due = Moment.zero

  @inlinable
  init(period: Duration?, count: Int, opensAlways: Bool) {
    self.period = period
    self.count = count
    self.opensAlways = opensAlways
  }

  @inlinable static var needsTime: Bool { true }

  @inlinable
  mutating func advance(_ input: Input, from port: Port, into out: inout Outbox<Self>) {
    switch input {
    case .begin:
      if opensAlways { open(&out) }
      if let period {
        due = out.now + period
        out.wake(at: due)
      }
    case .value(let value):
      if window == nil { open(&out) }
      if let window { out.emit(.value(value, window)) }
      size += 1
      guard size == count else { return }
      turn(&out)
      if let period { due = out.now + period }
    case .signal:
      turn(&out)
    case .signalEnd:
      break
    case .end(let end):
      if let window = exchange(&window, for: nil) { out.emit(.close(end, window)) }
      out.end(end)
    }
  }

  @inlinable
  mutating func open(_ out: inout Outbox<Self>) {
    let subject = PublishSubject<Value, Failure>()
    window = subject
    size = 0
    out.emit(.open(subject))
  }

  @inlinable
  mutating func turn(_ out: inout Outbox<Self>) {
    if let window = exchange(&window, for: nil) { out.emit(.close(.finished, window)) }
    size = 0
    if opensAlways { open(&out) }
  }

  @inlinable
  mutating func wake(into out: inout Outbox<Self>) {
    guard let period else { return }
    if out.now >= due {
      turn(&out)
      due = due + period
      if due <= out.now { due = out.now + period }
    }
    out.wake(at: due)
  }
}

/// Sends windows down, and values into windows.
@frozen
@usableFromInline
struct WindowOutlet<Value: Sendable, Downstream: Observer>: Observer
where Downstream.Element == Window<Value, Downstream.Failure> {
  @usableFromInline typealias Element = WindowStep<Value, Downstream.Failure>
  @usableFromInline typealias Failure = Downstream.Failure
  @usableFromInline var downstream: Downstream

  @inlinable
  init(downstream: Downstream) {
    self.downstream = downstream
  }

  @inlinable static var mayPause: Bool { Downstream.mayPause }

  @inlinable
  mutating func start(_ subscription: Subscription) {
    downstream.start(subscription)
  }

  @inlinable
  mutating func receive(_ step: Element) -> Answer {
    switch step {
    case .open(let subject):
      return downstream.receive(Window(subject: subject))
    case .value(let value, let subject):
      subject.send(value)
    case .close(.finished, let subject):
      subject.finish()
    case .close(.failed(let failure), let subject):
      subject.fail(failure)
    }
    return .more
  }

  @inlinable
  mutating func end(_ end: End<Failure>) {
    downstream.end(end)
  }
}
