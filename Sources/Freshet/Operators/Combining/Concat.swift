extension Flow {
  /// Sends this flow and then another.
  ///
  ///     a        1--2|
  ///     b        3--4|
  ///     result   1--23--4|     a.concat(b)
  ///
  /// The second flow is subscribed to when the first has finished. When the
  /// first fails, the result fails and the second is never subscribed to.
  ///
  /// - Complexity: O(1) per value.
  @inlinable
  public func concat<Second: Flow>(_ second: Second) -> Concat<Self, Second>
  where Second.Element == Element, Second.Failure == Failure {
    Concat(first: self, second: second)
  }
}

/// The flow behind `concat(_:)`.
@frozen
public struct Concat<First: Flow, Second: Flow>: Flow
where First.Element == Second.Element, First.Failure == Second.Failure {
  /// The values of both flows.
  public typealias Element = Second.Element

  /// The failure of either flow.
  public typealias Failure = Second.Failure
  @usableFromInline let first: First
  @usableFromInline let second: Second

  @inlinable
  init(first: First, second: Second) {
    self.first = first
    self.second = second
  }

  /// Subscribes to the first flow, and to the second when it has finished.
  @inlinable
  @inline(__always)
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    let kernel = Kernel(rule: ConcatRule(second: second), observer: observer, sources: 1)
    kernel.begin()
    kernel.open(
      first, at: Port(0), value: { .value($0) },
      end: { end in
        if case .finished = end { .next } else { .end(end) }
      })
    return kernel
  }
}

/// Subscribes to the second source when the first has finished.
@frozen
@usableFromInline
struct ConcatRule<Second: Flow>: Rule {
  @usableFromInline typealias Output = Second.Element
  @usableFromInline typealias Failure = Second.Failure
  @usableFromInline typealias Inner = Second

  @usableFromInline
  enum Input: Sendable {
    case value(Second.Element)
    case next
    case end(End<Second.Failure>)
  }

  @usableFromInline var second: Second?

  @inlinable
  init(second: Second) {
    self.second = second
  }

  @inlinable
  @inline(__always)
  mutating func advance(_ input: Input, from port: Port, into out: inout Outbox<Self>) {
    switch input {
    case .value(let value):
      out.emit(value)
    case .next:
      if let second { _ = out.subscribe(second) }
      second = nil
    case .end(let end):
      out.end(end)
    }
  }

  @inlinable static func input(value: Second.Element) -> Input { .value(value) }
  @inlinable static func input(end: End<Second.Failure>) -> Input { .end(end) }
}
