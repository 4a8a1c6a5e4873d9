extension Flow {
  /// Turns values and the end into values.
  ///
  ///     source   1-----2-----#
  ///     result   p-----q-----(r|)     p=value(1) q=value(2) r=end(failed)
  ///
  /// The last value says how the source ended; then the result finishes. It
  /// cannot fail. A paused observer gets that last value when it resumes.
  ///
  /// - Complexity: O(1) per value.
  @_transparent
  public func materialize() -> Materialize<Self> {
    Materialize(source: self)
  }
}

/// The flow behind `materialize()`.
@frozen
public struct Materialize<Source: Flow>: Flow {
  /// A value of the source, or its end.
  public typealias Element = Event<Source.Element, Source.Failure>

  /// It cannot fail: the failure is a value.
  public typealias Failure = Never
  @usableFromInline let source: Source

  @_transparent
  @usableFromInline
  init(source: Source) {
    self.source = source
  }

  /// Subscribes to the source, whose values and end become values.
  @_transparent
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    source.subscribe(
      observer, value: { .value($0) }, lastly: { LastWord(.end($0), .finished) })
  }
}
