/// Runs work at once, where it is scheduled.
///
/// It has no time, so timed operators do not take it.
@frozen
public struct ImmediateScheduler: Scheduler {
  /// Makes an immediate scheduler.
  @inlinable
  public init() {}

  /// Runs work before this returns.
  @inlinable
  public func schedule(_ work: @escaping @Sendable () -> Void) {
    work()
  }
}
