extension Flow {
  /// Sends the value at a place, then finishes and stops the source.
  ///
  ///     source   a--b--c--|
  ///     result   ---(b|)       element(at: 1)
  ///
  /// A source that ends before passes its end through.
  ///
  /// - Parameter index: How many values come before it. Not negative.
  /// - Complexity: O(1) per value.
  @_transparent
  public func element(at index: Int) -> Take<Skip<Self>> {
    precondition(index >= 0, "element(at:) needs an index that is not negative")
    return skip(index).take(1)
  }

  /// Sends the values at some places in a row, then finishes and stops the source.
  ///
  ///     source   a--b--c--d--|
  ///     result   ---b--(c|)       elements(in: 1...2)
  ///
  /// An empty range finishes at once and does not subscribe to the source. A
  /// source that ends before passes its end through.
  ///
  /// - Parameter range: Which values, counted from zero; `2...` takes all but two.
  /// - Complexity: O(1) per value.
  @_transparent
  public func elements(in range: some RangeExpression<Int>) -> Take<Skip<Self>> {
    let range = range.relative(to: 0..<Int.max)
    precondition(range.lowerBound >= 0, "elements(in:) needs a range that is not negative")
    return skip(range.lowerBound).take(range.count)
  }
}
