extension Flow {
  /// Turns each value into a flow and runs them one after the other.
  ///
  ///     source   a-b-----------|
  ///     inner    -p---q|
  ///     inner          -r---s|
  ///     result   -p---q-r---s--|     p=a1 q=a2 r=b1 s=b2
  ///
  /// It is `flatMap(maxConcurrent: 1)`: the source is paused while an inner flow
  /// runs, and inner flows for values that a hot source sends meanwhile wait.
  ///
  /// - Parameter transform: Makes the inner flow; called where the value arrives.
  /// - Complexity: O(1) per value and per inner flow.
  @inlinable
  public func concatMap<Inner: Flow>(
    _ transform: @escaping @Sendable (Element) -> Inner
  ) -> FlatMap<Self, Inner> where Inner.Failure == Failure {
    flatMap(maxConcurrent: 1, transform)
  }
}

extension Sequence where Self: Sendable, Element: Flow {
  /// Sends the flows of this sequence one after the other.
  ///
  ///     a        1--2|
  ///     b        3--4|
  ///     result   1--23--4|     [a, b].concatenated()
  ///
  /// Each is subscribed to when the one before has finished; the stack stays
  /// flat however many finish at once. A failure ends the result.
  ///
  /// - Complexity: O(1) per value.
  @inlinable
  public func concatenated() -> some Flow<Element.Element, Element.Failure> {
    SequenceFlow(self).promoteFailure(to: Element.Failure.self).concatMap { $0 }
  }
}
