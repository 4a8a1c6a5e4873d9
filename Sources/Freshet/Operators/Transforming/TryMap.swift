extension Flow {
  /// Turns each value into another one, or fails.
  ///
  ///     source   1--2--x--3--|
  ///     result   1--2--#           tryMap { try number($0) }
  ///
  /// A thrown failure stops the source, then fails the result. The source's own
  /// end passes through unchanged.
  ///
  /// - Parameter transform: Called once per value, where the value arrives.
  /// - Complexity: O(1) per value; adjacent ones become one closure.
  @_transparent
  public func tryMap<Result: Sendable>(
    _ transform: @escaping @Sendable (Element) throws(Failure) -> Result
  ) -> TryCompactMap<Self, Result> {
    TryCompactMap(source: self) { value throws(Failure) in try transform(value) }
  }
}

extension Flow where Failure == Never {
  /// Turns each value into another one, or fails.
  ///
  ///     source   1--2--x--3--|
  ///     result   1--2--#           tryMap { try number($0) }
  ///
  /// A thrown failure stops the source, then fails the result. The source's own
  /// end passes through unchanged.
  /// The failure type is what the closure declares to throw; a closure that does
  /// not say fails with `any Error`.
  ///
  /// - Parameter transform: Called once per value, where the value arrives.
  /// - Complexity: O(1) per value; adjacent ones become one closure.
  @_transparent
  public func tryMap<Result: Sendable, Thrown: Error>(
    _ transform: @escaping @Sendable (Element) throws(Thrown) -> Result
  ) -> TryCompactMap<PromoteFailure<Self, Thrown>, Result> {
    TryCompactMap(source: promoteFailure(to: Thrown.self)) { value throws(Thrown) in
      try transform(value)
    }
  }
}

extension TryCompactMap {
  /// Adds one more step that may fail to those before, as one closure.
  ///
  ///     tryMap { try number($0) }.tryMap { try half($0) }
  ///
  /// - Complexity: O(1) per value.
  @_transparent
  public func tryMap<Result: Sendable>(
    _ transform: @escaping @Sendable (Element) throws(Failure) -> Result
  ) -> TryCompactMap<Source, Result> {
    let first = self.transform
    return TryCompactMap<Source, Result>(source: source) { value throws(Failure) in
      guard let value = try first(value) else { return nil }
      return try transform(value)
    }
  }
}
