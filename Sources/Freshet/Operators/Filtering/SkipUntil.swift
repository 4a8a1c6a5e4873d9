extension Flow {
  /// Leaves values out until another flow sends something.
  ///
  ///     source   1--2--3--4--|
  ///     other    -------x
  ///     result   ---------4--|
  ///
  /// When `other` finishes without a value nothing can ever come: the result
  /// finishes too. A failure of `other` fails the result, but only while values
  /// are still left out; `other` is let go with its first value.
  ///
  /// - Complexity: O(1) per value.
  @inlinable
  public func skipUntil<Other: Flow>(_ other: Other) -> SkipUntil<Self, Other>
  where Other.Failure == Failure {
    SkipUntil(source: self, other: other)
  }
}

/// The flow behind `skipUntil(_:)`.
@frozen
public struct SkipUntil<Source: Flow, Other: Flow>: Flow
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

  /// Subscribes to the other flow and to the source.
  @inlinable
  @inline(__always)
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    let kernel = Kernel(
      rule: SkipUntilRule<Element, Failure>(), observer: observer, sources: 2)
    kernel.begin()
    kernel.open(other, at: Port(1), value: { _ in .signal }, end: { .otherEnd($0) })
    kernel.open(source, at: Port(0), value: { .value($0) }, end: { .end($0) })
    return kernel
  }
}

/// Leaves out until the signal.
@frozen
@usableFromInline
struct SkipUntilRule<Element: Sendable, Failure: Error>: Rule {
  @usableFromInline typealias Output = Element
  @usableFromInline typealias Inner = NoInner

  @usableFromInline
  enum Input: Sendable {
    case value(Element)
    case end(End<Failure>)
    case signal
    case otherEnd(End<Failure>)
  }

  @usableFromInline var isOpen = false

  @inlinable
  init() {}

  @inlinable
  @inline(__always)
  mutating func advance(_ input: Input, from port: Port, into out: inout Outbox<Self>) {
    switch input {
    case .value(let value):
      if isOpen { out.emit(value) }
    case .end(let end):
      out.end(end)
    case .signal:
      isOpen = true
      out.dispose(port)
    case .otherEnd(let end):
      if !isOpen { out.end(end) }
    }
  }
}
