extension Flow {
  /// Says whether some value passes a test.
  ///
  ///     source   1--2--3--|
  ///     result   ---(t|)           contains { $0 > 1 }   t=true
  ///     result   ---------(f|)     contains { $0 > 3 }   f=false
  ///
  /// The first value that passes stops the source and finishes the result. A
  /// finish before gives false, also of an empty source. A failure passes through.
  ///
  /// - Parameter condition: Called once per value, until it is true.
  /// - Complexity: O(1) per value.
  @_transparent
  public func contains(
    where condition: @escaping @Sendable (Element) -> Bool
  ) -> some Flow<Bool, Failure> {
    filter(condition).map { _ in true }.take(1).defaultIfEmpty(false)
  }
}

extension Flow where Element: Equatable {
  /// Says whether some value equals the given one.
  ///
  ///     source   1--2--3--|
  ///     result   ---(t|)           contains(2)   t=true
  ///
  /// The first such value stops the source and finishes the result. A finish
  /// before gives false, also of an empty source. A failure passes through. NaN
  /// is never found.
  ///
  /// - Complexity: O(1) per value.
  @_transparent
  public func contains(_ value: Element) -> some Flow<Bool, Failure> {
    contains(where: { $0 == value })
  }
}
