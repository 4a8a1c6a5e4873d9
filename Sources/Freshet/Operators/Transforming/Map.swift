extension Flow {
  /// Turns each value into another one.
  ///
  ///     source   1--2--3--|
  ///     result   a--b--c--|     map { letter($0) }
  ///
  /// The end passes through unchanged.
  ///
  /// - Parameter transform: Called once per value, where the value arrives.
  /// - Complexity: O(1) per value; a chain of maps and filters is one closure.
  @_transparent
  public func map<Result: Sendable>(
    _ transform: @escaping @Sendable (Element) -> Result
  ) -> Fused<FusedSource, Result> {
    let before = fused
    let step = before.step
    @inline(__always) @Sendable
    func longer(_ value: FusedSource.Element) -> Result? {
      if let result = step(value) { transform(result) } else { nil }
    }
    return Fused(source: before.source, step: longer)
  }

  /// Picks a property of each value by a key path held in a variable.
  ///
  /// A key path written in place, `map(\.name)`, is turned into a closure by the
  /// compiler and is as fast as one.
  ///
  /// - Complexity: O(1) per value; a chain of maps and filters is one closure.
  @_disfavoredOverload
  @inlinable
  public func map<Result: Sendable>(
    _ keyPath: any KeyPath<Element, Result> & Sendable
  ) -> Fused<FusedSource, Result> {
    map { $0[keyPath: keyPath] }
  }
}
