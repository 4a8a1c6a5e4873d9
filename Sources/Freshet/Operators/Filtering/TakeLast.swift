extension Flow {
  /// Sends the last values when the source has finished.
  ///
  ///     source   1--2--3--4--|
  ///     result   ------------(34|)     takeLast(2)
  ///
  /// A failure passes through at once, without the values. An observer that
  /// pauses gets the rest of them when it resumes, and then the end.
  ///
  /// - Parameter count: How many values to send at most. Not negative.
  /// - Complexity: O(1) per value; holds `count` values.
  @inlinable
  public func takeLast(_ count: Int) -> some Flow<Element, Failure> {
    precondition(count >= 0, "takeLast(_:) needs a count that is not negative")
    // The values are gathered without a kernel, which then hands them over.
    return Fold(
      source: self, initial: Ring(limit: count), step: { _ = $0.push($1) }, result: { $0.inOrder }
    )
    .flatMap { $0.flow.promoteFailure(to: Failure.self) }
  }
}
