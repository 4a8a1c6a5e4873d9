extension Flow {
  /// Sends the same, and keeps the steps before it apart from those after it.
  ///
  ///     source   1--2--3--|
  ///     result   1--2--3--|     hide()
  ///
  /// Adjacent `map`, `filter` and `compactMap` are one closure. Where more than about forty of them
  /// follow one another and their own closures have captured something, the optimiser opens the
  /// first forty and calls the rest; with this after every twenty it opens more of them. It costs
  /// nothing else. `docs/decisions/streams-steps-are-one-closure.md` has figures.
  ///
  /// - Complexity: O(1) per value: none.
  @_transparent
  public func hide() -> Hidden<Self> {
    Hidden(source: self)
  }
}

/// The flow behind `hide()`.
@frozen
public struct Hidden<Source: Flow>: Flow {
  /// The source's values.
  public typealias Element = Source.Element

  /// The source's failure.
  public typealias Failure = Source.Failure
  @usableFromInline let source: Source

  @_transparent
  @usableFromInline
  init(source: Source) {
    self.source = source
  }

  /// Subscribes to the source.
  @_transparent
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    source.subscribe(observer)
  }

  /// Subscribes to the source, through the steps that follow.
  @_transparent
  @discardableResult
  public func subscribe<O: Observer>(
    _ observer: O, through transform: @escaping @Sendable (Element) -> O.Element?
  ) -> Subscription where O.Failure == Failure {
    source.subscribe(observer, through: transform)
  }

  /// What the source has to say.
  @inlinable
  @inline(__always)
  public var known: Known<Element, Failure>? { source.known }
}
