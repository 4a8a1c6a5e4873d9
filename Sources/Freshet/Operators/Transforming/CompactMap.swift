extension Flow {
  /// Turns values into others and drops those that have none.
  ///
  ///     source   1--x--3--|
  ///     result   1-----3--|     compactMap { Int($0) }
  ///
  /// The end passes through unchanged.
  ///
  /// - Parameter transform: Called once per value, where the value arrives.
  /// - Complexity: O(1) per value; a chain of maps and filters is one closure.
  @_transparent
  public func compactMap<Result: Sendable>(
    _ transform: @escaping @Sendable (Element) -> Result?
  ) -> CompactMap<Self, Result> {
    CompactMap(source: self, transform: transform)
  }
}

/// The flow behind `compactMap(_:)`.
@frozen
public struct CompactMap<Source: Flow, Element: Sendable>: Flow {
  /// The source's failure.
  public typealias Failure = Source.Failure
  @usableFromInline let source: Source
  @usableFromInline let transform: @Sendable (Source.Element) -> Element?

  @_transparent
  @usableFromInline
  init(source: Source, transform: @escaping @Sendable (Source.Element) -> Element?) {
    self.source = source
    self.transform = transform
  }

  /// Subscribes to the source, with the transform in front of the observer.
  @_transparent
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    source.subscribe(observer, through: transform)
  }

  /// Connects an observer through one closure, made of this step and the ones after it.
  @_transparent
  @discardableResult
  public func subscribe<O: Observer>(
    _ observer: O, through next: @escaping @Sendable (Element) -> O.Element?
  ) -> Subscription where O.Failure == Failure {
    let transform = transform
    return source.subscribe(observer, through: { transform($0).flatMap(next) })
  }
}
