extension Flow {
  /// Folds the values by flows: each step is a flow, and what it sends is the result so far.
  ///
  ///     source   1---2-----|
  ///     result   -1---3----|     mergeScan(0) { Just($0 + $1).delay(…) }
  ///
  /// A step sees the latest result when it begins. Steps run side by side, up to a limit;
  /// values for which there is no room wait, and the source is paused. With
  /// `maxConcurrent: 1` each step sees the result of the one before. The first result itself
  /// is not sent. Finishes when the source and all steps have; a failure ends it at once.
  ///
  /// - Parameters:
  ///   - initial: The result before the first step.
  ///   - maxConcurrent: How many steps run at a time.
  ///   - step: Makes the flow of a step from the result so far and a value.
  /// - Complexity: O(1) per value and per step.
  public func mergeScan<Inner: Flow>(
    _ initial: Inner.Element, maxConcurrent: Int = .max,
    _ step: @escaping @Sendable (Inner.Element, Element) -> Inner
  ) -> some Flow<Inner.Element, Failure> where Inner.Failure == Failure {
    precondition(maxConcurrent > 0, "mergeScan needs room for at least one step")
    return MergeScan(source: self, initial: initial, maxConcurrent: maxConcurrent, step: step)
  }
}

/// The flow behind `mergeScan(_:maxConcurrent:_:)`.
struct MergeScan<Source: Flow, Inner: Flow>: Flow where Inner.Failure == Source.Failure {
  typealias Element = Inner.Element
  typealias Failure = Source.Failure
  let source: Source
  let initial: Inner.Element
  let maxConcurrent: Int
  let step: @Sendable (Inner.Element, Source.Element) -> Inner

  @discardableResult
  func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    let kernel = Kernel(
      rule: MergeScanRule<Source.Element, Inner>(
        result: initial, maxConcurrent: maxConcurrent, step: step),
      observer: observer, sources: 1)
    kernel.begin()
    kernel.open(source, at: Port(0), value: { .outer($0) }, end: { .sourceEnd($0) })
    return kernel
  }
}

/// Runs steps side by side, up to a limit; each begins with the latest result.
struct MergeScanRule<Outer: Sendable, Inner: Flow>: Rule {
  typealias Output = Inner.Element
  typealias Failure = Inner.Failure

  enum Input: Sendable {
    case outer(Outer)
    case sourceEnd(End<Inner.Failure>)
    case value(Inner.Element)
    case innerEnd(End<Inner.Failure>)
  }

  var result: Inner.Element
  let maxConcurrent: Int
  let step: @Sendable (Inner.Element, Outer) -> Inner
  var running = 0
  var waiting = Queue<Outer>()
  var sourceHasFinished = false

  init(
    result: Inner.Element, maxConcurrent: Int,
    step: @escaping @Sendable (Inner.Element, Outer) -> Inner
  ) {
    self.result = result
    self.maxConcurrent = maxConcurrent
    self.step = step
  }

  static var mayPause: Bool { true }

  mutating func advance(_ input: Input, from port: Port, into out: inout Outbox<Self>) {
    switch input {
    case .outer(let value):
      if running < maxConcurrent {
        running += 1
        _ = out.subscribe(step(result, value))
      } else {
        waiting.append(value)
      }
      if running == maxConcurrent { out.pause() }
    case .value(let value):
      result = value
      out.emit(value)
    case .innerEnd(.finished):
      if let value = waiting.popFirst() {
        _ = out.subscribe(step(result, value))
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

  static func input(value: Inner.Element) -> Input { .value(value) }
  static func input(end: End<Inner.Failure>) -> Input { .innerEnd(end) }
}
