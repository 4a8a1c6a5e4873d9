extension Flow {
  /// Lets values through until another flow sends something.
  ///
  ///     source   1--2--3--4--|
  ///     other    -------x
  ///     result   1--2--3|
  ///
  /// A value of `other` finishes the result and stops the source; a failure of
  /// `other` fails it. That `other` finishes without a value changes nothing.
  /// `other` is subscribed to first, and let go when the source ends.
  ///
  /// - Complexity: O(1) per value.
  @inlinable
  public func takeUntil<Other: Flow>(_ other: Other) -> TakeUntil<Self, Other>
  where Other.Failure == Failure {
    TakeUntil(source: self, other: other)
  }
}

/// The flow behind `takeUntil(_:)`.
@frozen
public struct TakeUntil<Source: Flow, Other: Flow>: Flow
where Other.Failure == Source.Failure {
  /// The source's values.
  public typealias Element = Source.Element

  /// The source's failure.
  public typealias Failure = Source.Failure
  @usableFromInline let source: Source
  @usableFromInline let other: Other

  @inlinable
  init(source: Source, other: Other) {
    self.source = source
    self.other = other
  }

  /// Subscribes to the other flow, and then to the source.
  @inlinable
  @inline(__always)
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    let kernel = Kernel(
      rule: TakeUntilRule<Element, Failure>(), observer: observer, sources: 2)
    kernel.begin()
    kernel.open(other, at: Port(1), value: { _ in .signal }, end: { .otherEnd($0) })
    kernel.open(source, at: Port(0), value: { .value($0) }, end: { .end($0) })
    return kernel
  }
}

/// Passes on until the signal.
@frozen
@usableFromInline
struct TakeUntilRule<Element: Sendable, Failure: Error>: Rule {
  @usableFromInline typealias Output = Element
  @usableFromInline typealias Inner = NoInner

  @usableFromInline
  enum Input: Sendable {
    case value(Element)
    case end(End<Failure>)
    case signal
    case otherEnd(End<Failure>)
  }

  @inlinable
  init() {}

  @inlinable
  @inline(__always)
  mutating func advance(_ input: Input, from port: Port, into out: inout Outbox<Self>) {
    switch input {
    case .value(let value): out.emit(value)
    case .end(let end): out.end(end)
    case .signal: out.end(.finished)
    case .otherEnd(.finished): break
    case .otherEnd(.failed(let failure)): out.end(.failed(failure))
    }
  }
}
