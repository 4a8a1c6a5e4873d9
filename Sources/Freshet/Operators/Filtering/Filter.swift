extension Flow {
  /// Lets through the values that pass a test.
  ///
  ///     source   1--2--3--4--|
  ///     result   ---2-----4--|     filter { $0.isMultiple(of: 2) }
  ///
  /// The end passes through unchanged.
  ///
  /// - Parameter isIncluded: Called once per value, where the value arrives.
  /// - Complexity: O(1) per value; a chain of maps and filters is one closure.
  @_transparent
  public func filter(
    _ isIncluded: @escaping @Sendable (Element) -> Bool
  ) -> Fused<FusedSource, Element> {
    let before = fused
    let step = before.step
    @inline(__always) @Sendable
    func longer(_ value: FusedSource.Element) -> Element? {
      if let result = step(value), isIncluded(result) { result } else { nil }
    }
    return Fused(source: before.source, step: longer)
  }
}
