extension Flow {
  /// Sends the values of two flows as they come.
  ///
  ///     a        -1------|
  ///     b        ----2------|
  ///     result   -1--2------|     a.merge(with: b)
  ///
  /// Finishes when all have finished. A failure of either ends the result at
  /// once and lets the other go. A pause is passed on to whoever sends next.
  ///
  /// - Complexity: O(1) per value.
  @inlinable
  public func merge<Other: Flow>(with other: Other) -> Merge<Self, Other>
  where Other.Element == Element, Other.Failure == Failure {
    Merge(first: self, second: other)
  }
}

extension Sequence where Self: Sendable, Element: Flow {
  /// Sends the values of all flows of this sequence as they come.
  ///
  /// They are subscribed to in order. The result finishes when all have
  /// finished, at once when there is none; a failure ends it at once.
  ///
  /// - Complexity: O(1) per value, whatever the number of flows.
  @inlinable
  public func merged() -> MergeMany<Self> {
    MergeMany(sources: self)
  }
}

/// The flow behind `merge(with:)`.
@frozen
public struct Merge<First: Flow, Second: Flow>: Flow
where First.Element == Second.Element, First.Failure == Second.Failure {
  /// The values of both flows.
  public typealias Element = First.Element

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
      rule: MergeRule<Element, Failure>(running: 2), observer: observer, sources: 2)
    kernel.begin()
    kernel.open(first, at: Port(0), value: { .value($0) }, end: { .end($0) })
    kernel.open(second, at: Port(1), value: { .value($0) }, end: { .end($0) })
    return kernel
  }
}

/// The flow behind `merged()`.
@frozen
public struct MergeMany<Sources: Sequence & Sendable>: Flow where Sources.Element: Flow {
  /// The values of all flows.
  public typealias Element = Sources.Element.Element

  /// The failure of any of the flows.
  public typealias Failure = Sources.Element.Failure
  @usableFromInline let sources: Sources

  @inlinable
  init(sources: Sources) {
    self.sources = sources
  }

  /// Subscribes to all flows, in their order.
  @inlinable
  @inline(__always)
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    let sources = Array(sources)
    guard !sources.isEmpty else { return subscribeToEnd(.finished, observer) }
    let kernel = Kernel(
      rule: MergeRule<Element, Failure>(running: sources.count), observer: observer,
      sources: sources.count)
    kernel.begin()
    for (index, source) in sources.enumerated() {
      kernel.open(source, at: Port(index), value: { .value($0) }, end: { .end($0) })
    }
    return kernel
  }
}

/// Passes everything on and finishes with the last source.
@frozen
@usableFromInline
struct MergeRule<Element: Sendable, Failure: Error>: Rule {
  @usableFromInline typealias Output = Element
  @usableFromInline typealias Inner = NoInner

  @usableFromInline
  enum Input: Sendable {
    case value(Element)
    case end(End<Failure>)
  }

  @usableFromInline var running: Int

  @inlinable
  init(running: Int) {
    self.running = running
  }

  @inlinable
  @inline(__always)
  mutating func advance(_ input: Input, from port: Port, into out: inout Outbox<Self>) {
    switch input {
    case .value(let value):
      out.emit(value)
    case .end(.finished):
      running -= 1
      if running == 0 { out.end(.finished) }
    case .end(.failed(let failure)):
      out.end(.failed(failure))
    }
  }
}
