/// The flow behind `reduce`, `last`, `min`, `toArray` and their kin.
///
/// It folds the values in place and sends one result when the source has
/// finished, or none.
@frozen
public struct Fold<Source: Flow, State: Sendable, Element: Sendable>: Flow {
  public typealias Failure = Source.Failure
  @usableFromInline let source: Source
  @usableFromInline let initial: State
  @usableFromInline let step: @Sendable (inout State, Source.Element) -> Void
  @usableFromInline let result: @Sendable (State) -> Element?

  @inlinable
  init(
    source: Source,
    initial: State,
    step: @escaping @Sendable (inout State, Source.Element) -> Void,
    result: @escaping @Sendable (State) -> Element?
  ) {
    self.source = source
    self.initial = initial
    self.step = step
    self.result = result
  }

  @inlinable
  @inline(__always)
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    let handle = RelaySubscription()
    source.subscribe(
      FoldObserver(
        downstream: observer, state: initial, step: step, result: result, handle: handle))
    return handle
  }
}

@frozen
@usableFromInline
struct FoldObserver<Element: Sendable, State: Sendable, Downstream: Observer>: Observer {
  @usableFromInline typealias Failure = Downstream.Failure
  @usableFromInline var downstream: Downstream
  @usableFromInline var state: State
  @usableFromInline let step: @Sendable (inout State, Element) -> Void
  @usableFromInline let result: @Sendable (State) -> Downstream.Element?
  @usableFromInline let handle: RelaySubscription
  @usableFromInline var hasEnded = false

  @inlinable
  @inline(__always)
  init(
    downstream: Downstream,
    state: State,
    step: @escaping @Sendable (inout State, Element) -> Void,
    result: @escaping @Sendable (State) -> Downstream.Element?,
    handle: RelaySubscription
  ) {
    self.downstream = downstream
    self.state = state
    self.step = step
    self.result = result
    self.handle = handle
  }

  @inlinable static var mayPause: Bool { Downstream.mayPause }

  @inlinable
  @inline(__always)
  mutating func start(_ subscription: Subscription) {
    if handle.attach(subscription) { downstream.start(handle) }
  }

  @inlinable
  @inline(__always)
  mutating func receive(_ value: Element) -> Answer {
    step(&state, value)
    return .more
  }

  @inlinable
  @inline(__always)
  mutating func end(_ end: End<Failure>) {
    guard !hasEnded, !handle.isDisposed else { return }
    hasEnded = true
    if case .finished = end, let result = result(state), downstream.receive(result) == .stop {
      handle.dispose()
    }
    if handle.markEnded() { downstream.end(end) }
  }
}
