extension Flow {
  /// Drops values that are the same as the last one sent, by a test that may fail.
  ///
  ///     source   1--1--x--2--|
  ///     result   1-----#           tryDistinctUntilChanged { try same($0, $1) }
  ///
  /// A thrown failure stops the source, then fails the result. State is per subscription.
  ///
  /// - Parameter isSame: Compares the last value sent with the one that has come.
  /// - Complexity: O(1) per value; holds one value.
  public func tryDistinctUntilChanged(
    _ isSame: @escaping @Sendable (Element, Element) throws(Failure) -> Bool
  ) -> some Flow<Element, Failure> {
    tryScan((last: Element?.none, isNew: false)) { state, value throws(Failure) in
      if let last = state.last, try isSame(last, value) { return (state.last, false) }
      return (.some(value), true)
    }.compactMap { $0.isNew ? $0.last : nil }
  }
}

extension Flow where Failure == Never {
  /// Drops values that are the same as the last one sent, by a test that may fail.
  ///
  ///     source   1--1--x--2--|
  ///     result   1-----#           tryDistinctUntilChanged { try same($0, $1) }
  ///
  /// A thrown failure stops the source, then fails the result. State is per subscription.
  ///
  /// The failure type is what the closure declares to throw; a closure that does
  /// not say fails with `any Error`.
  ///
  /// - Parameter isSame: Compares the last value sent with the one that has come.
  /// - Complexity: O(1) per value; holds one value.
  public func tryDistinctUntilChanged<Thrown: Error>(
    _ isSame: @escaping @Sendable (Element, Element) throws(Thrown) -> Bool
  ) -> some Flow<Element, Thrown> {
    promoteFailure(to: Thrown.self).tryDistinctUntilChanged(isSame)
  }
}
