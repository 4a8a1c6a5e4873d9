import Freshet

/// How often and how soon a failed request is made again.
public struct RetryPolicy: Sendable {
  /// How many times a request is made at most.
  public var attempts: Int
  /// How long to wait at most because a server asks for it; what it asks beyond that ends the
  /// attempts.
  public var longestRetryAfter: Duration
  private let backOff: BackOff

  /// Makes a policy.
  ///
  /// - Parameters:
  ///   - attempts: How many times at most; 1 means never again.
  ///   - firstPause: The pause before the second attempt; it doubles with each further one.
  ///   - longestPause: The longest pause of ours.
  ///   - longestRetryAfter: The longest wait that a server may ask for.
  ///   - random: Numbers from 0 up to 1; half of each pause is left to them, so that many clients
  ///     do not come back at the same moment.
  public init(
    attempts: Int = 4, firstPause: Duration = .milliseconds(500),
    longestPause: Duration = .seconds(30), longestRetryAfter: Duration = .seconds(30),
    random: @escaping @Sendable () -> Double = { .random(in: 0..<1) }
  ) {
    self.attempts = max(1, attempts)
    self.longestRetryAfter = longestRetryAfter
    backOff = .exponential(from: firstPause, upTo: longestPause, jitter: 0.5, random: random)
  }

  /// How long to wait before the next attempt; nil for no further one.
  ///
  /// - Parameters:
  ///   - made: How many attempts there were, at least 1.
  ///   - error: How the last one failed.
  ///   - mayRepeat: Whether the server may see the request twice. If not, only one that has not
  ///     reached it is made again.
  public func pause(afterAttempt made: Int, error: CatalogError, mayRepeat: Bool) -> Duration? {
    guard made < attempts, error.isRetryable, mayRepeat || error.code == .unreachable else {
      return nil
    }
    let ours = backOff.pause(before: made)
    guard let theirs = error.retryAfter else { return ours }
    return theirs <= longestRetryAfter ? max(ours, theirs) : nil
  }
}
