extension Flow {
  /// Lets values through for a while, then finishes and stops the source.
  ///
  ///     source   1--2--3--4--|
  ///     result   1--2--3|         take(for: 7 ticks, on: scheduler)
  ///
  /// - Parameters:
  ///   - time: How long, from the subscription. Must be positive.
  ///   - scheduler: Measures the time.
  /// - Complexity: O(1) per value.
  @inlinable
  public func take(for time: Duration, on scheduler: any TimeScheduler) -> some Flow<
    Element, Failure
  > {
    takeUntil(Timer(after: time, on: scheduler).promoteFailure(to: Failure.self))
  }

  /// Leaves values out for a while.
  ///
  ///     source   1--2--3--4--|
  ///     result   ---------4--|     skip(for: 7 ticks, on: scheduler)
  ///
  /// - Parameters:
  ///   - time: How long, from the subscription. Must be positive.
  ///   - scheduler: Measures the time.
  /// - Complexity: O(1) per value.
  @inlinable
  public func skip(for time: Duration, on scheduler: any TimeScheduler) -> some Flow<
    Element, Failure
  > {
    skipUntil(Timer(after: time, on: scheduler).promoteFailure(to: Failure.self))
  }
}
