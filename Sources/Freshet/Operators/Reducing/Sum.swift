extension Flow where Element: AdditiveArithmetic {
  /// Adds up the values.
  ///
  ///     source   1--2--3--|
  ///     result   ---------(6|)
  ///
  /// The sum is sent when the source has finished; that of an empty source is
  /// zero. A failure passes through, without the sum. An integer sum that does
  /// not fit its type traps, as `+` does.
  ///
  /// - Complexity: O(1) per value.
  @_transparent
  public func sum() -> Fold<Self, Element, Element> {
    reduce(into: .zero) { $0 += $1 }
  }
}
