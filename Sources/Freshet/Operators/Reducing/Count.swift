extension Flow {
  /// Counts the values.
  ///
  ///     source   a--b--c--|
  ///     result   ---------(3|)
  ///
  /// The count is sent when the source has finished. A failure passes through,
  /// without the count.
  ///
  /// - Complexity: O(1) per value.
  @_transparent
  public func count() -> Fold<Self, Int, Int> {
    reduce(into: 0) { count, _ in count += 1 }
  }
}
