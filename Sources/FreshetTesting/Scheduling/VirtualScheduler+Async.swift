import Freshet

extension VirtualScheduler {
  /// Moves time forward step by step, letting resumed tasks run before each step.
  ///
  /// A task that a work resumes may schedule more work; it gets its chance before
  /// time moves past that work. Tasks run where they like and cannot be waited for
  /// with certainty: this gives way to them several times. Where that is not enough,
  /// as on a busy machine, start the task with `executorPreference: scheduler`; then
  /// the synchronous advance runs it.
  ///
  /// - Parameter duration: How far. Not negative.
  public func advance(by duration: Duration) async {
    precondition(duration >= .zero, "time does not go back: advance(by: \(duration))")
    await advance(to: now + duration)
  }

  /// Moves time forward to a moment, letting resumed tasks run before each step.
  ///
  /// See ``advance(by:)-(Duration)`` for what is waited for.
  ///
  /// - Parameter moment: Where to stop. A moment that has passed runs nothing.
  public func advance(to moment: Moment) async {
    await letTasksRun()
    while let due = nextDue, due <= moment {
      advanceNow(to: due)
      await letTasksRun()
    }
    advanceNow(to: moment)
    await letTasksRun()
  }

  /// Runs everything that waits, letting resumed tasks run before each step.
  ///
  /// - Parameter limit: How many steps in time to take at most.
  /// - Throws: ``LimitReached`` when there is still work after that many.
  public func run(limit: Int = 10_000) async throws(LimitReached) {
    await letTasksRun()
    var steps = 0
    while let due = nextDue {
      guard steps < limit else {
        throw LimitReached(limit: limit, pending: pendingCount, now: now)
      }
      advanceNow(to: due)
      await letTasksRun()
      steps += 1
    }
  }

  /// The synchronous advance, whose name an asynchronous function cannot say.
  private func advanceNow(to moment: Moment) {
    advance(to: moment)
  }

  /// Gives way to every task that is ready, several times over, since one may make another ready.
  private func letTasksRun() async {
    for _ in 0..<8 {
      await Task.detached(priority: .background) { await Task.yield() }.value
    }
  }
}
