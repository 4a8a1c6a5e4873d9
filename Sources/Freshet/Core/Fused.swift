/// The flow behind `map(_:)`, `filter(_:)` and `compactMap(_:)`: a source and one closure.
///
/// A step after others makes the closure longer and leaves the type as it is, so that
/// neither the compiler nor the reader meets a type that grows with the chain.
@frozen
public struct Fused<FusedSource: Flow, Element: Sendable>: Flow {
  /// The source's failure.
  public typealias Failure = FusedSource.Failure
  @usableFromInline let source: FusedSource

  /// All steps in one: what becomes of a value, nil when it is dropped.
  @usableFromInline let step: @Sendable (FusedSource.Element) -> Element?

  @_transparent
  @usableFromInline
  init(source: FusedSource, step: @escaping @Sendable (FusedSource.Element) -> Element?) {
    self.source = source
    self.step = step
  }

  /// Itself.
  @_transparent
  public var fused: Fused<FusedSource, Element> { self }

  /// Subscribes to the source, with the steps in front of the observer.
  @_transparent
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    source.subscribe(observer, through: step)
  }

  // Steps are put together by local functions that are always inlined, here and in `map`,
  // `filter` and `compactMap`, and not by closures: the optimiser inlines about twenty nested
  // closures and then begins to call them. `decisions/streams-steps-are-one-closure.md`.

  /// Connects an observer through one closure, made of these steps and the ones after them.
  @_transparent
  @discardableResult
  public func subscribe<O: Observer>(
    _ observer: O, through next: @escaping @Sendable (Element) -> O.Element?
  ) -> Subscription where O.Failure == Failure {
    let step = step
    @inline(__always) @Sendable
    func longer(_ value: FusedSource.Element) -> O.Element? {
      if let result = step(value) { next(result) } else { nil }
    }
    return source.subscribe(observer, through: longer)
  }

  /// What the source has to say, after all steps.
  @inlinable
  @inline(__always)
  public var known: Known<Element, Failure>? {
    switch source.known {
    case .value(let value):
      if let result = step(value) { .value(result) } else { .end(.finished) }
    case .end(let end): .end(end)
    case nil: nil
    }
  }
}
