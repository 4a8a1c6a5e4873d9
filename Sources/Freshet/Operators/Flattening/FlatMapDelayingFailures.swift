extension Flow {
  /// Turns each value into a flow and sends the values of all of them; failures wait.
  ///
  ///     source   a---b-----|
  ///     inner    -p#
  ///     inner        -r-s|
  ///     result   -p---r-s--#     p=a1 r=b1 s=b2
  ///
  /// As ``flatMap(maxConcurrent:_:)``, but a failure of an inner flow ends only that one. When
  /// the source and all inner flows are over, the result fails with the first failure; without
  /// one it finishes. A failure of the source itself waits for the inner flows that run.
  ///
  /// - Parameters:
  ///   - maxConcurrent: How many inner flows run at a time.
  ///   - transform: Makes the inner flow; called where the value arrives.
  /// - Complexity: O(1) per value and per inner flow.
  public func flatMapDelayingFailures<Inner: Flow>(
    maxConcurrent: Int = .max, _ transform: @escaping @Sendable (Element) -> Inner
  ) -> some Flow<Inner.Element, Failure> where Inner.Failure == Failure {
    precondition(
      maxConcurrent > 0, "flatMapDelayingFailures needs room for at least one inner flow")
    return FlatMapDelayingFailures(
      source: self, maxConcurrent: maxConcurrent, transform: transform)
  }
}

extension Sequence where Self: Sendable, Element: Flow {
  /// Sends the values of all flows of this sequence as they come; a failure waits for the rest.
  ///
  ///     a        1--#
  ///     b        -8----9--|
  ///     result   18----9--#
  ///
  /// See ``Flow/flatMapDelayingFailures(maxConcurrent:_:)``.
  public func mergedDelayingFailures() -> some Flow<Element.Element, Element.Failure> {
    SequenceFlow(self).promoteFailure(to: Element.Failure.self).flatMapDelayingFailures { $0 }
  }

  /// Sends the flows of this sequence one after the other; a failure waits for the rest.
  ///
  ///     a        1--#
  ///     b        8--9--|
  ///     result   1--8--9--#
  ///
  /// See ``Flow/flatMapDelayingFailures(maxConcurrent:_:)``.
  public func concatenatedDelayingFailures() -> some Flow<Element.Element, Element.Failure> {
    SequenceFlow(self).promoteFailure(to: Element.Failure.self)
      .flatMapDelayingFailures(maxConcurrent: 1) { $0 }
  }
}

/// The flow behind `flatMapDelayingFailures(maxConcurrent:_:)`.
struct FlatMapDelayingFailures<Source: Flow, Inner: Flow>: Flow
where Inner.Failure == Source.Failure {
  typealias Element = Inner.Element
  typealias Failure = Source.Failure
  let source: Source
  let maxConcurrent: Int
  let transform: @Sendable (Source.Element) -> Inner

  @discardableResult
  func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    let kernel = Kernel(
      rule: DelayFailuresRule<Inner>(maxConcurrent: maxConcurrent), observer: observer, sources: 1)
    kernel.begin()
    let transform = transform
    kernel.open(
      source, at: Port(0), value: { .inner(transform($0)) }, end: { .sourceEnd($0) })
    return kernel
  }
}

/// Runs inner flows side by side, up to a limit, and keeps the first failure for the end.
struct DelayFailuresRule<Inner: Flow>: Rule {
  typealias Output = Inner.Element
  typealias Failure = Inner.Failure

  enum Input: Sendable {
    case inner(Inner)
    case sourceEnd(End<Inner.Failure>)
    case value(Inner.Element)
    case innerEnd(End<Inner.Failure>)
  }

  let maxConcurrent: Int
  var running = 0
  var waiting = Queue<Inner>()
  var sourceIsOver = false
  var failure: Failure?

  init(maxConcurrent: Int) {
    self.maxConcurrent = maxConcurrent
  }

  static var mayPause: Bool { true }

  mutating func advance(_ input: Input, from port: Port, into out: inout Outbox<Self>) {
    switch input {
    case .inner(let inner):
      if running < maxConcurrent {
        running += 1
        _ = out.subscribe(inner)
      } else {
        waiting.append(inner)
      }
      if running == maxConcurrent { out.pause() }
    case .value(let value):
      out.emit(value)
    case .innerEnd(let end):
      note(end)
      if let inner = waiting.popFirst() {
        _ = out.subscribe(inner)
      } else {
        running -= 1
        out.resume(Port(0))
      }
      endIfDone(&out)
    case .sourceEnd(let end):
      note(end)
      sourceIsOver = true
      endIfDone(&out)
    }
  }

  private mutating func note(_ end: End<Failure>) {
    if case .failed(let failure) = end, self.failure == nil { self.failure = failure }
  }

  private func endIfDone(_ out: inout Outbox<Self>) {
    guard sourceIsOver, running == 0 else { return }
    if let failure { out.end(.failed(failure)) } else { out.end(.finished) }
  }

  static func input(value: Inner.Element) -> Input { .value(value) }
  static func input(end: End<Inner.Failure>) -> Input { .innerEnd(end) }
}
