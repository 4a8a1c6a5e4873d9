extension Flow {
  /// Lets through the values that pass a test that may fail.
  ///
  ///     source   1--2--4--x--|
  ///     result   ---2--4--#        tryFilter { try isEven($0) }
  ///
  /// A thrown failure stops the source, then fails the result. The source's own
  /// end passes through unchanged.
  ///
  /// - Parameter isIncluded: Called once per value, where the value arrives.
  /// - Complexity: O(1) per value; adjacent ones become one closure.
  @_transparent
  public func tryFilter(
    _ isIncluded: @escaping @Sendable (Element) throws(Failure) -> Bool
  ) -> TryCompactMap<Self, Element> {
    TryCompactMap(source: self) { value throws(Failure) in
      try isIncluded(value) ? value : nil
    }
  }
}

extension Flow where Failure == Never {
  /// Lets through the values that pass a test that may fail.
  ///
  ///     source   1--2--4--x--|
  ///     result   ---2--4--#        tryFilter { try isEven($0) }
  ///
  /// A thrown failure stops the source, then fails the result. The source's own
  /// end passes through unchanged.
  /// The failure type is what the closure declares to throw; a closure that does
  /// not say fails with `any Error`.
  ///
  /// - Parameter isIncluded: Called once per value, where the value arrives.
  /// - Complexity: O(1) per value; adjacent ones become one closure.
  @_transparent
  public func tryFilter<Thrown: Error>(
    _ isIncluded: @escaping @Sendable (Element) throws(Thrown) -> Bool
  ) -> TryCompactMap<PromoteFailure<Self, Thrown>, Element> {
    TryCompactMap(source: promoteFailure(to: Thrown.self)) { value throws(Thrown) in
      try isIncluded(value) ? value : nil
    }
  }
}

extension TryCompactMap {
  /// Adds one more step that may fail to those before, as one closure.
  ///
  ///     tryMap { try number($0) }.tryFilter { try isEven($0) }
  ///
  /// - Complexity: O(1) per value.
  @_transparent
  public func tryFilter(
    _ isIncluded: @escaping @Sendable (Element) throws(Failure) -> Bool
  ) -> TryCompactMap<Source, Element> {
    let first = self.transform
    return TryCompactMap<Source, Element>(source: source) { value throws(Failure) in
      guard let value = try first(value) else { return nil }
      return try isIncluded(value) ? value : nil
    }
  }
}
