extension Result where Success: Sendable {
  /// A cold flow of this result: its value, or its failure.
  ///
  ///     result   (1|)  or  #
  public var flow: some Flow<Success, Failure> {
    let result = self
    return Single<Success, Failure> { resolver in
      switch result {
      case .success(let value): resolver.succeed(value)
      case .failure(let failure): resolver.fail(failure)
      }
      return nil
    }
  }
}

extension Optional where Wrapped: Sendable {
  /// A cold flow of this value, empty when there is none.
  ///
  ///     result   (1|)  or  |
  public var flow: SequenceFlow<CollectionOfMaybeOne<Wrapped>> {
    SequenceFlow(CollectionOfMaybeOne(self))
  }
}

/// A sequence of one element or none.
public struct CollectionOfMaybeOne<Element: Sendable>: Sequence, Sendable {
  private let element: Element?

  /// Makes a sequence of an optional.
  public init(_ element: Element?) {
    self.element = element
  }

  /// Makes an iterator over the element.
  public func makeIterator() -> IteratorOfMaybeOne {
    IteratorOfMaybeOne(element: element)
  }

  /// Iterates over one element or none.
  public struct IteratorOfMaybeOne: IteratorProtocol {
    fileprivate var element: Element?

    /// Hands out the element, once.
    public mutating func next() -> Element? {
      exchange(&element, for: nil)
    }
  }
}
