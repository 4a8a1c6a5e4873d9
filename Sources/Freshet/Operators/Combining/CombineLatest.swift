extension Flow {
  /// Combines the latest value of two flows whenever one of them sends.
  ///
  ///     a        1-----2-----|
  ///     b        ---x-----y----|
  ///     result   ---p--q--r----|     a.combineLatest(with: b)   p=1x q=2x r=2y
  ///
  /// Nothing is sent before both have sent. Finishes when both have finished,
  /// and at once when one finishes without having sent anything, because then
  /// no pair can ever come. A failure of either ends the result at once.
  ///
  /// - Complexity: O(1) per value; holds one value of each.
  @inlinable
  public func combineLatest<Other: Flow>(with other: Other) -> CombineLatest<Self, Other>
  where Other.Failure == Failure {
    CombineLatest(first: self, second: other)
  }

  /// Combines the latest value of two flows with a function.
  ///
  /// See ``combineLatest(with:)``.
  @inlinable
  public func combineLatest<Other: Flow, Result: Sendable>(
    with other: Other, _ combine: @escaping @Sendable (Element, Other.Element) -> Result
  ) -> Fused<CombineLatest<Self, Other>, Result> where Other.Failure == Failure {
    combineLatest(with: other).map { combine($0.0, $0.1) }
  }
}

/// The flow behind `combineLatest(with:)`.
@frozen
public struct CombineLatest<First: Flow, Second: Flow>: Flow
where First.Failure == Second.Failure {
  /// The latest value of each.
  public typealias Element = (First.Element, Second.Element)

  /// The failure of either flow.
  public typealias Failure = First.Failure
  @usableFromInline let first: First
  @usableFromInline let second: Second

  @inlinable
  init(first: First, second: Second) {
    self.first = first
    self.second = second
  }

  /// Subscribes to the first flow, and then to the second.
  @inlinable
  @inline(__always)
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    let kernel = Kernel(
      rule: CombineLatestRule<First.Element, Second.Element, Failure>(), observer: observer,
      sources: 2)
    kernel.begin()
    kernel.open(first, at: Port(0), value: { .first($0) }, end: { .end($0) })
    kernel.open(second, at: Port(1), value: { .second($0) }, end: { .end($0) })
    return kernel
  }
}

/// Keeps the latest of each source.
@frozen
@usableFromInline
struct CombineLatestRule<First: Sendable, Second: Sendable, Failure: Error>: Rule {
  @usableFromInline typealias Output = (First, Second)
  @usableFromInline typealias Inner = NoInner

  @usableFromInline
  enum Input: Sendable {
    case first(First)
    case second(Second)
    case end(End<Failure>)
  }

  @usableFromInline var first: First?
  @usableFromInline var second: Second?
  @usableFromInline var running = 2

  @inlinable
  init() {}

  @inlinable
  @inline(__always)
  mutating func advance(_ input: Input, from port: Port, into out: inout Outbox<Self>) {
    switch input {
    case .first(let value):
      first = value
      if let second { out.emit((value, second)) }
    case .second(let value):
      second = value
      if let first { out.emit((first, value)) }
    case .end(.finished):
      running -= 1
      let sentNothing = port == Port(0) ? first == nil : second == nil
      if running == 0 || sentNothing { out.end(.finished) }
    case .end(.failed(let failure)):
      out.end(.failed(failure))
    }
  }
}
