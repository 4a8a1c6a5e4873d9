extension Flow {
  /// Turns each value into a flow and follows only the latest one.
  ///
  ///     source   a-----b-----|
  ///     inner    -p-q-r-s|
  ///     inner          -t-u|
  ///     result   -p-q-r-t-u--|     p=a1 q=a2 r=a3 s=a4 t=b1 u=b2
  ///
  /// A new value lets the inner flow before it go. Finishes when the source and
  /// the latest inner flow have finished. A failure of either ends the result
  /// at once.
  ///
  /// - Parameter transform: Makes the inner flow; called where the value arrives.
  /// - Complexity: O(1) per value and per inner flow.
  @inlinable
  public func switchMap<Inner: Flow>(
    _ transform: @escaping @Sendable (Element) -> Inner
  ) -> SwitchMap<Self, Inner> where Inner.Failure == Failure {
    SwitchMap(source: self, transform: transform)
  }
}

/// The flow behind `switchMap(_:)`.
@frozen
public struct SwitchMap<Source: Flow, Inner: Flow>: Flow where Inner.Failure == Source.Failure {
  /// The values of the inner flows.
  public typealias Element = Inner.Element

  /// The source's failure.
  public typealias Failure = Source.Failure
  @usableFromInline let source: Source
  @usableFromInline let transform: @Sendable (Source.Element) -> Inner

  @inlinable
  init(source: Source, transform: @escaping @Sendable (Source.Element) -> Inner) {
    self.source = source
    self.transform = transform
  }

  /// Subscribes to the source, and to the inner flow of the latest value.
  @inlinable
  @inline(__always)
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    let kernel = Kernel(rule: SwitchMapRule<Inner>(), observer: observer, sources: 1)
    kernel.begin()
    let transform = transform
    kernel.open(
      source, at: Port(0), value: { .inner(transform($0)) }, end: { .sourceEnd($0) })
    return kernel
  }
}

/// Follows the latest inner flow.
@frozen
@usableFromInline
struct SwitchMapRule<Inner: Flow>: Rule {
  @usableFromInline typealias Output = Inner.Element
  @usableFromInline typealias Failure = Inner.Failure

  @usableFromInline
  enum Input: Sendable {
    case inner(Inner)
    case sourceEnd(End<Inner.Failure>)
    case value(Inner.Element)
    case innerEnd(End<Inner.Failure>)
  }

  @usableFromInline var latest: Port?
  @usableFromInline var sourceHasFinished = false

  @inlinable
  init() {}

  @inlinable
  @inline(__always)
  mutating func advance(_ input: Input, from port: Port, into out: inout Outbox<Self>) {
    switch input {
    case .inner(let inner):
      if let latest { out.dispose(latest) }
      guard let known = inner.known else {
        latest = out.subscribe(inner)
        break
      }
      latest = nil
      switch known {
      case .value(let value): out.emit(value)
      case .end(.finished): break
      case .end(.failed(let failure)): out.end(.failed(failure))
      }
    case .value(let value):
      out.emit(value)
    case .innerEnd(.finished):
      latest = nil
      if sourceHasFinished { out.end(.finished) }
    case .sourceEnd(.finished):
      sourceHasFinished = true
      if latest == nil { out.end(.finished) }
    case .innerEnd(.failed(let failure)), .sourceEnd(.failed(let failure)):
      out.end(.failed(failure))
    }
  }

  @inlinable static func input(value: Inner.Element) -> Input { .value(value) }
  @inlinable static func input(end: End<Inner.Failure>) -> Input { .innerEnd(end) }
}
