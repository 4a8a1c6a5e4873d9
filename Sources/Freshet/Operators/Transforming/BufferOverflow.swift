extension Flow {
  /// Keeps values for an observer that pauses, up to a limit.
  ///
  ///     source     1-2-3-4-5-|
  ///     observer   p-----------r         p=pauses r=resumes
  ///     result     1-----------(45|)     buffer(capacity: 2, overflow: .dropOldest)
  ///
  /// It goes between a hot source and an observer that pauses: the source is never paused
  /// with a dropping policy, and no more than `capacity` values wait. It is
  /// ``observe(on:capacity:overflow:)`` without a change of place: the observer is called
  /// where the source sends, or where it resumes.
  ///
  /// - Parameters:
  ///   - capacity: How many values may wait. At least one.
  ///   - overflow: What to do with more.
  /// - Complexity: O(1) per value.
  public func buffer(
    capacity: Int, overflow: Overflow<Failure>
  ) -> some Flow<Element, Failure> {
    observe(on: ImmediateScheduler(), capacity: capacity, overflow: overflow)
  }

  /// Keeps only the latest value for an observer that pauses.
  ///
  ///     source     1-2-3-4-5-|
  ///     observer   p-----------r        p=pauses r=resumes
  ///     result     1-----------(5|)     conflate()
  ///
  /// It is ``buffer(capacity:overflow:)`` with room for one.
  ///
  /// - Complexity: O(1) per value; holds one value.
  public func conflate() -> some Flow<Element, Failure> {
    buffer(capacity: 1, overflow: .dropOldest)
  }

  /// Turns the latest value into another one on a scheduler, and skips those that come while it
  /// is busy.
  ///
  ///     source   1-2-3-----4----|
  ///     result   ---b---c-----d----|     lazyMap(on: queue) { slow($0) }     busy for 3 ticks   b=2x c=3x d=4x
  ///
  /// One value waits at most; a newer one takes its place. The last value before the end
  /// is always transformed.
  ///
  /// - Parameters:
  ///   - scheduler: Where the closure runs and the result is sent.
  ///   - transform: Called for values that were not skipped.
  /// - Complexity: O(1) per value; holds one value.
  public func lazyMap<Result: Sendable>(
    on scheduler: any Scheduler, _ transform: @escaping @Sendable (Element) -> Result
  ) -> some Flow<Result, Failure> {
    observe(on: scheduler, capacity: 1, overflow: .dropOldest).map(transform)
  }
}
