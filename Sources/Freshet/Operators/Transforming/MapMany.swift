extension Flow where Element: Sequence {
  /// Turns each element of each value into another one.
  ///
  ///     source   p--q--|     p=[1,2] q=[3]
  ///     result   r--s--|     mapMany { $0 * 2 }   r=[2,4] s=[6]
  ///
  /// - Parameter transform: Called once per element, where the value arrives.
  /// - Complexity: O(n) per value in the number of its elements.
  @inlinable
  public func mapMany<Result: Sendable>(
    _ transform: @escaping @Sendable (Element.Element) -> Result
  ) -> Fused<FusedSource, [Result]> {
    map { $0.map(transform) }
  }

  /// Keeps those elements of each value that pass a test.
  ///
  ///     source   p--q--|     p=[1,2] q=[3]
  ///     result   r--s--|     filterMany { $0.isMultiple(of: 2) }   r=[2] s=[]
  ///
  /// A value of which nothing is left is an empty list.
  ///
  /// - Parameter condition: Called once per element, where the value arrives.
  /// - Complexity: O(n) per value in the number of its elements.
  @inlinable
  public func filterMany(
    _ condition: @escaping @Sendable (Element.Element) -> Bool
  ) -> Fused<FusedSource, [Element.Element]> where Element.Element: Sendable {
    map { $0.filter(condition) }
  }
}
