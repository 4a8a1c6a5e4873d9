extension Flow {
  /// Answers a failure with another flow, or with another failure.
  ///
  ///     source   1--2--#
  ///     result   1--2--8--9--|     tryCatchError { try replacement(for: $0) }
  ///
  /// As ``catchError(_:)``; what the handler throws is what the result fails with.
  ///
  /// - Parameter handler: Makes the replacement; called once, where the failure arrives.
  /// - Complexity: O(1) per value.
  public func tryCatchError<Replacement: Flow>(
    _ handler: @escaping @Sendable (Failure) throws(Replacement.Failure) -> Replacement
  ) -> some Flow<Element, Replacement.Failure> where Replacement.Element == Element {
    catchError { failure in
      do throws(Replacement.Failure) {
        return try handler(failure).erased()
      } catch {
        return Fail<Element, Replacement.Failure>(error).erased()
      }
    }
  }
}
