extension Flow {
  /// Turns values into others and drops those that have none.
  ///
  ///     source   1--x--3--|
  ///     result   1-----3--|     compactMap { Int($0) }
  ///
  /// The end passes through unchanged.
  ///
  /// - Parameter transform: Called once per value, where the value arrives.
  /// - Complexity: O(1) per value; a chain of maps and filters is one closure.
  @_transparent
  public func compactMap<Result: Sendable>(
    _ transform: @escaping @Sendable (Element) -> Result?
  ) -> Fused<FusedSource, Result> {
    let before = fused
    let step = before.step
    @inline(__always) @Sendable
    func longer(_ value: FusedSource.Element) -> Result? {
      if let result = step(value) { transform(result) } else { nil }
    }
    return Fused(source: before.source, step: longer)
  }
}
