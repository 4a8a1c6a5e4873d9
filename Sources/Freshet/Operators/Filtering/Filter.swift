extension Flow {
  /// Lets through the values that pass a test.
  ///
  ///     source   1--2--3--4--|
  ///     result   ---2-----4--|     filter { $0.isMultiple(of: 2) }
  ///
  /// The end passes through unchanged.
  ///
  /// - Parameter isIncluded: Called once per value, where the value arrives.
  /// - Complexity: O(1) per value; a chain of maps and filters is one closure.
  @_transparent
  public func filter(
    _ isIncluded: @escaping @Sendable (Element) -> Bool
  ) -> Filter<Self> {
    Filter(source: self, isIncluded: isIncluded)
  }
}

/// The flow behind `filter(_:)`.
@frozen
public struct Filter<Source: Flow>: Flow {
  /// The source's values.
  public typealias Element = Source.Element

  /// The source's failure.
  public typealias Failure = Source.Failure
  @usableFromInline let source: Source
  @usableFromInline let isIncluded: @Sendable (Element) -> Bool

  @_transparent
  @usableFromInline
  init(source: Source, isIncluded: @escaping @Sendable (Element) -> Bool) {
    self.source = source
    self.isIncluded = isIncluded
  }

  /// Subscribes to the source, with the test in front of the observer.
  @_transparent
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    let isIncluded = isIncluded
    return source.subscribe(observer, through: { isIncluded($0) ? $0 : nil })
  }

  /// Connects an observer through one closure, made of this step and the ones after it.
  @_transparent
  @discardableResult
  public func subscribe<O: Observer>(
    _ observer: O, through next: @escaping @Sendable (Element) -> O.Element?
  ) -> Subscription where O.Failure == Failure {
    let isIncluded = isIncluded
    return source.subscribe(observer, through: { isIncluded($0) ? next($0) : nil })
  }
}
