extension Flow {
  /// Sends each value, and the values of the flow made from it, and of those, and so on.
  ///
  ///     source   1---------|
  ///     result   (1248)----|     expand { $0 < 8 ? AnyFlow(Just($0 * 2)) : AnyFlow(Empty()) }
  ///
  /// Finishes when the source and all inner flows have finished. The stack stays
  /// flat however deep the recursion goes.
  ///
  /// - Parameters:
  ///   - maxConcurrent: How many inner flows run at a time.
  ///   - transform: Makes the flow that follows a value.
  /// - Complexity: O(1) per value and per inner flow.
  @inlinable
  public func expand<Inner: Flow>(
    maxConcurrent: Int = .max, _ transform: @escaping @Sendable (Element) -> Inner
  ) -> Expand<Self, Inner> where Inner.Element == Element, Inner.Failure == Failure {
    precondition(maxConcurrent > 0, "expand needs room for at least one inner flow")
    return Expand(source: self, maxConcurrent: maxConcurrent, transform: transform)
  }
}

/// The flow behind `expand(maxConcurrent:_:)`.
@frozen
public struct Expand<Source: Flow, Inner: Flow>: Flow
where Inner.Element == Source.Element, Inner.Failure == Source.Failure {
  /// The source's values.
  public typealias Element = Source.Element

  /// The source's failure.
  public typealias Failure = Source.Failure
  @usableFromInline let source: Source
  @usableFromInline let maxConcurrent: Int
  @usableFromInline let transform: @Sendable (Element) -> Inner

  @inlinable
  init(
    source: Source, maxConcurrent: Int, transform: @escaping @Sendable (Source.Element) -> Inner
  ) {
    self.source = source
    self.maxConcurrent = maxConcurrent
    self.transform = transform
  }

  /// Subscribes to the source, and to an inner flow for each value that is sent.
  @inlinable
  @inline(__always)
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    let kernel = Kernel(
      rule: ExpandRule(maxConcurrent: maxConcurrent, transform: transform), observer: observer,
      sources: 1)
    kernel.begin()
    kernel.open(source, at: Port(0), value: { .value($0) }, end: { .sourceEnd($0) })
    return kernel
  }
}

/// Treats the values of inner flows like those of the source.
@frozen
@usableFromInline
struct ExpandRule<Inner: Flow>: Rule {
  @usableFromInline typealias Output = Inner.Element
  @usableFromInline typealias Failure = Inner.Failure

  @usableFromInline
  enum Input: Sendable {
    case value(Inner.Element)
    case sourceEnd(End<Inner.Failure>)
    case innerEnd(End<Inner.Failure>)
  }

  @usableFromInline let maxConcurrent: Int
  @usableFromInline let transform: @Sendable (Inner.Element) -> Inner
  @usableFromInline var running = 0
  @usableFromInline var waiting = Queue<Inner.Element>()
  @usableFromInline var sourceHasFinished = false

  @inlinable
  init(maxConcurrent: Int, transform: @escaping @Sendable (Inner.Element) -> Inner) {
    self.maxConcurrent = maxConcurrent
    self.transform = transform
  }

  @inlinable static var mayPause: Bool { true }

  @inlinable
  mutating func advance(_ input: Input, from port: Port, into out: inout Outbox<Self>) {
    switch input {
    case .value(let value):
      out.emit(value)
      if running < maxConcurrent {
        running += 1
        _ = out.subscribe(transform(value))
      } else {
        waiting.append(value)
      }
      // Only the source is paused: an inner flow that waits for itself would never go on.
      if running == maxConcurrent, port == Port(0) { out.pause() }
    case .innerEnd(.finished):
      if let value = waiting.popFirst() {
        _ = out.subscribe(transform(value))
      } else {
        running -= 1
        out.resume(Port(0))
      }
      if sourceHasFinished, running == 0 { out.end(.finished) }
    case .sourceEnd(.finished):
      sourceHasFinished = true
      if running == 0 { out.end(.finished) }
    case .innerEnd(.failed(let failure)), .sourceEnd(.failed(let failure)):
      out.end(.failed(failure))
    }
  }

  @inlinable static func input(value: Inner.Element) -> Input { .value(value) }
  @inlinable static func input(end: End<Inner.Failure>) -> Input { .innerEnd(end) }
}
