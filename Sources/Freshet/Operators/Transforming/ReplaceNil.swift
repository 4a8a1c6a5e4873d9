extension Flow {
  /// Puts a value in the place of each nil.
  ///
  ///     source   1--n--3--|     n=nil
  ///     result   1--0--3--|     replaceNil(with: 0)
  ///
  /// The end passes through unchanged.
  ///
  /// - Complexity: O(1) per value; a chain of maps and filters is one closure.
  @_transparent
  public func replaceNil<Wrapped: Sendable>(
    with replacement: Wrapped
  ) -> Fused<FusedSource, Wrapped> where Element == Wrapped? {
    map { $0 ?? replacement }
  }
}
