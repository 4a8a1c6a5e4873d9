extension Flow where Element: Flow, Element.Failure == Failure {
  /// Merges the flows that this flow sends.
  ///
  /// See ``Flow/flatMap(maxConcurrent:_:)``.
  ///
  /// - Parameter maxConcurrent: How many run at a time.
  /// - Complexity: O(1) per value and per inner flow.
  @inlinable
  public func flatten(maxConcurrent: Int = .max) -> FlatMap<Self, Element> {
    flatMap(maxConcurrent: maxConcurrent) { $0 }
  }

  /// Follows only the latest of the flows that this flow sends.
  ///
  /// See ``Flow/switchMap(_:)``.
  ///
  /// - Complexity: O(1) per value and per inner flow.
  @inlinable
  public func switchToLatest() -> SwitchMap<Self, Element> {
    switchMap { $0 }
  }
}
