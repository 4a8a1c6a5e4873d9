extension Flow {
  /// Goes on with another flow when the source finishes without a value.
  ///
  ///     source   ---|
  ///     result   ---(89|)     ifEmpty(switchTo: [8, 9].flow)
  ///
  /// - Complexity: O(1) per value.
  @inlinable
  public func ifEmpty<Other: Flow>(switchTo other: Other) -> some Flow<Element, Failure>
  where Other.Element == Element, Other.Failure == Failure {
    IfEmpty(source: self, other: other)
  }
}

/// The flow behind `ifEmpty(switchTo:)`.
@frozen
@usableFromInline
struct IfEmpty<Source: Flow, Other: Flow>: Flow
where Other.Element == Source.Element, Other.Failure == Source.Failure {
  @usableFromInline typealias Element = Source.Element
  @usableFromInline typealias Failure = Source.Failure
  @usableFromInline let source: Source
  @usableFromInline let other: Other

  @inlinable
  init(source: Source, other: Other) {
    self.source = source
    self.other = other
  }

  @inlinable
  @inline(__always)
  @discardableResult
  func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    let kernel = Kernel(rule: IfEmptyRule(other: other), observer: observer, sources: 1)
    kernel.begin()
    kernel.open(source, at: Port(0), value: { .value($0) }, end: { .sourceEnd($0) })
    return kernel
  }
}

/// Remembers whether there was a value.
@frozen
@usableFromInline
struct IfEmptyRule<Other: Flow>: Rule {
  @usableFromInline typealias Output = Other.Element
  @usableFromInline typealias Failure = Other.Failure
  @usableFromInline typealias Inner = Other

  @usableFromInline
  enum Input: Sendable {
    case value(Other.Element)
    case sourceEnd(End<Other.Failure>)
    case end(End<Other.Failure>)
  }

  @usableFromInline let other: Other
  @usableFromInline var isEmpty = true

  @inlinable
  init(other: Other) {
    self.other = other
  }

  @inlinable
  mutating func advance(_ input: Input, from port: Port, into out: inout Outbox<Self>) {
    switch input {
    case .value(let value):
      isEmpty = false
      out.emit(value)
    case .sourceEnd(.finished) where isEmpty:
      _ = out.subscribe(other)
    case .sourceEnd(let end), .end(let end):
      out.end(end)
    }
  }

  @inlinable static func input(value: Other.Element) -> Input { .value(value) }
  @inlinable static func input(end: End<Other.Failure>) -> Input { .end(end) }
}
