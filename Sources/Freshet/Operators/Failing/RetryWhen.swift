extension Flow {
  /// Subscribes again when a flow made from the failures says so.
  ///
  ///     source   1--#
  ///     signal   ----x---|
  ///     result   1---1---|
  ///
  /// A value of the signal subscribes to the source again; its finish finishes
  /// the result, its failure fails it.
  ///
  /// - Parameter signal: Turns the flow of failures into the signal. Called once per subscription.
  /// - Complexity: O(1) per value and per attempt.
  @inlinable
  public func retry<Signal: Flow>(
    when signal: @escaping @Sendable (PublishSubject<Failure, Never>) -> Signal
  ) -> some Flow<Element, Failure> where Signal.Failure == Failure {
    Again(source: self) { (failures: PublishSubject<Failure, Never>) in
      signal(failures)
    } judge: {
      end, failures in
      guard case .failed(let failure) = end else { return false }
      failures.send(failure)
      return true
    }
  }

  /// Subscribes again, when the source has finished, as a flow made from the finishes says.
  ///
  ///     source   1--|
  ///     signal   ----x---|
  ///     result   1---1---|
  ///
  /// A value of the signal subscribes to the source again; its finish finishes
  /// the result, its failure fails it. A failure of the source passes through.
  ///
  /// - Parameter signal: Turns the flow of finishes, counted from one, into the signal.
  /// - Complexity: O(1) per value and per round.
  @inlinable
  public func `repeat`<Signal: Flow>(
    when signal: @escaping @Sendable (PublishSubject<Void, Never>) -> Signal
  ) -> some Flow<Element, Failure> where Signal.Failure == Failure {
    Again(source: self) { (finishes: PublishSubject<Void, Never>) in
      signal(finishes)
    } judge: {
      end, finishes in
      guard case .finished = end else { return false }
      finishes.send(())
      return true
    }
  }
}

/// The flow behind `retry(when:)` and `repeat(when:)`.
@frozen
@usableFromInline
struct Again<Source: Flow, Reason: Sendable, Signal: Flow>: Flow
where Signal.Failure == Source.Failure {
  @usableFromInline typealias Element = Source.Element
  @usableFromInline typealias Failure = Source.Failure
  @usableFromInline let source: Source
  @usableFromInline let signal: @Sendable (PublishSubject<Reason, Never>) -> Signal

  /// Reports an end to the subject; false when the end is the result's own.
  @usableFromInline
  let judge: @Sendable (End<Failure>, PublishSubject<Reason, Never>) -> Bool

  @inlinable
  init(
    source: Source, signal: @escaping @Sendable (PublishSubject<Reason, Never>) -> Signal,
    judge: @escaping @Sendable (End<Source.Failure>, PublishSubject<Reason, Never>) -> Bool
  ) {
    self.source = source
    self.signal = signal
    self.judge = judge
  }

  @inlinable
  @inline(__always)
  @discardableResult
  func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    let reasons = PublishSubject<Reason, Never>()
    let judge = judge
    let watched = Judged(source: source) { judge($0, reasons) }
    let kernel = Kernel(
      rule: AgainRule(source: watched), observer: observer, sources: 2)
    kernel.begin()
    kernel.open(
      signal(reasons), at: Port(1), value: { _ in .again }, end: { .end($0) })
    kernel.open(watched, at: Port(0), value: { .value($0) }, end: { .sourceEnd($0) })
    return kernel
  }
}

/// Subscribes to the source again with each signal.
@frozen
@usableFromInline
struct AgainRule<Source: Flow, Failure: Error>: Rule
where Source.Failure == Verdict<Failure> {
  @usableFromInline typealias Output = Source.Element
  @usableFromInline typealias Inner = Source

  @usableFromInline
  enum Input: Sendable {
    case value(Source.Element)
    case sourceEnd(End<Verdict<Failure>>)
    case again
    case end(End<Failure>)
  }

  @usableFromInline let source: Source
  @usableFromInline var isRunning = true
  @usableFromInline var isAsked = false

  @inlinable
  init(source: Source) {
    self.source = source
  }

  @inlinable
  mutating func advance(_ input: Input, from port: Port, into out: inout Outbox<Self>) {
    switch input {
    case .value(let value):
      out.emit(value)
    case .again:
      // The signal may speak before the end that caused it has arrived here.
      if isRunning {
        isAsked = true
      } else {
        isRunning = true
        _ = out.subscribe(source)
      }
    case .sourceEnd(.failed(.reported)):
      isRunning = isAsked
      isAsked = false
      if isRunning { _ = out.subscribe(source) }
    case .sourceEnd(.failed(.final(let end))), .end(let end):
      out.end(end)
    case .sourceEnd(.finished):
      out.end(.finished)
    }
  }

  @inlinable static func input(value: Source.Element) -> Input { .value(value) }
  @inlinable static func input(end: End<Verdict<Failure>>) -> Input { .sourceEnd(end) }
}

/// How a judged source ended.
@frozen
@usableFromInline
enum Verdict<Failure: Error>: Error {
  case reported
  case final(End<Failure>)
}

/// Turns the end of a source into a verdict.
@frozen
@usableFromInline
struct Judged<Source: Flow>: Flow {
  @usableFromInline typealias Element = Source.Element
  @usableFromInline typealias Failure = Verdict<Source.Failure>
  @usableFromInline let source: Source
  @usableFromInline let judge: @Sendable (End<Source.Failure>) -> Bool

  @inlinable
  init(source: Source, judge: @escaping @Sendable (End<Source.Failure>) -> Bool) {
    self.source = source
    self.judge = judge
  }

  @inlinable
  @inline(__always)
  @discardableResult
  func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    source.subscribe(Judge(downstream: observer, judge: judge))
  }

  @frozen
  @usableFromInline
  struct Judge<Downstream: Observer>: Observer
  where Downstream.Element == Element, Downstream.Failure == Verdict<Source.Failure> {
    @usableFromInline typealias Failure = Source.Failure
    @usableFromInline var downstream: Downstream
    @usableFromInline let judge: @Sendable (End<Source.Failure>) -> Bool
    @usableFromInline var subscription: Subscription?

    @inlinable
    init(downstream: Downstream, judge: @escaping @Sendable (End<Source.Failure>) -> Bool) {
      self.downstream = downstream
      self.judge = judge
    }

    @inlinable static var mayPause: Bool { Downstream.mayPause }

    @inlinable
    mutating func start(_ subscription: Subscription) {
      if self.subscription == nil { self.subscription = subscription }
      downstream.start(subscription)
    }

    @inlinable
    mutating func receive(_ value: Element) -> Answer {
      downstream.receive(value)
    }

    @inlinable
    mutating func end(_ end: End<Source.Failure>) {
      // An unruly source ends twice, or after a dispose: that is not reported.
      guard let subscription = exchange(&self.subscription, for: nil),
        !subscription.wasDisposedOf
      else { return }
      downstream.end(.failed(judge(end) ? .reported : .final(end)))
    }
  }
}
