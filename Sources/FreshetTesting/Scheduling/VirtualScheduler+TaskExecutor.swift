import Freshet

/// Runs tasks in virtual time, so that a test of asynchronous code is as exact as any other.
///
///     let task = Task(executorPreference: scheduler) {
///       for await value in flow.values { seen.add(value, at: scheduler.now) }
///     }
///     scheduler.advance(by: .seconds(10))
///
/// Whatever such a task does between two suspensions is work of the scheduler that is
/// due at once: `advance(by:)` runs it, on the thread of the test, before time moves on.
extension VirtualScheduler: TaskExecutor {
  /// Makes what a task does next, up to its next suspension, work that is due at once.
  ///
  /// The runtime calls this; a test advances time.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    schedule { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
  }
}
