/// A source of values over time.
///
///     let token = [1, 2, 3].flow
///       .filter { $0 != 2 }
///       .map { "number \($0)" }
///       .subscribe { line in show(line) }
///
/// A flow is a description. Nothing happens until somebody subscribes, and each
/// subscription does the work again, unless the flow's name says that it is
/// shared. What every flow keeps is written down, rule by rule, in
/// `docs/stream-contract.md`; `docs/operators.md` lists what can be done with one.
public protocol Flow<Element, Failure>: Sendable {
  /// The type of value it delivers.
  associatedtype Element: Sendable

  /// The type of failure it may end with; `Never` when it cannot fail.
  associatedtype Failure: Error

  /// Connects an observer and starts the work.
  ///
  /// The source calls `start` before anything else, then delivers. A
  /// synchronous source has delivered everything when this returns.
  ///
  /// - Returns: The handle that was given to `start`.
  @discardableResult
  func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure

  /// Connects an observer through a transform that may drop values.
  ///
  /// This hook exists so that `map`, `filter` and `compactMap` on both sides of an
  /// operator that leaves values alone become one closure. The default wraps the
  /// observer; only such operators override it.
  @discardableResult
  func subscribe<O: Observer>(
    _ observer: O, through transform: @escaping @Sendable (Element) -> O.Element?
  ) -> Subscription where O.Failure == Failure

  /// Everything that this flow has to say, if that is at most one value and known beforehand.
  ///
  /// This hook exists so that an operator on flows of flows need not subscribe to a
  /// flow such as ``Just``. It is asked where the operator would subscribe, once for
  /// each time. The default is nil: subscribe and see.
  var known: Known<Element, Failure>? { get }

  /// The flow under the `map`, `filter` and `compactMap` steps at the end of this one.
  associatedtype FusedSource: Flow = Self where FusedSource.Failure == Failure

  /// This flow as a source and one closure.
  ///
  /// This hook exists so that adjacent `map`, `filter` and `compactMap` become one
  /// closure, also where they are written in different functions. The default has
  /// nothing to do; only those operators override it.
  var fused: Fused<FusedSource, Element> { get }
}

extension Flow where FusedSource == Self {
  /// This flow, and a closure that leaves values as they are.
  @_transparent
  public var fused: Fused<Self, Element> {
    @inline(__always) @Sendable
    func step(_ value: Element) -> Element? { value }
    return Fused(source: self, step: step)
  }
}

extension Flow {
  /// Nothing is known: an operator subscribes and sees.
  @inlinable
  @inline(__always)
  public var known: Known<Element, Failure>? { nil }

  /// Connects an observer through a transform that may drop values, by wrapping the observer.
  @inlinable
  @inline(__always)
  @discardableResult
  public func subscribe<O: Observer>(
    _ observer: O, through transform: @escaping @Sendable (Element) -> O.Element?
  ) -> Subscription where O.Failure == Failure {
    subscribe(TransformObserver(downstream: observer, transform: transform))
  }
}

/// Applies one closure, composed of all adjacent stateless operators.
@frozen
@usableFromInline
struct TransformObserver<Element: Sendable, Downstream: Observer>: Observer {
  @usableFromInline typealias Failure = Downstream.Failure
  @usableFromInline var downstream: Downstream
  @usableFromInline let transform: @Sendable (Element) -> Downstream.Element?

  @inlinable
  @inline(__always)
  init(downstream: Downstream, transform: @escaping @Sendable (Element) -> Downstream.Element?) {
    self.downstream = downstream
    self.transform = transform
  }

  @inlinable static var mayPause: Bool { Downstream.mayPause }

  @inlinable
  @inline(__always)
  mutating func start(_ subscription: Subscription) {
    downstream.start(subscription)
  }

  @inlinable
  @inline(__always)
  mutating func receive(_ value: Element) -> Answer {
    guard let result = transform(value) else { return .more }
    return downstream.receive(result)
  }

  @inlinable
  @inline(__always)
  mutating func end(_ end: End<Failure>) {
    downstream.end(end)
  }
}
