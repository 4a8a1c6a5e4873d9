extension Flow {
  /// Splits a flow into flows of a given number of values.
  ///
  ///     source   1---2---3---4---5--|
  ///     result   a-------b-------c--|     window(count: 2)
  ///     a        1---2|
  ///     b                3---4|
  ///
  /// A window is sent before its first value; whoever subscribes to it then
  /// misses nothing. Windows are hot. The last one ends with the source.
  /// Disposing of the result means that no further window is sent; one that is
  /// followed goes on to its end, and then the source is stopped.
  ///
  /// - Parameter count: How many values a window has. Positive.
  /// - Complexity: O(1) per value.
  @inlinable
  public func window(count: Int) -> some Flow<Window<Element, Failure>, Failure> {
    precondition(count > 0, "window(count:) needs a positive number")
    return WindowFlow(
      source: self, signal: NeverFlow<Void, Failure>(), period: nil, count: count,
      opensAlways: false, scheduler: nil)
  }

  /// Splits a flow into flows that last for a given time each.
  ///
  ///     source   1-2---3------4--|
  ///     result   a----b----c----d|     window(for: 5 ticks, on: scheduler)
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
      opensAlways: true, scheduler: scheduler)
  }

  /// Splits a flow into flows that end whenever another flow sends something.
  ///
  ///     source   1-2---3------4--|
  ///     signal   ----x---x---
  ///     result   a---b---c-------|
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
    WindowFlow(
      source: self, signal: signal, period: nil, count: .max, opensAlways: true, scheduler: nil)
  }
}

/// One of the flows that `window` sends.
///
/// When its observer pauses, the source is paused. When the observer of the windows
/// pauses, the source is paused as soon as there is another window to send.
public struct Window<Element: Sendable, Failure: Error>: Flow {
  @usableFromInline let part: SplitPart<Element, Failure>

  @inlinable
  init(part: SplitPart<Element, Failure>) {
    self.part = part
  }

  /// Adds an observer to the window; it starts with the window's next value.
  @inlinable
  @inline(__always)
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    part.subscribe(observer)
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

  /// Whether a window is opened without a value too.
  @usableFromInline let opensAlways: Bool
  @usableFromInline let scheduler: (any TimeScheduler)?

  @inlinable
  init(
    source: Source, signal: Signal, period: Duration?, count: Int, opensAlways: Bool,
    scheduler: (any TimeScheduler)?
  ) {
    self.source = source
    self.signal = signal
    self.period = period
    self.count = count
    self.opensAlways = opensAlways
    self.scheduler = scheduler
  }

  @inlinable
  @inline(__always)
  @discardableResult
  func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    let handle = SplitHandle()
    let kernel = Kernel(
      rule: WindowRule<Source.Element, Failure>(
        period: period, count: count, opensAlways: opensAlways, handle: handle),
      observer: SplitOutlet<Source.Element, O>(downstream: observer, handle: handle), sources: 4,
      scheduler: scheduler)
    handle.onPoke { kernel.perform(.input(.poke, Port(3), closes: false)) }
    kernel.begin()
    kernel.open(Just(()), at: Port(2), value: { _ in .begin }, end: { _ in .signalEnd })
    kernel.open(
      signal, at: Port(1), value: { _ in .signal },
      end: { end in
        if case .finished = end { .signalEnd } else { .end(end) }
      })
    kernel.open(source, at: Port(0), value: { .value($0) }, end: { .end($0) })
    return handle
  }
}

/// Says which window opens, gets a value, closes.
@frozen
@usableFromInline
struct WindowRule<Value: Sendable, Failure: Error>: Rule {
  @usableFromInline typealias Output = SplitStep<Window<Value, Failure>, Value, Failure>
  @usableFromInline typealias Inner = NoInner

  @usableFromInline
  enum Input: Sendable {
    case begin
    case value(Value)
    case signal
    case signalEnd
    case end(End<Failure>)
    case poke
  }

  @usableFromInline let period: Duration?
  @usableFromInline let count: Int
  @usableFromInline let opensAlways: Bool
  @usableFromInline let handle: SplitHandle
  @usableFromInline var window: SplitPart<Value, Failure>?
  @usableFromInline var size = 0
  @usableFromInline var due = Moment.zero

  @inlinable
  init(period: Duration?, count: Int, opensAlways: Bool, handle: SplitHandle) {
    self.period = period
    self.count = count
    self.opensAlways = opensAlways
    self.handle = handle
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
    case .poke:
      out.emit(.poke)
    case .end(let end):
      if let window = exchange(&window, for: nil) { out.emit(.close(end, window)) }
      out.end(end)
    }
  }

  @inlinable
  mutating func open(_ out: inout Outbox<Self>) {
    // No window is made for which nobody asks any more.
    if handle.isDisposed { return }
    let part = SplitPart<Value, Failure>(handle: handle)
    window = part
    size = 0
    out.emit(.open(Window(part: part)))
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
