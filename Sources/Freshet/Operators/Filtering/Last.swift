extension Flow {
  /// Sends the last value when the source has finished.
  ///
  ///     source   1--2--3--|
  ///     result   ---------(3|)
  ///
  /// An empty source gives an empty result. A failure passes through, without
  /// the value.
  ///
  /// - Complexity: O(1) per value; holds one value.
  @_transparent
  public func last() -> Fold<Self, Element?, Element> {
    Fold(source: self, initial: nil, step: { $0 = $1 }, result: { $0 })
  }

  /// Sends the last value that passes a test, when the source has finished.
  ///
  ///     source   1--2--3--|
  ///     result   ---------(2|)     last { $0 < 3 }
  ///
  /// Without such a value the result is empty. A failure passes through, without
  /// the value.
  ///
  /// - Parameter condition: Called once per value.
  /// - Complexity: O(1) per value; holds one value.
  @_transparent
  public func last(
    where condition: @escaping @Sendable (Element) -> Bool
  ) -> Fold<Fused<FusedSource, Element>, Element?, Element> {
    filter(condition).last()
  }
}
