extension Flow {
  /// Turns each value into another one, with a state that goes from value to value.
  ///
  ///     source   3--1--2--|
  ///     result   3--4--6--|     scanMap(into: 0) { sum, value in sum += value; return sum }
  ///
  /// As ``scan(into:_:)``, but what is sent need not be the state. State is per
  /// subscription; the end passes through unchanged.
  ///
  /// - Parameters:
  ///   - initial: The state before the first value.
  ///   - transform: Changes the state and makes the result; called where the value arrives.
  /// - Complexity: O(1) per value, besides the closure.
  @_transparent
  public func scanMap<State: Sendable, Result: Sendable>(
    into initial: State, _ transform: @escaping @Sendable (inout State, Element) -> Result
  ) -> ScanMap<Self, State, Result> {
    ScanMap(source: self, initial: initial, transform: transform)
  }

  /// Sends each run of so many values that follow one another.
  ///
  ///     source   1--2--3--4--|
  ///     result   ------p--q--|     nwise(3)   p=[1,2,3] q=[2,3,4]
  ///
  /// A source of fewer values gives nothing. ``pairwise()`` is the same for two.
  ///
  /// - Parameter size: How many values a run has. Positive.
  /// - Complexity: O(`size`) per value; holds `size` values.
  public func nwise(_ size: Int) -> some Flow<[Element], Failure> {
    precondition(size > 0, "nwise(_:) needs a positive number")
    return scanMap(into: [Element]()) { run, value -> [Element]? in
      if run.count == size { run.removeFirst() }
      run.append(value)
      return run.count == size ? run : nil
    }.compactMap { $0 }
  }
}

/// The flow behind `scanMap(into:_:)`.
@frozen
public struct ScanMap<Source: Flow, State: Sendable, Element: Sendable>: Flow {
  /// The source's failure.
  public typealias Failure = Source.Failure
  @usableFromInline let source: Source
  @usableFromInline let initial: State
  @usableFromInline let transform: @Sendable (inout State, Source.Element) -> Element

  @_transparent
  @usableFromInline
  init(
    source: Source, initial: State,
    transform: @escaping @Sendable (inout State, Source.Element) -> Element
  ) {
    self.source = source
    self.initial = initial
    self.transform = transform
  }

  /// Subscribes to the source; each observer has a state of its own.
  @_transparent
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    source.subscribe(ScanMapObserver(downstream: observer, state: initial, transform: transform))
  }
}

@frozen
@usableFromInline
struct ScanMapObserver<State: Sendable, Element: Sendable, Downstream: Observer>: Observer {
  @usableFromInline typealias Failure = Downstream.Failure
  @usableFromInline var downstream: Downstream
  @usableFromInline var state: State
  @usableFromInline let transform: @Sendable (inout State, Element) -> Downstream.Element

  @inlinable
  @inline(__always)
  init(
    downstream: Downstream, state: State,
    transform: @escaping @Sendable (inout State, Element) -> Downstream.Element
  ) {
    self.downstream = downstream
    self.state = state
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
    downstream.receive(transform(&state, value))
  }

  @inlinable
  @inline(__always)
  mutating func end(_ end: End<Failure>) {
    downstream.end(end)
  }
}
