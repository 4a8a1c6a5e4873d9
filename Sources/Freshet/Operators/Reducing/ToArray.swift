extension Flow {
  /// Gathers all values in an array.
  ///
  ///     source   1--2--3--|
  ///     result   ---------(p|)     p=[1,2,3]
  ///
  /// The array is sent when the source has finished, also of an empty source. A
  /// failure passes through, without the array. Memory grows with the stream: put
  /// ``take(_:)`` before a source without an end.
  ///
  /// - Complexity: O(1) per value, amortised; holds all values.
  @_transparent
  public func toArray() -> Fold<Self, [Element], [Element]> {
    reduce(into: []) { $0.append($1) }
  }
}
