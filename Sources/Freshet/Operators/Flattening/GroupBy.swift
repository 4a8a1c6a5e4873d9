extension Flow {
  /// Splits a flow into one flow per key.
  ///
  ///     source   1---2---3---4--|
  ///     result   (odd)-(even)---|     groupBy { $0.isMultiple(of: 2) }
  ///     odd      1-------3------|
  ///     even     ----2-------4--|
  ///
  /// A group is sent when its key is first seen, before its first value; whoever
  /// subscribes to it then misses nothing. Groups are hot: a later subscriber
  /// starts with the next value. All groups end with the source. Disposing of
  /// the result stops the source, and with it all groups, silently.
  ///
  /// - Parameter key: Tells the group of a value; called where the value arrives.
  /// - Complexity: O(1) per value, on average; holds one group per key.
  @inlinable
  public func groupBy<Key: Hashable & Sendable>(
    _ key: @escaping @Sendable (Element) -> Key
  ) -> some Flow<Group<Key, Element, Failure>, Failure> {
    GroupBy(source: self, key: key)
  }
}

/// One of the flows that `groupBy(_:)` sends.
public struct Group<Key: Hashable & Sendable, Element: Sendable, Failure: Error>: Flow {
  /// What the values of the group have in common.
  public let key: Key

  @usableFromInline let subject: PublishSubject<Element, Failure>

  @inlinable
  init(key: Key, subject: PublishSubject<Element, Failure>) {
    self.key = key
    self.subject = subject
  }

  @inlinable
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    subject.subscribe(observer)
  }
}

/// The flow behind `groupBy(_:)`.
@frozen
@usableFromInline
struct GroupBy<Source: Flow, Key: Hashable & Sendable>: Flow {
  @usableFromInline typealias Element = Group<Key, Source.Element, Source.Failure>
  @usableFromInline typealias Failure = Source.Failure
  @usableFromInline let source: Source
  @usableFromInline let key: @Sendable (Source.Element) -> Key

  @inlinable
  init(source: Source, key: @escaping @Sendable (Source.Element) -> Key) {
    self.source = source
    self.key = key
  }

  @inlinable
  @discardableResult
  func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    source.subscribe(GroupByObserver(downstream: observer, key: key))
  }
}

@frozen
@usableFromInline
struct GroupByObserver<Element: Sendable, Key: Hashable & Sendable, Downstream: Observer>: Observer
where Downstream.Element == Group<Key, Element, Downstream.Failure> {
  @usableFromInline typealias Failure = Downstream.Failure
  @usableFromInline var downstream: Downstream
  @usableFromInline let key: @Sendable (Element) -> Key
  @usableFromInline var groups: [Key: PublishSubject<Element, Failure>] = [:]

  @inlinable
  init(downstream: Downstream, key: @escaping @Sendable (Element) -> Key) {
    self.downstream = downstream
    self.key = key
  }

  @inlinable static var mayPause: Bool { Downstream.mayPause }

  @inlinable
  mutating func start(_ subscription: Subscription) {
    downstream.start(subscription)
  }

  @inlinable
  mutating func receive(_ value: Element) -> Answer {
    let key = key(value)
    if let group = groups[key] {
      group.send(value)
      return .more
    }
    let group = PublishSubject<Element, Failure>()
    groups[key] = group
    let answer = downstream.receive(Group(key: key, subject: group))
    if answer != .stop { group.send(value) }
    return answer
  }

  @inlinable
  mutating func end(_ end: End<Failure>) {
    for group in exchange(&groups, for: [:]).values {
      switch end {
      case .finished: group.finish()
      case .failed(let failure): group.fail(failure)
      }
    }
    downstream.end(end)
  }
}
