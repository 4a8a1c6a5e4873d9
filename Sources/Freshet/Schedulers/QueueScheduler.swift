import Dispatch
import Synchronization

/// Runs work on a dispatch queue.
///
/// On a concurrent queue order is kept all the same by the operators that use
/// it: each subscription has at most one job on the queue at a time.
///
/// Timed works run one after the other, in the order of their times.
public final class QueueScheduler: TimeScheduler {
  private let queue: DispatchQueue
  private let timers: TimerQueue

  /// Uses a queue of the caller's.
  public init(_ queue: DispatchQueue) {
    self.queue = queue
    timers = TimerQueue(now: { Self.uptime }) { delay, wake in
      let item = DispatchWorkItem(block: wake)
      queue.asyncAfter(deadline: .now() + Self.interval(delay), execute: item)
      let token = UnsafeTransfer(item)
      return Disposable { token.value.cancel() }
    }
  }

  /// Makes a serial queue.
  public convenience init(label: String) {
    self.init(DispatchQueue(label: label))
  }

  /// The monotonic clock; it stands still while the machine sleeps.
  public var now: Moment { Self.uptime }

  private static var uptime: Moment {
    Moment(.nanoseconds(DispatchTime.now().uptimeNanoseconds))
  }

  /// A delay in whole nanoseconds, rounded up, so that a timer does not come too early.
  static func interval(_ delay: Duration) -> DispatchTimeInterval {
    let (seconds, attoseconds) = delay.components
    guard delay > .zero else { return .nanoseconds(0) }
    // 10^9 seconds are 31 years: later than that is never.
    guard seconds < 1_000_000_000 else { return .seconds(1_000_000_000) }
    return .nanoseconds(
      Int(seconds) * 1_000_000_000 + Int((attoseconds + 999_999_999) / 1_000_000_000))
  }

  /// Hands work to the queue; never runs it before this returns.
  public func schedule(_ work: @escaping @Sendable () -> Void) {
    queue.async(execute: work)
  }

  /// Hands work to the queue after a while, in the order of the works' times.
  ///
  /// - Parameters:
  ///   - delay: How long to wait; zero or less means as soon as possible.
  ///   - work: What to run.
  /// - Returns: The token that calls it off. Work that the queue has begun is not called off.
  /// - Complexity: O(log n) in the number of works that wait.
  public func schedule(
    after delay: Duration, _ work: @escaping @Sendable () -> Void
  ) -> Disposable {
    timers.schedule(after: delay, work)
  }
}

/// Runs work at once when it is called on its queue and nothing waits there; otherwise on the queue.
///
/// For a user interface: what is sent on the main queue shows at once, without a turn of the
/// queue, and still nothing overtakes: work that is scheduled on the queue while work from
/// another thread waits for it lines up behind that.
///
/// The queue must be serial. Work that schedules more of its kind from inside itself nests;
/// where that may go deep, use ``QueueScheduler``.
public final class InlineQueueScheduler: TimeScheduler {
  private static let key = DispatchSpecificKey<ObjectIdentifier>()
  private let queue: DispatchQueue
  private let timed: QueueScheduler

  /// How many works wait on the queue.
  private let waiting = Atomic<Int>(0)

  /// Uses a serial queue of the caller's, for example `.main`.
  public init(_ queue: DispatchQueue) {
    self.queue = queue
    timed = QueueScheduler(queue)
    queue.setSpecific(key: Self.key, value: ObjectIdentifier(queue))
  }

  /// The monotonic clock; it stands still while the machine sleeps.
  public var now: Moment { timed.now }

  /// Runs work at once, or lines it up on the queue.
  public func schedule(_ work: @escaping @Sendable () -> Void) {
    let isHere = DispatchQueue.getSpecific(key: Self.key) == ObjectIdentifier(queue)
    if isHere, waiting.load(ordering: .acquiring) == 0 {
      work()
      return
    }
    waiting.add(1, ordering: .acquiringAndReleasing)
    queue.async { [self] in
      waiting.subtract(1, ordering: .acquiringAndReleasing)
      work()
    }
  }

  /// Runs work on the queue after a while.
  public func schedule(
    after delay: Duration, _ work: @escaping @Sendable () -> Void
  ) -> Disposable {
    timed.schedule(after: delay, work)
  }
}

/// Carries a value whose type does not say that it is safe to share.
// @unchecked: `DispatchWorkItem.cancel()` is documented as safe from any thread and is
// the only call made. `QueueSchedulerTests` under the thread sanitizer would notice.
private struct UnsafeTransfer<Value>: @unchecked Sendable {
  let value: Value

  init(_ value: Value) {
    self.value = value
  }
}
