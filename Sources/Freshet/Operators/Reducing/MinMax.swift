extension Flow {
  /// Sends the least value, by an order of the caller's.
  ///
  ///     source   2--1--3--|
  ///     result   ---------(1|)
  ///
  /// It is sent when the source has finished; of equal ones, the first. An
  /// empty source gives an empty result. A failure passes through, without the
  /// value.
  ///
  /// - Parameter isBefore: Whether the first value comes before the second.
  /// - Complexity: O(1) per value; holds one value.
  @_transparent
  public func min(
    by isBefore: @escaping @Sendable (Element, Element) -> Bool
  ) -> Fold<Self, Element?, Element> {
    Fold(
      source: self, initial: nil,
      step: { best, value in
        if let current = best, !isBefore(value, current) { return }
        best = value
      },
      result: { $0 })
  }
}

extension Flow where Element: Comparable {
  /// Sends the least value.
  ///
  ///     source   2--1--3--|
  ///     result   ---------(1|)
  ///
  /// It is sent when the source has finished; of equal ones, the first. An
  /// empty source gives an empty result. NaN counts only where it comes first: as
  /// in the standard library, nothing is less than it and it is less than nothing.
  ///
  /// - Complexity: O(1) per value; holds one value.
  @_transparent
  public func min() -> Fold<Self, Element?, Element> {
    min(by: { $0 < $1 })
  }
}

extension Flow {
  /// Sends the greatest value, by an order of the caller's.
  ///
  ///     source   2--1--3--|
  ///     result   ---------(3|)
  ///
  /// It is sent when the source has finished; of equal ones, the first. An
  /// empty source gives an empty result. A failure passes through, without the
  /// value.
  ///
  /// - Parameter isBefore: Whether the first value comes before the second.
  /// - Complexity: O(1) per value; holds one value.
  @_transparent
  public func max(
    by isBefore: @escaping @Sendable (Element, Element) -> Bool
  ) -> Fold<Self, Element?, Element> {
    Fold(
      source: self, initial: nil,
      step: { best, value in
        if let current = best, !isBefore(current, value) { return }
        best = value
      },
      result: { $0 })
  }
}

extension Flow where Element: Comparable {
  /// Sends the greatest value.
  ///
  ///     source   2--1--3--|
  ///     result   ---------(3|)
  ///
  /// It is sent when the source has finished; of equal ones, the first. An
  /// empty source gives an empty result. NaN counts only where it comes first: as
  /// in the standard library, nothing is less than it and it is less than nothing.
  ///
  /// - Complexity: O(1) per value; holds one value.
  @_transparent
  public func max() -> Fold<Self, Element?, Element> {
    max(by: { $0 < $1 })
  }
}
