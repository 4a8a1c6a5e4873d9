extension Flow {
  /// The values of this flow as an asynchronous sequence.
  ///
  /// The subscription starts when the iterator is made, so nothing that a hot
  /// source sends after that is missed. A cold source is paused while the
  /// buffer is full: nothing is lost. A failure is thrown once, after the values
  /// before it; then, as after a finish, the sequence is over. Cancelling the
  /// task, or leaving the loop, disposes of the subscription; a cancelled
  /// `next()` returns nil.
  ///
  /// - Complexity: O(1) per value.
  public var values: FlowValues<Self> { values() }

  /// The values of this flow as an asynchronous sequence, with a chosen buffer.
  ///
  /// - Parameters:
  ///   - capacity: How many values may wait. At least one.
  ///   - overflow: What to do with more; see ``Overflow``.
  public func values(
    capacity: Int = 64, overflow: Overflow<Failure> = .suspend
  ) -> FlowValues<Self> {
    precondition(capacity > 0, "values(capacity:) needs room for at least one value")
    return FlowValues(source: self, capacity: capacity, overflow: overflow)
  }

  /// Waits for the first value and then stops the source.
  ///
  /// - Returns: The value; nil when the flow finishes without one, or the task is cancelled.
  /// - Throws: The flow's failure.
  public func firstValue() async throws(Failure) -> Element? {
    var iterator = values(capacity: 1).makeAsyncIterator()
    return try await iterator.next(isolation: nil)
  }
}

/// The asynchronous sequence behind `values`.
public struct FlowValues<Source: Flow>: AsyncSequence, Sendable {
  /// The source's values.
  public typealias Element = Source.Element

  /// The source's failure.
  public typealias Failure = Source.Failure
  let source: Source
  let capacity: Int
  let overflow: Overflow<Failure>

  /// Subscribes to the flow.
  public func makeAsyncIterator() -> Iterator {
    let reader = Reader<Element, Failure>(mailbox: Mailbox(capacity: capacity, overflow: overflow))
    source.subscribe(ReaderInlet(reader: reader))
    return Iterator(reader: reader)
  }

  /// Hands out the values one by one.
  ///
  /// One task uses it at a time.
  public struct Iterator: AsyncIteratorProtocol {
    private let lifetime: Lifetime

    init(reader: Reader<Element, Failure>) {
      lifetime = Lifetime(reader: reader)
    }

    /// Waits for the next value.
    ///
    /// - Returns: The value; nil when the flow has finished or the task was cancelled.
    /// - Throws: The flow's failure, once.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(Failure) -> Element? {
      let result = await lifetime.reader.next(isolation: actor)
      return try result?.get()
    }

    /// Waits for the next value.
    public mutating func next() async throws(Failure) -> Element? {
      try await next(isolation: nil)
    }

    /// Stops the source when the loop is left.
    private final class Lifetime: Sendable {
      let reader: Reader<Element, Failure>

      init(reader: Reader<Element, Failure>) {
        self.reader = reader
      }

      deinit {
        reader.cancel()
      }
    }
  }
}
