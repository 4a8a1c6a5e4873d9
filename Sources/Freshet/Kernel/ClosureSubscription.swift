import Synchronization

/// A subscription that runs a closure when it is disposed of.
final class ClosureSubscription: Subscription, @unchecked Sendable {
  // @unchecked is inherited; the closure sits in its own mutex.
  private let action: Mutex<(@Sendable () -> Void)?>

  init(_ action: @escaping @Sendable () -> Void) {
    self.action = Mutex(action)
  }

  override func onDispose() {
    let action = action.withLock { exchange(&$0, for: nil) }
    action?()
  }
}
