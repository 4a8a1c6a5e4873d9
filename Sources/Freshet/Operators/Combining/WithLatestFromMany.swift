extension Flow {
  /// Combines each value with the latest of several other flows.
  ///
  ///     source   1-----2--3----|
  ///     a        ---x------y--|
  ///     b        t------u-----|
  ///     result   ------{2xt}--{3xu}----|     source.withLatestFrom(a.erased(), b.erased()) { … }
  ///
  /// Values that come before each of the others has sent are left out. Finishes with
  /// the source, and as soon as one of the others has finished without a value: then
  /// nothing can come. A failure of any of them ends it. The others are subscribed to first.
  ///
  /// The flows are erased because Swift cannot yet say of a parameter pack that
  /// all its elements fail alike.
  ///
  /// - Parameters:
  ///   - first: One of the others.
  ///   - second: Another.
  ///   - rest: The rest of them.
  ///   - combine: Called with each value that is not left out.
  /// - Complexity: O(n) per value in the number of flows.
  public func withLatestFrom<First: Sendable, Second: Sendable, each Rest: Sendable, Result>(
    _ first: AnyFlow<First, Failure>, _ second: AnyFlow<Second, Failure>,
    _ rest: repeat AnyFlow<each Rest, Failure>,
    by combine: @escaping @Sendable (Element, First, Second, repeat each Rest) -> Result
  ) -> some Flow<Result, Failure> where Result: Sendable {
    let others = manyBoxed(first, second, repeat each rest).combinedLatest()
    return withLatestFrom(others) { value, row in
      spread(row) { (first: First, second: Second, rest: repeat each Rest) in
        combine(value, first, second, repeat each rest)
      }
    }
  }
}
