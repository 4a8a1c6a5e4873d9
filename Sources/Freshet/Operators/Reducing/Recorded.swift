extension Flow {
  /// Gathers everything that the source says, values and end, in one recording.
  ///
  ///     source   1--2--#
  ///     result   ------(p|)     p=1,2,failed
  ///
  /// The recording is sent when the source has ended, whichever way; then the result finishes. It
  /// cannot fail. Memory grows with the stream: put ``take(_:)`` before a source without an end.
  /// A dispose stops the source and drops what is held.
  ///
  /// - Complexity: O(1) per value, amortised; holds all values.
  @inlinable
  public func recorded() -> some Flow<Recording<Element, Failure>, Never> {
    materialize().reduce(into: Recording<Element, Failure>(end: nil)) { recording, event in
      switch event {
      case .value(let value): recording.values.append(value)
      case .end(let end): recording.end = end
      }
    }
  }
}
