extension Flow {
  /// Tells whether any value passes a test that may fail.
  ///
  ///     source   1--2--3--|
  ///     result   ---(t|)       tryContains { try isEven($0) }
  ///
  /// Answers true, and stops the source, at the first one; false when the source has
  /// finished without. A thrown failure stops the source, then fails the result.
  ///
  /// - Parameter condition: Called once per value, until it is true or throws.
  /// - Complexity: O(1) per value.
  public func tryContains(
    where condition: @escaping @Sendable (Element) throws(Failure) -> Bool
  ) -> some Flow<Bool, Failure> {
    tryMap { value throws(Failure) in try condition(value) }.contains(true)
  }

  /// Tells whether all values pass a test that may fail.
  ///
  ///     source   2--4--5--6--|
  ///     result   ------(f|)       tryAllSatisfy { try isEven($0) }
  ///
  /// Answers false, and stops the source, at the first one that does not; true when the
  /// source has finished. A thrown failure stops the source, then fails the result.
  ///
  /// - Parameter condition: Called once per value, until it is false or throws.
  /// - Complexity: O(1) per value.
  public func tryAllSatisfy(
    _ condition: @escaping @Sendable (Element) throws(Failure) -> Bool
  ) -> some Flow<Bool, Failure> {
    tryMap { value throws(Failure) in try condition(value) }.allSatisfy { $0 }
  }
}

extension Flow where Failure == Never {
  /// Tells whether any value passes a test that may fail.
  ///
  ///     source   1--2--3--|
  ///     result   ---(t|)       tryContains { try isEven($0) }
  ///
  /// Answers true, and stops the source, at the first one; false when the source has
  /// finished without. A thrown failure stops the source, then fails the result.
  ///
  /// The failure type is what the closure declares to throw; a closure that does
  /// not say fails with `any Error`.
  ///
  /// - Parameter condition: Called once per value, until it is true or throws.
  /// - Complexity: O(1) per value.
  public func tryContains<Thrown: Error>(
    where condition: @escaping @Sendable (Element) throws(Thrown) -> Bool
  ) -> some Flow<Bool, Thrown> {
    promoteFailure(to: Thrown.self).tryContains(where: condition)
  }

  /// Tells whether all values pass a test that may fail.
  ///
  ///     source   2--4--5--6--|
  ///     result   ------(f|)       tryAllSatisfy { try isEven($0) }
  ///
  /// Answers false, and stops the source, at the first one that does not; true when the
  /// source has finished. A thrown failure stops the source, then fails the result.
  ///
  /// The failure type is what the closure declares to throw; a closure that does
  /// not say fails with `any Error`.
  ///
  /// - Parameter condition: Called once per value, until it is false or throws.
  /// - Complexity: O(1) per value.
  public func tryAllSatisfy<Thrown: Error>(
    _ condition: @escaping @Sendable (Element) throws(Thrown) -> Bool
  ) -> some Flow<Bool, Thrown> {
    promoteFailure(to: Thrown.self).tryAllSatisfy(condition)
  }
}
