extension Flow {
  /// Subscribes to the source on a scheduler.
  ///
  ///     source   1--2--|
  ///     result   -1--2--|     subscribe(on: scheduler)     its job begins a tick later
  ///
  /// Only where the work starts changes; values come from wherever the source
  /// sends them. A dispose before the work has started means that it never does.
  ///
  /// - Complexity: O(1) per value.
  @inlinable
  public func subscribe(on scheduler: any Scheduler) -> some Flow<Element, Failure> {
    let source = self
    return Single<Void, Failure> { resolver in
      scheduler.schedule { resolver.succeed(()) }
      return nil
    }.flatMap { source }
  }
}
