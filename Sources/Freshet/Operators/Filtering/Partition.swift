extension Flow {
  /// Two flows: the values that pass a test, and those that do not.
  ///
  ///     source     1--2--3--4--|
  ///     matching   ---2-----4--|     partition { $0.isMultiple(of: 2) }
  ///     rest       1-----3-----|
  ///
  /// Each of the two subscribes to the source by itself: put a ``share()`` before it when
  /// the work is to be done once.
  ///
  /// - Parameter condition: Called once per value and subscription.
  /// - Complexity: O(1) per value.
  public func partition(
    _ condition: @escaping @Sendable (Element) -> Bool
  ) -> (matching: Fused<FusedSource, Element>, rest: Fused<FusedSource, Element>) {
    (filter(condition), filter { !condition($0) })
  }
}
