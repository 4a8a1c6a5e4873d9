extension Flow {
  /// Sends each value when a flow made from it says so.
  ///
  ///     source   a-b------|
  ///     for a    ----x
  ///     for b    -x
  ///     result   ---ba----|     delayWhen { signal(for: $0) }
  ///
  /// The first value of the signal counts, or its finish. Values may overtake one another.
  /// Finishes when the source has and no value waits. A failure of the source or of a signal
  /// ends the result at once and drops what waits.
  ///
  /// - Parameter signal: Makes the signal of a value; called where the value arrives.
  /// - Complexity: O(1) per value and per signal.
  public func delayWhen<Signal: Flow>(
    _ signal: @escaping @Sendable (Element) -> Signal
  ) -> some Flow<Element, Failure> where Signal.Failure == Failure {
    flatMap { value in signal(value).map { _ in value }.take(1).defaultIfEmpty(value) }
  }
}
