/// Combines the latest value of any number of flows whenever one of them sends.
///
///     a        1-----2-----|
///     b        ---x-----y----|
///     c        ----t---------|
///     result   ----p-q--r----|     combineLatest(a.erased(), b.erased(), …) { … }
///              p=1xt q=2xt r=2yt
///
/// The flows are erased because Swift cannot yet say of a parameter pack that
/// all its elements fail alike.
///
/// Nothing is sent before all have sent. It finishes and fails as
/// ``Flow/combineLatest(with:)`` does, which is faster for two.
///
/// - Complexity: O(n) per value in the number of flows.
public func combineLatest<each Value: Sendable, Failure: Error, Result: Sendable>(
  _ sources: repeat AnyFlow<each Value, Failure>,
  by combine: @escaping @Sendable (repeat each Value) -> Result
) -> some Flow<Result, Failure> {
  manyBoxed(repeat each sources).combinedLatest().map { spread($0, over: combine) }
}

/// Lists the n-th values of any number of flows.
///
///     a        1-----2-----|
///     b        ---x-----y----|
///     c        ----t------u----|
///     result   ----p------q|     zip(a.erased(), b.erased(), c.erased()) { … }
///              p=1xt q=2yu
///
/// It finishes and fails as ``Flow/zip(with:capacity:)`` does, which is faster for two.
///
/// - Complexity: O(n) per row in the number of flows.
public func zip<each Value: Sendable, Failure: Error, Result: Sendable>(
  _ sources: repeat AnyFlow<each Value, Failure>,
  by combine: @escaping @Sendable (repeat each Value) -> Result
) -> some Flow<Result, Failure> {
  manyBoxed(repeat each sources).zipped().map { spread($0, over: combine) }
}

/// Sends the values of any number of flows as they come.
///
/// See ``Flow/merge(with:)``, which is faster for two.
///
/// - Complexity: O(1) per value.
public func merge<Value: Sendable, Failure: Error>(
  _ sources: any Flow<Value, Failure>...
) -> some Flow<Value, Failure> {
  sources.map { AnyFlow(opening: $0) }.merged()
}

extension AnyFlow {
  /// Hides the type of a flow of which only the protocol is known.
  public init(opening flow: any Flow<Element, Failure>) {
    func open(_ flow: some Flow<Element, Failure>) -> AnyFlow { AnyFlow(flow) }
    self = open(flow)
  }
}

/// Erases the values of some flows, to put them into one list.
func manyBoxed<each Value: Sendable, Failure: Error>(
  _ sources: repeat AnyFlow<each Value, Failure>
) -> [AnyFlow<any Sendable, Failure>] {
  func boxed<V: Sendable>(_ flow: AnyFlow<V, Failure>) -> AnyFlow<any Sendable, Failure> {
    flow.map { $0 as any Sendable }.erased()
  }
  var all: [AnyFlow<any Sendable, Failure>] = []
  for source in repeat each sources { all.append(boxed(source)) }
  return all
}

/// Calls a function of several arguments with a list of erased values.
func spread<each Value: Sendable, Result>(
  _ row: [any Sendable], over combine: (repeat each Value) -> Result
) -> Result {
  var index = -1
  func next<V>(_ type: V.Type) -> V {
    index += 1
    // The row was made from flows of exactly these types, in this order.
    return row[index] as! V
  }
  return combine(repeat next((each Value).self))
}
