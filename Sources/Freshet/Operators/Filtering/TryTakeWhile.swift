extension Flow {
  /// Lets values through as long as they pass a test that may fail.
  ///
  ///     source   1--2--3--1--|
  ///     result   1--2--|           tryTakeWhile { try isSmall($0) }
  ///
  /// Finishes and stops the source with the first value that does not pass. A thrown
  /// failure stops the source, then fails the result.
  ///
  /// - Parameter condition: Called once per value, until it is false or throws.
  /// - Complexity: O(1) per value.
  public func tryTakeWhile(
    _ condition: @escaping @Sendable (Element) throws(Failure) -> Bool
  ) -> some Flow<Element, Failure> {
    tryMap { value throws(Failure) in (value: value, passes: try condition(value)) }
      .takeWhile { $0.passes }.map { $0.value }
  }
}

extension Flow where Failure == Never {
  /// Lets values through as long as they pass a test that may fail.
  ///
  ///     source   1--2--3--1--|
  ///     result   1--2--|           tryTakeWhile { try isSmall($0) }
  ///
  /// Finishes and stops the source with the first value that does not pass. A thrown
  /// failure stops the source, then fails the result.
  ///
  /// The failure type is what the closure declares to throw; a closure that does
  /// not say fails with `any Error`.
  ///
  /// - Parameter condition: Called once per value, until it is false or throws.
  /// - Complexity: O(1) per value.
  public func tryTakeWhile<Thrown: Error>(
    _ condition: @escaping @Sendable (Element) throws(Thrown) -> Bool
  ) -> some Flow<Element, Thrown> {
    promoteFailure(to: Thrown.self).tryTakeWhile(condition)
  }
}
