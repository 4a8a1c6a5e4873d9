extension Flow {
  /// Says whether all values pass a test.
  ///
  ///     source   1--2--3--|
  ///     result   ---------(t|)     allSatisfy { $0 < 4 }   t=true
  ///     result   ---(f|)           allSatisfy { $0 < 2 }   f=false
  ///
  /// The first value that does not pass stops the source and finishes the result.
  /// A finish before gives true, also of an empty source. A failure passes through.
  ///
  /// - Parameter condition: Called once per value, until it is false.
  /// - Complexity: O(1) per value.
  @_transparent
  public func allSatisfy(
    _ condition: @escaping @Sendable (Element) -> Bool
  ) -> some Flow<Bool, Failure> {
    filter { !condition($0) }.map { _ in false }.take(1).defaultIfEmpty(true)
  }
}
