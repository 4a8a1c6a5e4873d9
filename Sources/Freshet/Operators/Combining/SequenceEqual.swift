extension Flow {
  /// Tells whether another flow sends the same values in the same order.
  ///
  ///     a        1--2--|
  ///     b        -1--2---|
  ///     result   --------(t|)     a.sequenceEqual(to: b)   t=true
  ///
  /// Answers false at the first difference, true when both have finished alike.
  /// A failure of either ends the result.
  ///
  /// - Parameter isSame: Compares two values.
  /// - Complexity: O(1) per value, amortised.
  @inlinable
  public func sequenceEqual<Other: Flow>(
    to other: Other, by isSame: @escaping @Sendable (Element, Other.Element) -> Bool
  ) -> some Flow<Bool, Failure> where Other.Failure == Failure {
    let here = map { Optional($0) }.endWith(nil)
    let there = other.map { Optional($0) }.endWith(nil)
    return here.zip(with: there)
      .compactMap { pair -> Bool? in
        switch pair {
        case (nil, nil): true
        case (let a?, let b?): isSame(a, b) ? nil : false
        default: false
        }
      }
      .take(1)
  }

  /// Tells whether another flow sends equal values in the same order.
  ///
  /// See ``sequenceEqual(to:by:)``.
  @inlinable
  public func sequenceEqual<Other: Flow>(to other: Other) -> some Flow<Bool, Failure>
  where Other.Element == Element, Other.Failure == Failure, Element: Equatable {
    sequenceEqual(to: other, by: { $0 == $1 })
  }
}
