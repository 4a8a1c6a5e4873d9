import Freshet
import Synchronization

/// A scheduler that nothing is to be scheduled on.
///
///     let time = RefusingScheduler()
///     recorder.subscribe(to: search(Just("swift"), on: time))  // Offline: no timer, no hop.
///     #expect(time.refused == [])
///
/// Give it to code that must not need one. It runs nothing, and writes down what it was asked.
public final class RefusingScheduler: TimeScheduler {
  /// What a scheduler is asked for.
  public enum Request: Hashable, Sendable {
    /// Work as soon as possible.
    case work
    /// Work after a while.
    case workAfter(Duration)
  }

  private let requests = Mutex<[Request]>([])

  /// Makes a scheduler that has been asked for nothing yet.
  public init() {}

  /// Everything that was asked for and not done, in order.
  public var refused: [Request] { requests.withLock { $0 } }

  /// Always the origin of time: reading a clock is no harm.
  public var now: Moment { Moment(.zero) }

  /// Writes the request down and lets the work go.
  public func schedule(_ work: @escaping @Sendable () -> Void) {
    requests.withLock { $0.append(.work) }
  }

  /// Writes the request down and lets the work go.
  ///
  /// - Returns: A token for nothing.
  public func schedule(
    after delay: Duration, _ work: @escaping @Sendable () -> Void
  ) -> Disposable {
    requests.withLock { $0.append(.workAfter(delay)) }
    return Disposable {}
  }
}
