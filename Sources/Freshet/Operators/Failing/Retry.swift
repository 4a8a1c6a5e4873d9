extension Flow {
  /// Subscribes again when the source fails.
  ///
  ///     source   1--#
  ///     result   1--1--1--#     retry(2)
  ///
  /// `retry(2)` means two further attempts, three in all; the last failure
  /// passes through. Values of failed attempts stay. The count belongs to the
  /// subscription. The stack stays flat however often the source fails at once.
  ///
  /// - Parameters:
  ///   - times: How many further attempts there are; without limit by default.
  ///   - shouldRetry: Asked with each failure; false lets it through.
  /// - Complexity: O(1) per value and per attempt.
  @inlinable
  public func retry(
    _ times: Int = .max, if shouldRetry: @escaping @Sendable (Failure) -> Bool = { _ in true }
  ) -> some Flow<Element, Failure> {
    precondition(times >= 0, "retry(_:) needs a number of times that is not negative")
    return Retry(
      source: self, scheduler: nil, pause: { $0 <= times && shouldRetry($1) ? .zero : nil })
  }

  /// Subscribes again, after a growing pause, when the source fails.
  ///
  ///     source   1#
  ///     result   1-1--1----1#     retry(3, after: .exponential(from: .ticks(1)), on: scheduler)
  ///
  /// - Parameters:
  ///   - times: How many further attempts there are.
  ///   - backOff: How long to wait before each.
  ///   - scheduler: Measures the wait; the next attempt is made there.
  ///   - shouldRetry: Asked with each failure; false lets it through.
  /// - Complexity: O(1) per value and per attempt.
  @inlinable
  public func retry(
    _ times: Int = .max, after backOff: BackOff, on scheduler: any TimeScheduler,
    if shouldRetry: @escaping @Sendable (Failure) -> Bool = { _ in true }
  ) -> some Flow<Element, Failure> {
    precondition(times >= 0, "retry(_:) needs a number of times that is not negative")
    return Retry(
      source: self, scheduler: scheduler,
      pause: { $0 <= times && shouldRetry($1) ? backOff.pause(before: $0) : nil })
  }
}

/// How long to wait before each further attempt.
public struct BackOff: Sendable {
  private let base: @Sendable (Int) -> Duration
  private let limit: Duration
  private let jitter: Double
  private let random: @Sendable () -> Double

  private init(
    limit: Duration, jitter: Double, random: @escaping @Sendable () -> Double,
    base: @escaping @Sendable (Int) -> Duration
  ) {
    precondition((0...1).contains(jitter), "jitter is a share between 0 and 1")
    self.base = base
    self.limit = limit
    self.jitter = jitter
    self.random = random
  }

  /// The same pause before each attempt.
  ///
  /// - Parameters:
  ///   - pause: How long to wait.
  ///   - jitter: Which share of the pause is left to chance, 0 to 1.
  ///   - random: Numbers from 0 up to 1; tests pass their own.
  public static func constant(
    _ pause: Duration, jitter: Double = 0,
    random: @escaping @Sendable () -> Double = { .random(in: 0..<1) }
  ) -> BackOff {
    BackOff(limit: pause, jitter: jitter, random: random) { _ in pause }
  }

  /// A pause that is multiplied before each further attempt, up to a limit.
  ///
  /// - Parameters:
  ///   - first: The first pause.
  ///   - factor: What the pause is multiplied with each time.
  ///   - limit: The longest pause.
  ///   - jitter: Which share of the pause is left to chance, 0 to 1.
  ///   - random: Numbers from 0 up to 1; tests pass their own.
  public static func exponential(
    from first: Duration, factor: Double = 2, upTo limit: Duration = .seconds(60),
    jitter: Double = 0, random: @escaping @Sendable () -> Double = { .random(in: 0..<1) }
  ) -> BackOff {
    precondition(factor >= 0, "a back-off needs a factor that is not negative")
    return BackOff(limit: limit, jitter: jitter, random: random) { attempt in
      guard first > .zero, first < limit else { return first }
      let growth = power(factor, max(attempt, 1) - 1)
      return growth < limit / first ? first * growth : limit
    }
  }

  /// A power, by repeated squaring: attempts may be many.
  private static func power(_ base: Double, _ exponent: Int) -> Double {
    var (result, square, rest) = (1.0, base, exponent)
    while rest > 0 {
      if !rest.isMultiple(of: 2) { result *= square }
      square *= square
      rest /= 2
    }
    return result
  }

  /// The pause before a further attempt, counted from one.
  public func pause(before attempt: Int) -> Duration {
    let pause = min(base(attempt), limit)
    return jitter == 0 ? pause : pause * (1 - jitter * random())
  }
}

/// The flow behind `retry`.
@frozen
@usableFromInline
struct Retry<Source: Flow>: Flow {
  @usableFromInline typealias Element = Source.Element
  @usableFromInline typealias Failure = Source.Failure
  @usableFromInline let source: Source
  @usableFromInline let scheduler: (any TimeScheduler)?
  @usableFromInline let pause: @Sendable (Int, Failure) -> Duration?

  @inlinable
  init(
    source: Source, scheduler: (any TimeScheduler)?,
    pause: @escaping @Sendable (Int, Source.Failure) -> Duration?
  ) {
    self.source = source
    self.scheduler = scheduler
    self.pause = pause
  }

  @inlinable
  @inline(__always)
  @discardableResult
  func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    let kernel = Kernel(
      rule: RetryRule(source: source, pause: pause), observer: observer, sources: 1,
      scheduler: scheduler)
    kernel.begin()
    kernel.open(source, at: Port(0), value: { .value($0) }, end: { .end($0) })
    return kernel
  }
}

/// Subscribes to the source again, at once or after a pause.
@frozen
@usableFromInline
struct RetryRule<Source: Flow>: Rule {
  @usableFromInline typealias Output = Source.Element
  @usableFromInline typealias Failure = Source.Failure
  @usableFromInline typealias Inner = Source

  @usableFromInline
  enum Input: Sendable {
    case value(Source.Element)
    case end(End<Source.Failure>)
  }

  @usableFromInline let source: Source
  @usableFromInline let pause: @Sendable (Int, Source.Failure) -> Duration?
  @usableFromInline var attempts = 0

  @inlinable
  init(source: Source, pause: @escaping @Sendable (Int, Source.Failure) -> Duration?) {
    self.source = source
    self.pause = pause
  }

  @inlinable static var needsTime: Bool { true }

  @inlinable
  @inline(__always)
  mutating func advance(_ input: Input, from port: Port, into out: inout Outbox<Self>) {
    switch input {
    case .value(let value):
      out.emit(value)
    case .end(.finished):
      out.end(.finished)
    case .end(.failed(let failure)):
      attempts += 1
      guard let pause = pause(attempts, failure) else {
        out.end(.failed(failure))
        return
      }
      if pause > .zero {
        out.wake(at: out.now + pause)
      } else {
        _ = out.subscribe(source)
      }
    }
  }

  @inlinable
  mutating func wake(into out: inout Outbox<Self>) {
    _ = out.subscribe(source)
  }

  @inlinable static func input(value: Source.Element) -> Input { .value(value) }
  @inlinable static func input(end: End<Source.Failure>) -> Input { .end(end) }
}
