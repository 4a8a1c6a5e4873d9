extension Flow {
  /// Sends some values after those of the source.
  ///
  ///     source   1--2--|
  ///     result   1--2--(8|)     endWith(8)
  ///
  /// Nothing is added when the source fails.
  ///
  /// - Complexity: O(1) per value.
  @inlinable
  public func endWith(_ values: Element...) -> some Flow<Element, Failure> {
    endWith(values)
  }

  /// Sends the values of a sequence after those of the source.
  ///
  ///     source   1--2--|
  ///     result   1--2--(8|)     endWith([8])
  ///
  /// - Complexity: O(1) per value.
  @inlinable
  public func endWith<Values: Sequence & Sendable>(
    _ values: Values
  ) -> some Flow<Element, Failure> where Values.Element == Element {
    concat(SequenceFlow(values).promoteFailure(to: Failure.self))
  }
}
