extension Flow {
  /// Sends some values first, then those of the source.
  ///
  ///     source   ---1--2--|
  ///     result   0--1--2--|     startWith(0)
  ///
  /// The source is subscribed to when the first values have been taken; its end
  /// passes through unchanged.
  ///
  /// - Complexity: O(1) per value.
  @inlinable
  public func startWith(_ values: Element...) -> some Flow<Element, Failure> {
    startWith(values)
  }

  /// Sends the values of a sequence first, then those of the source.
  ///
  ///     source   ---1--2--|
  ///     result   0--1--2--|     startWith([0])
  ///
  /// - Complexity: O(1) per value.
  @inlinable
  public func startWith<Values: Sequence & Sendable>(
    _ values: Values
  ) -> some Flow<Element, Failure> where Values.Element == Element {
    SequenceFlow(values).promoteFailure(to: Failure.self).concat(self)
  }
}
