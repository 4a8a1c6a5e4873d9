extension Flow {
  /// Sends the first value that passes a test that may fail, and finishes.
  ///
  ///     source   1--2--3--|
  ///     result   ---(2|)       tryFirst { try isEven($0) }
  ///
  /// A thrown failure stops the source, then fails the result. Without such a value it
  /// finishes with the source.
  ///
  /// - Parameter condition: Called once per value, until it is true or throws.
  /// - Complexity: O(1) per value.
  public func tryFirst(
    where condition: @escaping @Sendable (Element) throws(Failure) -> Bool
  ) -> some Flow<Element, Failure> {
    tryFilter(condition).first()
  }

  /// Sends the last value that passes a test that may fail, when the source has finished.
  ///
  ///     source   1--2--3--|
  ///     result   ---------(2|)     tryLast { try isEven($0) }
  ///
  /// A thrown failure stops the source, then fails the result.
  ///
  /// - Parameter condition: Called once per value, until it throws.
  /// - Complexity: O(1) per value; holds one value.
  public func tryLast(
    where condition: @escaping @Sendable (Element) throws(Failure) -> Bool
  ) -> some Flow<Element, Failure> {
    tryFilter(condition).last()
  }
}

extension Flow where Failure == Never {
  /// Sends the first value that passes a test that may fail, and finishes.
  ///
  ///     source   1--2--3--|
  ///     result   ---(2|)       tryFirst { try isEven($0) }
  ///
  /// A thrown failure stops the source, then fails the result. Without such a value it
  /// finishes with the source.
  ///
  /// The failure type is what the closure declares to throw; a closure that does
  /// not say fails with `any Error`.
  ///
  /// - Parameter condition: Called once per value, until it is true or throws.
  /// - Complexity: O(1) per value.
  public func tryFirst<Thrown: Error>(
    where condition: @escaping @Sendable (Element) throws(Thrown) -> Bool
  ) -> some Flow<Element, Thrown> {
    promoteFailure(to: Thrown.self).tryFirst(where: condition)
  }

  /// Sends the last value that passes a test that may fail, when the source has finished.
  ///
  ///     source   1--2--3--|
  ///     result   ---------(2|)     tryLast { try isEven($0) }
  ///
  /// A thrown failure stops the source, then fails the result.
  ///
  /// The failure type is what the closure declares to throw; a closure that does
  /// not say fails with `any Error`.
  ///
  /// - Parameter condition: Called once per value, until it throws.
  /// - Complexity: O(1) per value; holds one value.
  public func tryLast<Thrown: Error>(
    where condition: @escaping @Sendable (Element) throws(Thrown) -> Bool
  ) -> some Flow<Element, Thrown> {
    promoteFailure(to: Thrown.self).tryLast(where: condition)
  }
}
