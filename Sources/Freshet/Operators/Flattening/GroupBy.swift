extension Flow {
  /// Splits a flow into one flow per key.
  ///
  ///     source   1---2---3---4--|
  ///     result   o---e----------|     groupBy { $0.isMultiple(of: 2) }   o=odd e=even
  ///     odd      1-------3------|
  ///     even     ----2-------4--|
  ///
  /// A group is sent when its key is first seen, before its first value; whoever
  /// subscribes to it then misses nothing. Groups are hot: a later subscriber
  /// starts with the next value. All groups end with the source, in the order in
  /// which they came.
  ///
  /// Disposing of the result, as `take(2)` does, means that no further group is sent;
  /// values for others are dropped. Groups that are followed go on: the source is
  /// stopped with the last of their observers, or at once when there is none.
  ///
  /// When the observer of a group pauses, the source is paused. When the observer of
  /// the groups pauses, further groups and their values wait, up to a limit; then the
  /// source is paused. So take groups side by side, with `flatMap`. With `concatMap`
  /// each group waits for the end of the one before, which comes with the end of the
  /// source: that works for as many values as may wait, and for more it waits for ever.
  ///
  /// - Parameters:
  ///   - capacity: How many groups and values may wait for the observer of the groups
  ///     before the source is paused. Positive; `.max` is without a limit.
  ///   - key: Tells the group of a value; called where the value arrives.
  /// - Complexity: O(1) per value, on average; holds one group per key.
  @inlinable
  public func groupBy<Key: Hashable & Sendable>(
    capacity: Int = 256, _ key: @escaping @Sendable (Element) -> Key
  ) -> some Flow<Group<Key, Element, Failure>, Failure> {
    precondition(capacity > 0, "groupBy needs room for at least one value")
    return GroupBy(source: self, capacity: capacity, key: key)
  }
}

/// One of the flows that `groupBy(capacity:_:)` sends.
public struct Group<Key: Hashable & Sendable, Element: Sendable, Failure: Error>: Flow {
  /// What the values of the group have in common.
  public let key: Key

  @usableFromInline let part: SplitPart<Element, Failure>

  @inlinable
  init(key: Key, part: SplitPart<Element, Failure>) {
    self.key = key
    self.part = part
  }

  /// Adds an observer to the group; it starts with the group's next value.
  @inlinable
  @inline(__always)
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    part.subscribe(observer)
  }
}

/// The flow behind `groupBy(capacity:_:)`.
@frozen
@usableFromInline
struct GroupBy<Source: Flow, Key: Hashable & Sendable>: Flow {
  @usableFromInline typealias Element = Group<Key, Source.Element, Source.Failure>
  @usableFromInline typealias Failure = Source.Failure
  @usableFromInline let source: Source
  @usableFromInline let capacity: Int
  @usableFromInline let key: @Sendable (Source.Element) -> Key

  @inlinable
  init(source: Source, capacity: Int, key: @escaping @Sendable (Source.Element) -> Key) {
    self.source = source
    self.capacity = capacity
    self.key = key
  }

  @inlinable
  @inline(__always)
  @discardableResult
  func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    let handle = SplitHandle()
    let kernel = Kernel(
      rule: GroupByRule<Source.Element, Key, Failure>(handle: handle),
      observer: SplitOutlet<Source.Element, O>(
        downstream: observer, handle: handle, capacity: capacity), sources: 2)
    handle.onPoke { kernel.perform(.input(.poke, Port(1), closes: false)) }
    kernel.begin()
    let key = key
    kernel.open(source, at: Port(0), value: { .value($0, key($0)) }, end: { .end($0) })
    return handle
  }
}

/// Says which group opens, gets a value, closes.
@frozen
@usableFromInline
struct GroupByRule<Value: Sendable, Key: Hashable & Sendable, Failure: Error>: Rule {
  @usableFromInline typealias Output = SplitStep<Group<Key, Value, Failure>, Value, Failure>
  @usableFromInline typealias Inner = NoInner

  @usableFromInline
  enum Input: Sendable {
    case value(Value, Key)
    case end(End<Failure>)
    case poke
  }

  @usableFromInline let handle: SplitHandle
  @usableFromInline var places: [Key: Int] = [:]
  @usableFromInline var groups: [SplitPart<Value, Failure>] = []

  @inlinable
  init(handle: SplitHandle) {
    self.handle = handle
  }

  @inlinable
  mutating func advance(_ input: Input, from port: Port, into out: inout Outbox<Self>) {
    switch input {
    case .value(let value, let key):
      if let place = places[key] {
        out.emit(.value(value, groups[place]))
        return
      }
      // No group is made for which nobody asks any more.
      if handle.isDisposed { return }
      let group = SplitPart<Value, Failure>(handle: handle)
      places[key] = groups.count
      groups.append(group)
      out.emit(.open(Group(key: key, part: group)))
      out.emit(.value(value, group))
    case .end(let end):
      for group in exchange(&groups, for: []) { out.emit(.close(end, group)) }
      out.end(end)
    case .poke:
      out.emit(.poke)
    }
  }
}
