extension Flow {
  /// Leaves out values until one does not pass a test that may fail.
  ///
  ///     source   1--2--3--1--|
  ///     result   ------3--1--|     trySkipWhile { try isSmall($0) }
  ///
  /// A thrown failure stops the source, then fails the result.
  ///
  /// - Parameter condition: Called once per value, until it is false or throws.
  /// - Complexity: O(1) per value.
  public func trySkipWhile(
    _ condition: @escaping @Sendable (Element) throws(Failure) -> Bool
  ) -> some Flow<Element, Failure> {
    tryScan((isSkipping: true, value: Element?.none)) { state, value throws(Failure) in
      if state.isSkipping, try condition(value) { return (true, nil) }
      return (false, .some(value))
    }.compactMap { $0.value }
  }
}

extension Flow where Failure == Never {
  /// Leaves out values until one does not pass a test that may fail.
  ///
  ///     source   1--2--3--1--|
  ///     result   ------3--1--|     trySkipWhile { try isSmall($0) }
  ///
  /// A thrown failure stops the source, then fails the result.
  ///
  /// The failure type is what the closure declares to throw; a closure that does
  /// not say fails with `any Error`.
  ///
  /// - Parameter condition: Called once per value, until it is false or throws.
  /// - Complexity: O(1) per value.
  public func trySkipWhile<Thrown: Error>(
    _ condition: @escaping @Sendable (Element) throws(Thrown) -> Bool
  ) -> some Flow<Element, Thrown> {
    promoteFailure(to: Thrown.self).trySkipWhile(condition)
  }
}
