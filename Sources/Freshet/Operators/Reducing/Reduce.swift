extension Flow {
  /// Folds the values and sends the result.
  ///
  ///     source   1--2--3--|
  ///     result   ---------(6|)     reduce(0, +)
  ///
  /// The result is sent when the source has finished, also of an empty source,
  /// and then the result finishes. A failure passes through, without the result.
  ///
  /// - Parameters:
  ///   - initial: What the first value is combined with.
  ///   - step: Combines the result so far with a value.
  /// - Complexity: O(1) per value.
  @_transparent
  public func reduce<Result: Sendable>(
    _ initial: Result, _ step: @escaping @Sendable (Result, Element) -> Result
  ) -> Fold<Self, Result, Result> {
    Fold(
      source: self, initial: initial, step: { $0 = step($0, $1) }, result: { $0 })
  }

  /// Folds the values in place and sends the result.
  ///
  ///     source   1--2--3--|
  ///     result   ---------(p|)     reduce(into: []) { $0.append($1) }   p=[1,2,3]
  ///
  /// The result is sent when the source has finished, also of an empty source,
  /// and then the result finishes. A failure passes through, without the result.
  ///
  /// - Parameters:
  ///   - initial: What the first value is put into.
  ///   - step: Puts a value into the result so far.
  /// - Complexity: O(1) per value, besides the step.
  @_transparent
  public func reduce<Result: Sendable>(
    into initial: Result, _ step: @escaping @Sendable (inout Result, Element) -> Void
  ) -> Fold<Self, Result, Result> {
    Fold(source: self, initial: initial, step: step, result: { $0 })
  }
}
