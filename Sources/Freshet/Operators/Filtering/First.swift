extension Flow {
  /// Sends the first value, then finishes and stops the source.
  ///
  ///     source   1--2--3--|
  ///     result   (1|)
  ///
  /// A source that ends without a value passes its end through; add
  /// ``throwIfEmpty(_:)`` to make that a failure.
  ///
  /// - Complexity: O(1).
  @_transparent
  public func first() -> Take<Self> {
    take(1)
  }

  /// Sends the first value that passes a test, then finishes and stops the source.
  ///
  ///     source   1--2--3--|
  ///     result   ---(2|)       first { $0 > 1 }
  ///
  /// A source that ends before passes its end through.
  ///
  /// - Parameter condition: Called once per value, until it is true.
  /// - Complexity: O(1) per value.
  @_transparent
  public func first(
    where condition: @escaping @Sendable (Element) -> Bool
  ) -> Take<Fused<FusedSource, Element>> {
    filter(condition).take(1)
  }
}
