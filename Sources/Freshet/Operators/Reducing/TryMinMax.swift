extension Flow {
  /// Sends the least value when the source has finished, by a comparison that may fail.
  ///
  ///     source   2--1--3--|
  ///     result   ---------(1|)     tryMin { try isLess($0, $1) }
  ///
  /// Of equal ones the first. An empty source gives nothing. A thrown failure stops the source,
  /// then fails the result.
  ///
  /// - Parameter isLess: Whether its first argument is less than its second.
  /// - Complexity: O(1) per value; holds one value.
  public func tryMin(
    by isLess: @escaping @Sendable (Element, Element) throws(Failure) -> Bool
  ) -> some Flow<Element, Failure> {
    tryScan(Element?.none) { best, value throws(Failure) in
      guard let best else { return .some(value) }
      return .some(try isLess(value, best) ? value : best)
    }.last().compactMap { $0 }
  }

  /// Sends the greatest value when the source has finished, by a comparison that may fail.
  ///
  ///     source   2--1--3--|
  ///     result   ---------(3|)     tryMax { try isLess($0, $1) }
  ///
  /// Of equal ones the last. An empty source gives nothing. A thrown failure stops the source,
  /// then fails the result.
  ///
  /// - Parameter isLess: Whether its first argument is less than its second.
  /// - Complexity: O(1) per value; holds one value.
  public func tryMax(
    by isLess: @escaping @Sendable (Element, Element) throws(Failure) -> Bool
  ) -> some Flow<Element, Failure> {
    tryScan(Element?.none) { best, value throws(Failure) in
      guard let best else { return .some(value) }
      return .some(try isLess(value, best) ? best : value)
    }.last().compactMap { $0 }
  }
}

extension Flow where Failure == Never {
  /// Sends the least value when the source has finished, by a comparison that may fail.
  ///
  ///     source   2--1--3--|
  ///     result   ---------(1|)     tryMin { try isLess($0, $1) }
  ///
  /// Of equal ones the first. An empty source gives nothing. A thrown failure stops the source,
  /// then fails the result.
  ///
  /// The failure type is what the closure declares to throw; a closure that does
  /// not say fails with `any Error`.
  ///
  /// - Parameter isLess: Whether its first argument is less than its second.
  /// - Complexity: O(1) per value; holds one value.
  public func tryMin<Thrown: Error>(
    by isLess: @escaping @Sendable (Element, Element) throws(Thrown) -> Bool
  ) -> some Flow<Element, Thrown> {
    promoteFailure(to: Thrown.self).tryMin(by: isLess)
  }

  /// Sends the greatest value when the source has finished, by a comparison that may fail.
  ///
  ///     source   2--1--3--|
  ///     result   ---------(3|)     tryMax { try isLess($0, $1) }
  ///
  /// Of equal ones the last. An empty source gives nothing. A thrown failure stops the source,
  /// then fails the result.
  ///
  /// The failure type is what the closure declares to throw; a closure that does
  /// not say fails with `any Error`.
  ///
  /// - Parameter isLess: Whether its first argument is less than its second.
  /// - Complexity: O(1) per value; holds one value.
  public func tryMax<Thrown: Error>(
    by isLess: @escaping @Sendable (Element, Element) throws(Thrown) -> Bool
  ) -> some Flow<Element, Thrown> {
    promoteFailure(to: Thrown.self).tryMax(by: isLess)
  }
}
