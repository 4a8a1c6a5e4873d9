extension Sequence where Self: Sendable, Element: Flow {
  /// Waits for all flows of this sequence to finish and sends the list of their last values.
  ///
  ///     a        1--2--|
  ///     b        ---8----9--|
  ///     result   -----------(p|)     [a, b].forkJoined()   p=[2,9]
  ///
  /// Finishes without a value as soon as one of them has finished without one. A
  /// failure of any ends the result at once and lets the others go. Of no flows at all
  /// the result is one empty list.
  ///
  /// - Complexity: O(1) per value; holds one value of each.
  public func forkJoined() -> some Flow<[Element.Element], Element.Failure> {
    map { $0.last() }.zipped(capacity: 1)
  }
}

/// Waits for all flows to finish and combines their last values.
///
///     a        1--2--|
///     b        ---x----y--|
///     result   -----------(p|)     forkJoin(a.erased(), b.erased()) { … }   p=2y
///
/// It finishes and fails as ``Swift/Sequence/forkJoined()`` does.
///
/// - Complexity: O(1) per value; holds one value of each.
public func forkJoin<each Value: Sendable, Failure: Error, Result: Sendable>(
  _ sources: repeat AnyFlow<each Value, Failure>,
  by combine: @escaping @Sendable (repeat each Value) -> Result
) -> some Flow<Result, Failure> {
  manyBoxed(repeat each sources).forkJoined().map { spread($0, over: combine) }
}
