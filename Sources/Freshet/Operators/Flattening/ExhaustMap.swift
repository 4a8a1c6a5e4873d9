extension Flow {
  /// Turns a value into a flow and ignores further values until that flow has finished.
  ///
  ///     source   a-b-----c---|
  ///     inner    -p--q|
  ///     inner            -r-s|
  ///     result   -p--q----r-s|     p=a1 q=a2 r=c1 s=c2
  ///
  /// Finishes when the source and the running inner flow have finished. A
  /// failure of either ends the result at once.
  ///
  /// - Parameter transform: Makes the inner flow; not called for ignored values.
  /// - Complexity: O(1) per value and per inner flow.
  @inlinable
  public func exhaustMap<Inner: Flow>(
    _ transform: @escaping @Sendable (Element) -> Inner
  ) -> ExhaustMap<Self, Inner> where Inner.Failure == Failure {
    ExhaustMap(source: self, transform: transform)
  }
}

/// The flow behind `exhaustMap(_:)`.
@frozen
public struct ExhaustMap<Source: Flow, Inner: Flow>: Flow where Inner.Failure == Source.Failure {
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

  /// Subscribes to the source, and to one inner flow at a time.
  @inlinable
  @inline(__always)
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    let kernel = Kernel(
      rule: ExhaustMapRule<Source.Element, Inner>(transform: transform), observer: observer,
      sources: 1)
    kernel.begin()
    kernel.open(source, at: Port(0), value: { .outer($0) }, end: { .sourceEnd($0) })
    return kernel
  }
}

/// Runs one inner flow at a time and drops what comes meanwhile.
@frozen
@usableFromInline
struct ExhaustMapRule<Outer: Sendable, Inner: Flow>: Rule {
  @usableFromInline typealias Output = Inner.Element
  @usableFromInline typealias Failure = Inner.Failure

  @usableFromInline
  enum Input: Sendable {
    case outer(Outer)
    case sourceEnd(End<Inner.Failure>)
    case value(Inner.Element)
    case innerEnd(End<Inner.Failure>)
  }

  @usableFromInline let transform: @Sendable (Outer) -> Inner
  @usableFromInline var isBusy = false
  @usableFromInline var sourceHasFinished = false

  @inlinable
  init(transform: @escaping @Sendable (Outer) -> Inner) {
    self.transform = transform
  }

  @inlinable
  @inline(__always)
  mutating func advance(_ input: Input, from port: Port, into out: inout Outbox<Self>) {
    switch input {
    case .outer(let value):
      if !isBusy {
        isBusy = true
        _ = out.subscribe(transform(value))
      }
    case .value(let value):
      out.emit(value)
    case .innerEnd(.finished):
      isBusy = false
      if sourceHasFinished { out.end(.finished) }
    case .sourceEnd(.finished):
      sourceHasFinished = true
      if !isBusy { out.end(.finished) }
    case .innerEnd(.failed(let failure)), .sourceEnd(.failed(let failure)):
      out.end(.failed(failure))
    }
  }

  @inlinable static func input(value: Inner.Element) -> Input { .value(value) }
  @inlinable static func input(end: End<Inner.Failure>) -> Input { .innerEnd(end) }
}
