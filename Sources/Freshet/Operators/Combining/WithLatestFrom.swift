extension Flow {
  /// Sends each value together with the latest of another flow.
  ///
  ///     source   1-----2--3----|
  ///     other    ---x------y--|
  ///     result   ------p--q----|     source.withLatestFrom(other)   p=2x q=3x
  ///
  /// Values that come before the other flow has sent are left out. Finishes with
  /// the source. That the other flow finishes changes nothing, unless it has
  /// sent nothing: then the result finishes. A failure of either ends it.
  /// The other flow is subscribed to first.
  ///
  /// - Complexity: O(1) per value.
  @inlinable
  public func withLatestFrom<Other: Flow>(_ other: Other) -> WithLatestFrom<Self, Other>
  where Other.Failure == Failure {
    WithLatestFrom(source: self, other: other)
  }

  /// Combines each value with the latest of another flow by a function.
  ///
  /// See ``withLatestFrom(_:)``.
  @inlinable
  public func withLatestFrom<Other: Flow, Result: Sendable>(
    _ other: Other, _ combine: @escaping @Sendable (Element, Other.Element) -> Result
  ) -> Fused<WithLatestFrom<Self, Other>, Result> where Other.Failure == Failure {
    withLatestFrom(other).map { combine($0.0, $0.1) }
  }
}

/// The flow behind `withLatestFrom(_:)`.
@frozen
public struct WithLatestFrom<Source: Flow, Other: Flow>: Flow
where Other.Failure == Source.Failure {
  /// A value of the source and the latest of the other flow.
  public typealias Element = (Source.Element, Other.Element)

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
      rule: WithLatestRule<Source.Element, Other.Element, Failure>(), observer: observer,
      sources: 2)
    kernel.begin()
    kernel.open(other, at: Port(1), value: { .other($0) }, end: { .otherEnd($0) })
    kernel.open(source, at: Port(0), value: { .value($0) }, end: { .end($0) })
    return kernel
  }
}

/// Keeps the latest of the other source.
@frozen
@usableFromInline
struct WithLatestRule<Element: Sendable, Other: Sendable, Failure: Error>: Rule {
  @usableFromInline typealias Output = (Element, Other)
  @usableFromInline typealias Inner = NoInner

  @usableFromInline
  enum Input: Sendable {
    case value(Element)
    case end(End<Failure>)
    case other(Other)
    case otherEnd(End<Failure>)
  }

  @usableFromInline var latest: Other?

  @inlinable
  init() {}

  @inlinable
  @inline(__always)
  mutating func advance(_ input: Input, from port: Port, into out: inout Outbox<Self>) {
    switch input {
    case .value(let value):
      if let latest { out.emit((value, latest)) }
    case .other(let value):
      latest = value
    case .end(let end):
      out.end(end)
    case .otherEnd(.finished):
      if latest == nil { out.end(.finished) }
    case .otherEnd(.failed(let failure)):
      out.end(.failed(failure))
    }
  }
}
