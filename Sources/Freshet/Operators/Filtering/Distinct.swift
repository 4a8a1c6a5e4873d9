extension Flow {
  /// Leaves out values whose key has come before.
  ///
  ///     source   1--2--1--3--2--|
  ///     result   1--2-----3-----|
  ///
  /// The keys are kept as long as the subscription lives: without a limit, memory
  /// grows with the number of different keys. With one, the key that came first is
  /// forgotten first, and a value with that key passes again. A key that does not
  /// equal itself, such as NaN, is not kept, and its values always pass. The end
  /// passes through unchanged.
  ///
  /// - Parameters:
  ///   - limit: How many keys to keep; nil keeps all. Positive.
  ///   - key: What values are compared by; called once per value.
  /// - Complexity: O(1) per value, on average; holds the keys.
  @_transparent
  public func distinct<Key: Hashable & Sendable>(
    limit: Int? = nil, by key: @escaping @Sendable (Element) -> Key
  ) -> Distinct<Self, Key> {
    precondition(limit.map { $0 > 0 } ?? true, "distinct(limit:by:) needs a positive limit")
    return Distinct(source: self, limit: limit, key: key)
  }
}

extension Flow where Element: Hashable {
  /// Leaves out values that have come before.
  ///
  ///     source   1--2--1--3--2--|
  ///     result   1--2-----3-----|
  ///
  /// The values are kept as ``distinct(limit:by:)`` keeps its keys.
  ///
  /// - Parameter limit: How many values to keep; nil keeps all. Positive.
  /// - Complexity: O(1) per value, on average; holds the values.
  @_transparent
  public func distinct(limit: Int? = nil) -> Distinct<Self, Element> {
    distinct(limit: limit, by: { $0 })
  }
}

/// The flow behind `distinct(limit:by:)`.
@frozen
public struct Distinct<Source: Flow, Key: Hashable & Sendable>: Flow {
  /// The source's values.
  public typealias Element = Source.Element

  /// The source's failure.
  public typealias Failure = Source.Failure
  @usableFromInline let source: Source
  @usableFromInline let limit: Int?
  @usableFromInline let key: @Sendable (Element) -> Key

  @_transparent
  @usableFromInline
  init(source: Source, limit: Int?, key: @escaping @Sendable (Element) -> Key) {
    self.source = source
    self.limit = limit
    self.key = key
  }

  /// Subscribes to the source; each observer has keys of its own.
  @_transparent
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    source.subscribe(
      DistinctByKeyObserver(downstream: observer, key: key, keys: KeySet(limit: limit)))
  }
}

@frozen
@usableFromInline
struct DistinctByKeyObserver<Key: Hashable & Sendable, Downstream: Observer>: Observer {
  @usableFromInline typealias Element = Downstream.Element
  @usableFromInline typealias Failure = Downstream.Failure
  @usableFromInline var downstream: Downstream
  @usableFromInline let key: @Sendable (Element) -> Key
  @usableFromInline var keys: KeySet<Key>

  @inlinable
  @inline(__always)
  init(downstream: Downstream, key: @escaping @Sendable (Element) -> Key, keys: KeySet<Key>) {
    self.downstream = downstream
    self.key = key
    self.keys = keys
  }

  @inlinable static var mayPause: Bool { Downstream.mayPause }

  @inlinable
  @inline(__always)
  mutating func start(_ subscription: Subscription) {
    downstream.start(subscription)
  }

  @inlinable
  @inline(__always)
  mutating func receive(_ value: Element) -> Answer {
    keys.insert(key(value)) ? downstream.receive(value) : .more
  }

  @inlinable
  @inline(__always)
  mutating func end(_ end: End<Failure>) {
    downstream.end(end)
  }
}

/// The keys that have come, or the last of them.
@frozen
@usableFromInline
struct KeySet<Key: Hashable & Sendable>: Sendable {
  @usableFromInline var keys: Set<Key> = []
  @usableFromInline var order: Ring<Key>?

  @inlinable
  init(limit: Int?) {
    order = limit.map { Ring(limit: $0) }
  }

  /// Takes note of a key.
  ///
  /// - Returns: True when it was not there.
  @inlinable
  mutating func insert(_ key: Key) -> Bool {
    guard key == key else { return true }  // NaN: it would never be found again.
    guard keys.insert(key).inserted else { return false }
    if let forgotten = order?.push(key) { keys.remove(forgotten) }
    return true
  }
}
