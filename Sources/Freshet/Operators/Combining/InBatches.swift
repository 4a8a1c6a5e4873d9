extension Collection where Self: Sendable, Element: Flow {
  /// Runs the flows of this collection a few at a time and sends their values, batch by batch.
  ///
  ///     a        --1|
  ///     b        --2|
  ///     c        --3|
  ///     result   --p--q|     [a, b, c].inBatches(of: 2)   p=[1,2] q=[3]
  ///
  /// The flows of a batch run side by side; the next batch begins when all of them have
  /// finished. Within a batch the n-th values make one list, as with ``Swift/Sequence/zipped(capacity:)``.
  /// A failure of any ends the result.
  ///
  /// - Parameter size: How many flows run at a time. Positive.
  /// - Complexity: O(1) per value.
  public func inBatches(of size: Int) -> some Flow<[Element.Element], Element.Failure> {
    precondition(size > 0, "inBatches(of:) needs a positive number")
    let all = Array(self)
    return stride(from: 0, to: all.count, by: size).map { start in
      all[start..<Swift.min(start + size, all.count)].zipped()
    }.concatenated()
  }
}
