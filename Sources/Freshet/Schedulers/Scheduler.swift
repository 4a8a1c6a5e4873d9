/// A place where work is run.
public protocol Scheduler: Sendable {
  /// Runs work as soon as possible. Work handed over by one thread runs in that order.
  func schedule(_ work: @escaping @Sendable () -> Void)
}

/// A place where work is run at a given time.
///
/// Every timed operator takes its time from one of these, so that it is exact
/// in virtual time.
public protocol TimeScheduler: Scheduler {
  /// The present moment.
  var now: Moment { get }

  /// Runs work once, after a while. Works that are due at the same moment run in
  /// the order in which they were scheduled.
  ///
  /// - Parameter delay: How long to wait; zero or less means as soon as possible.
  /// - Returns: The token that calls it off. It is safe to dispose of it late.
  func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> Disposable
}
