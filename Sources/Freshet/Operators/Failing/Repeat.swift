extension Flow {
  /// Subscribes again when the source has finished.
  ///
  ///     source   1-2|
  ///     result   1-21-21-2|     repeat(3)
  ///
  /// `repeat(3)` runs the source three times in all; `repeat(0)` finishes at once
  /// without a subscription. A failure passes through. The stack stays flat
  /// however often the source finishes at once; a source that does so for ever
  /// is stopped by a dispose.
  ///
  /// - Parameter times: How often the source runs; without limit by default.
  /// - Complexity: O(1) per value and per round.
  @inlinable
  public func `repeat`(_ times: Int = .max) -> some Flow<Element, Failure> {
    precondition(times >= 0, "repeat(_:) needs a number of times that is not negative")
    return Repeat(source: self, times: times)
  }
}

/// The flow behind `repeat(_:)`.
@frozen
@usableFromInline
struct Repeat<Source: Flow>: Flow {
  @usableFromInline typealias Element = Source.Element
  @usableFromInline typealias Failure = Source.Failure
  @usableFromInline let source: Source
  @usableFromInline let times: Int

  @inlinable
  init(source: Source, times: Int) {
    self.source = source
    self.times = times
  }

  @inlinable
  @inline(__always)
  @discardableResult
  func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    guard times > 0 else { return subscribeToEnd(.finished, observer) }
    let kernel = Kernel(
      rule: RepeatRule(source: source, left: times - 1), observer: observer, sources: 1)
    kernel.begin()
    kernel.open(source, at: Port(0), value: { .value($0) }, end: { .end($0) })
    return kernel
  }
}

/// Subscribes to the source again.
@frozen
@usableFromInline
struct RepeatRule<Source: Flow>: Rule {
  @usableFromInline typealias Output = Source.Element
  @usableFromInline typealias Failure = Source.Failure
  @usableFromInline typealias Inner = Source

  @usableFromInline
  enum Input: Sendable {
    case value(Source.Element)
    case end(End<Source.Failure>)
  }

  @usableFromInline let source: Source
  @usableFromInline var left: Int

  @inlinable
  init(source: Source, left: Int) {
    self.source = source
    self.left = left
  }

  @inlinable
  @inline(__always)
  mutating func advance(_ input: Input, from port: Port, into out: inout Outbox<Self>) {
    switch input {
    case .value(let value):
      out.emit(value)
    case .end(.finished) where left > 0:
      left -= 1
      _ = out.subscribe(source)
    case .end(let end):
      out.end(end)
    }
  }

  @inlinable static func input(value: Source.Element) -> Input { .value(value) }
  @inlinable static func input(end: End<Source.Failure>) -> Input { .end(end) }
}
