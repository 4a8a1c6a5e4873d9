extension Flow {
  /// Turns each value into a flow and merges them all.
  ///
  ///     source   a-----b-----|
  ///     inner    --p-q|
  ///     inner          --r-s|
  ///     result   --p-q---r-s-|     p=a1 q=a2 r=b1 s=b2
  ///
  /// Finishes when the source and all inner flows have finished. A failure of
  /// any of them ends the result at once and lets all others go.
  ///
  /// - Parameters:
  ///   - maxConcurrent: How many inner flows run at a time. While that many run,
  ///     the source is paused, and inner flows of values that a hot source goes
  ///     on sending wait in order. With 1 the inner flows run one after the other.
  ///   - transform: Makes the inner flow; called where the value arrives.
  /// - Complexity: O(1) per value and per inner flow.
  @inlinable
  public func flatMap<Inner: Flow>(
    maxConcurrent: Int = .max, _ transform: @escaping @Sendable (Element) -> Inner
  ) -> FlatMap<Self, Inner> where Inner.Failure == Failure {
    precondition(maxConcurrent > 0, "flatMap needs room for at least one inner flow")
    return FlatMap(source: self, maxConcurrent: maxConcurrent, transform: transform)
  }
}

/// The flow behind `flatMap(maxConcurrent:_:)`.
@frozen
public struct FlatMap<Source: Flow, Inner: Flow>: Flow where Inner.Failure == Source.Failure {
  /// The values of the inner flows.
  public typealias Element = Inner.Element

  /// The source's failure.
  public typealias Failure = Source.Failure
  @usableFromInline let source: Source
  @usableFromInline let maxConcurrent: Int
  @usableFromInline let transform: @Sendable (Source.Element) -> Inner

  @inlinable
  init(
    source: Source, maxConcurrent: Int, transform: @escaping @Sendable (Source.Element) -> Inner
  ) {
    self.source = source
    self.maxConcurrent = maxConcurrent
    self.transform = transform
  }

  /// Subscribes to the source, and to an inner flow for each value.
  @inlinable
  @inline(__always)
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    let kernel = Kernel(
      rule: FlatMapRule<Inner>(maxConcurrent: maxConcurrent), observer: observer, sources: 1)
    kernel.begin()
    let transform = transform
    kernel.open(
      source, at: Port(0), value: { .inner(transform($0)) }, end: { .sourceEnd($0) })
    return kernel
  }
}

/// Runs inner flows side by side, up to a limit; the rest wait.
@frozen
@usableFromInline
struct FlatMapRule<Inner: Flow>: Rule {
  @usableFromInline typealias Output = Inner.Element
  @usableFromInline typealias Failure = Inner.Failure

  @usableFromInline
  enum Input: Sendable {
    case inner(Inner)
    case sourceEnd(End<Inner.Failure>)
    case value(Inner.Element)
    case innerEnd(End<Inner.Failure>)
  }

  @usableFromInline let maxConcurrent: Int
  @usableFromInline var running = 0
  @usableFromInline var waiting = Queue<Inner>()
  @usableFromInline var sourceHasFinished = false

  @inlinable
  init(maxConcurrent: Int) {
    self.maxConcurrent = maxConcurrent
  }

  @inlinable static var mayPause: Bool { true }

  @inlinable
  @inline(__always)
  mutating func advance(_ input: Input, from port: Port, into out: inout Outbox<Self>) {
    switch input {
    case .inner(let inner):
      // Nothing that came before may be overtaken.
      if running < maxConcurrent, out.tasks.isEmpty, let known = inner.known {
        switch known {
        case .value(let value): out.emit(value)
        case .end(.finished): break
        case .end(.failed(let failure)): out.end(.failed(failure))
        }
        return
      }
      if running < maxConcurrent {
        running += 1
        _ = out.subscribe(inner)
      } else {
        waiting.append(inner)
      }
      if running == maxConcurrent { out.pause() }
    case .value(let value):
      out.emit(value)
    case .innerEnd(.finished):
      if let inner = waiting.popFirst() {
        _ = out.subscribe(inner)
      } else {
        running -= 1
        out.resume(Port(0))
      }
      finishIfDone(&out)
    case .sourceEnd(.finished):
      sourceHasFinished = true
      finishIfDone(&out)
    case .innerEnd(.failed(let failure)), .sourceEnd(.failed(let failure)):
      out.end(.failed(failure))
    }
  }

  @inlinable
  func finishIfDone(_ out: inout Outbox<Self>) {
    if sourceHasFinished, running == 0 { out.end(.finished) }
  }

  @inlinable static func input(value: Inner.Element) -> Input { .value(value) }
  @inlinable static func input(end: End<Inner.Failure>) -> Input { .innerEnd(end) }
}
