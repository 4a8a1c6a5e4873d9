extension Flow {
  /// Sends a value in the place of a failure, then finishes.
  ///
  ///     source   1--2--#
  ///     result   1--2--(0|)     replaceFailure(with: 0)
  ///
  /// The result cannot fail. Values and a finish pass through unchanged. A paused
  /// observer gets the value when it resumes.
  ///
  /// - Complexity: O(1) per value.
  @_transparent
  public func replaceFailure(with value: Element) -> ReplaceFailure<Self> {
    ReplaceFailure(source: self, replacement: { _ in value })
  }

  /// Sends a value made from the failure in its place, then finishes.
  ///
  ///     source   1--2--#
  ///     result   1--2--(0|)     replaceFailure { code(of: $0) }
  ///
  /// The result cannot fail. Values and a finish pass through unchanged. A paused
  /// observer gets the value when it resumes. To go on with a whole flow, see
  /// ``catchError(_:)``.
  ///
  /// - Parameter replacement: Called at most once, when the source fails.
  /// - Complexity: O(1) per value.
  @_transparent
  public func replaceFailure(
    _ replacement: @escaping @Sendable (Failure) -> Element
  ) -> ReplaceFailure<Self> {
    ReplaceFailure(source: self, replacement: replacement)
  }
}

/// The flow behind `replaceFailure(with:)`.
@frozen
public struct ReplaceFailure<Source: Flow>: Flow {
  /// The source's values.
  public typealias Element = Source.Element

  /// It cannot fail: a value takes the place of the failure.
  public typealias Failure = Never
  @usableFromInline let source: Source
  @usableFromInline let replacement: @Sendable (Source.Failure) -> Element

  @_transparent
  @usableFromInline
  init(source: Source, replacement: @escaping @Sendable (Source.Failure) -> Element) {
    self.source = source
    self.replacement = replacement
  }

  /// Subscribes to the source, whose failure becomes a value and a finish.
  @_transparent
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    let replacement = replacement
    return source.subscribe(
      observer, value: { $0 },
      lastly: { end in
        switch end {
        case .finished: LastWord(nil, .finished)
        case .failed(let failure): LastWord(replacement(failure), .finished)
        }
      })
  }
}
