extension TimeScheduler {
  /// Waits for a while, by the scheduler's time.
  ///
  /// In virtual time it takes as long as the test lets pass.
  ///
  /// - Parameter duration: How long; zero or less means until the scheduler gets to it.
  /// - Throws: `CancellationError` when the task is cancelled, at once.
  public func sleep(for duration: Duration) async throws {
    try Task.checkCancellation()
    _ = await Timer(after: max(.zero, duration), on: self).firstValue()
    try Task.checkCancellation()
  }
}
