extension Flow {
  /// Turns each value into another one.
  ///
  ///     source   1--2--3--|
  ///     result   a--b--c--|     map { letter($0) }
  ///
  /// The end passes through unchanged.
  ///
  /// - Parameter transform: Called once per value, where the value arrives.
  /// - Complexity: O(1) per value; a chain of maps and filters is one closure.
  @_transparent
  public func map<Result: Sendable>(
    _ transform: @escaping @Sendable (Element) -> Result
  ) -> Map<Self, Result> {
    Map(source: self, transform: transform)
  }

  /// Picks a property of each value by a key path held in a variable.
  ///
  /// A key path written in place, `map(\.name)`, is turned into a closure by the
  /// compiler and is as fast as one.
  ///
  /// - Complexity: O(1) per value; a chain of maps and filters is one closure.
  @_disfavoredOverload
  @inlinable
  public func map<Result: Sendable>(
    _ keyPath: any KeyPath<Element, Result> & Sendable
  ) -> Map<Self, Result> {
    Map(source: self) { $0[keyPath: keyPath] }
  }
}

/// The flow behind `map(_:)`.
@frozen
public struct Map<Source: Flow, Element: Sendable>: Flow {
  /// The source's failure.
  public typealias Failure = Source.Failure
  @usableFromInline let source: Source
  @usableFromInline let transform: @Sendable (Source.Element) -> Element

  @_transparent
  @usableFromInline
  init(source: Source, transform: @escaping @Sendable (Source.Element) -> Element) {
    self.source = source
    self.transform = transform
  }

  /// Subscribes to the source, with the transform in front of the observer.
  @_transparent
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    let transform = transform
    return source.subscribe(observer, through: { transform($0) })
  }

  /// Connects an observer through one closure, made of this step and the ones after it.
  @_transparent
  @discardableResult
  public func subscribe<O: Observer>(
    _ observer: O, through next: @escaping @Sendable (Element) -> O.Element?
  ) -> Subscription where O.Failure == Failure {
    let transform = transform
    return source.subscribe(observer, through: { next(transform($0)) })
  }

  /// What the source has to say, transformed.
  @inlinable
  @inline(__always)
  public var known: Known<Element, Failure>? {
    switch source.known {
    case .value(let value): .value(transform(value))
    case .end(let end): .end(end)
    case nil: nil
    }
  }
}
