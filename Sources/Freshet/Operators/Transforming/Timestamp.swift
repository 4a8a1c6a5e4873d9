extension Flow {
  /// Sends each value together with the moment at which it came.
  ///
  ///     source   a------b------|
  ///     result   p------q------|     timestamp(on: scheduler)   p=a,0 q=b,7
  ///
  /// The end passes through unchanged.
  ///
  /// - Parameter scheduler: Whose time is read.
  /// - Complexity: O(1) per value, and one look at the scheduler's clock.
  @_transparent
  public func timestamp<Clock: TimeScheduler>(
    on scheduler: Clock
  ) -> Fused<FusedSource, (value: Element, moment: Moment)> {
    map { (value: $0, moment: scheduler.now) }
  }
}
