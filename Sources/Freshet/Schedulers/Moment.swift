/// A point on a scheduler's own time line: the time since its origin.
///
/// Moments of different schedulers cannot be compared.
@frozen
public struct Moment: Sendable, Hashable, Comparable {
  /// The time since the scheduler's origin.
  public let sinceOrigin: Duration

  /// Makes a moment from the time since the origin.
  @inlinable
  public init(_ sinceOrigin: Duration) {
    self.sinceOrigin = sinceOrigin
  }

  /// The origin.
  @inlinable
  public static var zero: Moment { Moment(.zero) }

  /// Whether a moment comes before another one of the same scheduler.
  @inlinable
  public static func < (left: Moment, right: Moment) -> Bool {
    left.sinceOrigin < right.sinceOrigin
  }

  /// The moment that comes a while later.
  @inlinable
  public static func + (moment: Moment, duration: Duration) -> Moment {
    Moment(moment.sinceOrigin + duration)
  }

  /// The time from one moment to another.
  @inlinable
  public static func - (later: Moment, earlier: Moment) -> Duration {
    later.sinceOrigin - earlier.sinceOrigin
  }
}
