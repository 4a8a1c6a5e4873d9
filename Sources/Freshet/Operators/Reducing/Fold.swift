/// The flow behind `reduce`, `last`, `min`, `toArray` and their kin.
///
/// It folds the values in place and sends one result when the source has
/// finished, or none.
@frozen
public struct Fold<Source: Flow, State: Sendable, Element: Sendable>: Flow {
  /// The source's failure.
  public typealias Failure = Source.Failure
  @usableFromInline let source: Source
  @usableFromInline let initial: State
  @usableFromInline let step: @Sendable (inout State, Source.Element) -> Void
  @usableFromInline let result: @Sendable (State) -> Element?

  @_transparent
  @usableFromInline
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

  /// Subscribes to the source and folds its values from the initial state.
  @_transparent
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    let handle = RelaySubscription()
    source.subscribe(
      FoldObserver(
        state: initial, step: step,
        rest: FoldRest(downstream: observer, result: result, handle: handle)))
    return handle
  }
}

/// Only what each value needs is in the observer itself, the rest behind one
/// reference: the optimiser keeps a small struct in registers and sees through
/// its closure, and a large one it does not.
@frozen
@usableFromInline
struct FoldObserver<Element: Sendable, State: Sendable, Downstream: Observer>: Observer {
  @usableFromInline typealias Failure = Downstream.Failure
  @usableFromInline var state: State
  @usableFromInline let step: @Sendable (inout State, Element) -> Void
  @usableFromInline let rest: FoldRest<State, Downstream>

  @inlinable
  @inline(__always)
  init(
    state: State, step: @escaping @Sendable (inout State, Element) -> Void,
    rest: FoldRest<State, Downstream>
  ) {
    self.state = state
    self.step = step
    self.rest = rest
  }

  @inlinable static var mayPause: Bool { false }

  @inlinable
  @inline(__always)
  mutating func start(_ subscription: Subscription) {
    rest.start(subscription)
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
    rest.end(end, state)
  }
}

/// What a fold needs at its start and at its end.
// @unchecked: belongs to the one observer that holds it, which is used by one owner at a
// time. `ContractTests` would notice.
@usableFromInline
final class FoldRest<State: Sendable, Downstream: Observer>: @unchecked Sendable {
  @exclusivity(unchecked) private var downstream: Downstream
  private let result: @Sendable (State) -> Downstream.Element?
  private let handle: RelaySubscription
  @exclusivity(unchecked) private var hasEnded = false

  @usableFromInline
  init(
    downstream: Downstream, result: @escaping @Sendable (State) -> Downstream.Element?,
    handle: RelaySubscription
  ) {
    self.downstream = downstream
    self.result = result
    self.handle = handle
  }

  @usableFromInline
  func start(_ subscription: Subscription) {
    if handle.attach(subscription) { downstream.start(handle) }
  }

  @usableFromInline
  func end(_ end: End<Downstream.Failure>, _ state: State) {
    guard !hasEnded, !handle.isDisposed else { return }
    hasEnded = true
    if case .finished = end, let result = result(state), downstream.receive(result) == .stop {
      handle.dispose()
    }
    if handle.markEnded() { downstream.end(end) }
  }
}
