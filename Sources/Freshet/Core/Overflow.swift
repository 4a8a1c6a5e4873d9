/// What an operator that holds values does when its buffer is full.
public enum Overflow<Failure: Error>: Sendable {
  /// Pauses the source until there is room; nothing is lost.
  ///
  /// A hot source cannot pause. What it sends all the same is kept, so the
  /// buffer then grows with the lag: choose another policy where a hot source
  /// can outrun its observer for long.
  case suspend

  /// Drops the value that has waited longest.
  case dropOldest

  /// Drops the value that has just come.
  case dropNewest

  /// Stops the source, hands over what waits, then fails.
  case fail(Failure)

  /// Keeps everything, without a limit.
  case unbounded
}
