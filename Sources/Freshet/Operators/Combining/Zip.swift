extension Flow {
  /// Pairs the n-th value of one flow with the n-th of another.
  ///
  ///     a        1--2--3---------|
  ///     b        -----x-----y----|
  ///     result   -----p-----q----|     a.zip(with: b)   p=1x q=2y
  ///
  /// Finishes as soon as no further pair can come: when a flow has finished and
  /// nothing of it waits. A failure of either ends the result at once.
  ///
  /// - Parameters:
  ///   - other: The flow to pair with.
  ///   - capacity: How many values of the faster flow may wait before it is paused.
  ///     What a hot source sends all the same is kept.
  /// - Complexity: O(1) per value, amortised.
  @inlinable
  public func zip<Other: Flow>(
    with other: Other, capacity: Int = 64
  ) -> Zip<Self, Other> where Other.Failure == Failure {
    precondition(capacity > 0, "zip needs room for at least one value")
    return Zip(first: self, second: other, capacity: capacity)
  }

  /// Combines the n-th value of one flow with the n-th of another by a function.
  ///
  ///     a        1--2--3---------|
  ///     b        -----1-----2----|
  ///     result   -----2-----4----|     a.zip(with: b) { $0 + $1 }
  ///
  /// See ``zip(with:capacity:)``.
  @inlinable
  public func zip<Other: Flow, Result: Sendable>(
    with other: Other, capacity: Int = 64,
    _ combine: @escaping @Sendable (Element, Other.Element) -> Result
  ) -> Fused<Zip<Self, Other>, Result> where Other.Failure == Failure {
    zip(with: other, capacity: capacity).map { combine($0.0, $0.1) }
  }
}

/// The flow behind `zip(with:capacity:)`.
@frozen
public struct Zip<First: Flow, Second: Flow>: Flow where First.Failure == Second.Failure {
  /// The n-th value of each.
  public typealias Element = (First.Element, Second.Element)

  /// The failure of either flow.
  public typealias Failure = First.Failure
  @usableFromInline let first: First
  @usableFromInline let second: Second
  @usableFromInline let capacity: Int

  @inlinable
  init(first: First, second: Second, capacity: Int) {
    self.first = first
    self.second = second
    self.capacity = capacity
  }

  /// Subscribes to the first flow, and then to the second.
  @inlinable
  @inline(__always)
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    let kernel = Kernel(
      rule: ZipRule<First.Element, Second.Element, Failure>(capacity: capacity),
      observer: observer, sources: 2)
    kernel.begin()
    kernel.open(first, at: Port(0), value: { .first($0) }, end: { .end($0) })
    kernel.open(second, at: Port(1), value: { .second($0) }, end: { .end($0) })
    return kernel
  }
}

/// Keeps what is ahead; at most one of the queues holds something.
@frozen
@usableFromInline
struct ZipRule<First: Sendable, Second: Sendable, Failure: Error>: Rule {
  @usableFromInline typealias Output = (First, Second)
  @usableFromInline typealias Inner = NoInner

  @usableFromInline
  enum Input: Sendable {
    case first(First)
    case second(Second)
    case end(End<Failure>)
  }

  @usableFromInline let capacity: Int
  @usableFromInline var first = Queue<First>()
  @usableFromInline var second = Queue<Second>()
  @usableFromInline var firstHasFinished = false
  @usableFromInline var secondHasFinished = false

  @inlinable
  init(capacity: Int) {
    self.capacity = capacity
  }

  @inlinable static var mayPause: Bool { true }

  @inlinable
  @inline(__always)
  mutating func advance(_ input: Input, from port: Port, into out: inout Outbox<Self>) {
    switch input {
    case .first(let value):
      if let partner = second.popFirst() {
        out.emit((value, partner))
        if second.isEmpty {
          if secondHasFinished { out.end(.finished) } else { out.resume(Port(1)) }
        }
      } else {
        first.append(value)
        if first.count >= capacity { out.pause() }
      }
    case .second(let value):
      if let partner = first.popFirst() {
        out.emit((partner, value))
        if first.isEmpty {
          if firstHasFinished { out.end(.finished) } else { out.resume(Port(0)) }
        }
      } else {
        second.append(value)
        if second.count >= capacity { out.pause() }
      }
    case .end(.finished):
      if port == Port(0) {
        firstHasFinished = true
        if first.isEmpty { out.end(.finished) }
      } else {
        secondHasFinished = true
        if second.isEmpty { out.end(.finished) }
      }
    case .end(.failed(let failure)):
      out.end(.failed(failure))
    }
  }
}
