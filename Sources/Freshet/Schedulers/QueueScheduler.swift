import Dispatch

/// Runs work on a dispatch queue.
///
/// On a concurrent queue order is kept all the same by the operators that use
/// it: each subscription has at most one job on the queue at a time.
public final class QueueScheduler: TimeScheduler {
  private let queue: DispatchQueue

  /// Uses a queue of the caller's.
  public init(_ queue: DispatchQueue) {
    self.queue = queue
  }

  /// Makes a serial queue.
  public convenience init(label: String) {
    self.init(DispatchQueue(label: label))
  }

  /// The monotonic clock; it stands still while the machine sleeps.
  public var now: Moment {
    Moment(.nanoseconds(DispatchTime.now().uptimeNanoseconds))
  }

  public func schedule(_ work: @escaping @Sendable () -> Void) {
    queue.async(execute: work)
  }

  public func schedule(
    after delay: Duration, _ work: @escaping @Sendable () -> Void
  ) -> Disposable {
    let item = DispatchWorkItem(block: work)
    let (seconds, attoseconds) = delay.components
    let nanoseconds =
      Double(seconds) > 1e9
      ? Int.max : Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
    queue.asyncAfter(deadline: .now() + .nanoseconds(max(0, nanoseconds)), execute: item)
    let token = UnsafeTransfer(item)
    return Disposable { token.value.cancel() }
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
