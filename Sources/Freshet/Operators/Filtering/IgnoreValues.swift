extension Flow {
  /// Lets only the end through.
  ///
  ///     source   1--2--3--|
  ///     result   ---------|
  ///
  /// - Complexity: O(1) per value.
  @_transparent
  public func ignoreValues() -> Fused<FusedSource, Never> {
    ignoreValues(as: Never.self)
  }

  /// Lets only the end through, as a flow of another type of value.
  ///
  ///     source   1--2--3--|
  ///     result   ---------|     ignoreValues(as: String.self)
  ///
  /// - Complexity: O(1) per value.
  @_transparent
  public func ignoreValues<Other: Sendable>(as type: Other.Type) -> Fused<FusedSource, Other> {
    compactMap { _ in nil }
  }
}
