extension Flow {
  /// Folds all values and sends the result when the source has finished, or fails.
  ///
  ///     source   1--2--3--|
  ///     result   ---------(6|)     tryReduce(0) { try sum($0, $1) }
  ///
  /// A thrown failure stops the source, then fails the result. An empty source gives the
  /// first result.
  ///
  /// - Parameters:
  ///   - initial: What the first value is combined with.
  ///   - step: Combines the result so far with a value.
  /// - Complexity: O(1) per value; holds one result.
  public func tryReduce<Result: Sendable>(
    _ initial: Result,
    _ step: @escaping @Sendable (Result, Element) throws(Failure) -> Result
  ) -> some Flow<Result, Failure> {
    tryScan(initial, step).last().defaultIfEmpty(initial)
  }
}

extension Flow where Failure == Never {
  /// Folds all values and sends the result when the source has finished, or fails.
  ///
  ///     source   1--2--3--|
  ///     result   ---------(6|)     tryReduce(0) { try sum($0, $1) }
  ///
  /// A thrown failure stops the source, then fails the result. An empty source gives the
  /// first result.
  ///
  /// The failure type is what the closure declares to throw; a closure that does
  /// not say fails with `any Error`.
  ///
  /// - Parameters:
  ///   - initial: What the first value is combined with.
  ///   - step: Combines the result so far with a value.
  /// - Complexity: O(1) per value; holds one result.
  public func tryReduce<Result: Sendable, Thrown: Error>(
    _ initial: Result,
    _ step: @escaping @Sendable (Result, Element) throws(Thrown) -> Result
  ) -> some Flow<Result, Thrown> {
    promoteFailure(to: Thrown.self).tryReduce(initial, step)
  }
}
