extension Flow {
  /// Turns values and the failure into results; the stream itself cannot fail.
  ///
  ///     source   1-----2-----#
  ///     result   p-----q-----(r|)     p=success(1) q=success(2) r=failure
  ///
  /// A failure becomes the last value, then the result finishes. A finish passes
  /// through. A paused observer gets that last value when it resumes.
  ///
  /// - Complexity: O(1) per value.
  @_transparent
  public func mapToResult() -> MapToResult<Self> {
    MapToResult(source: self)
  }
}

/// The flow behind `mapToResult()`.
@frozen
public struct MapToResult<Source: Flow>: Flow {
  /// A value of the source, or its failure.
  public typealias Element = Result<Source.Element, Source.Failure>

  /// It cannot fail: the failure is a value.
  public typealias Failure = Never
  @usableFromInline let source: Source

  @_transparent
  @usableFromInline
  init(source: Source) {
    self.source = source
  }

  /// Subscribes to the source, whose values and failure become results.
  @_transparent
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    source.subscribe(
      observer, value: { .success($0) },
      lastly: { end in
        switch end {
        case .finished: LastWord(nil, .finished)
        case .failed(let failure): LastWord(.failure(failure), .finished)
        }
      })
  }
}
