import Synchronization

/// The handle of an operator that says something after its source has ended.
///
/// A source closes its own handle just before it sends the end, and nothing may
/// be sent past a closed handle. So an operator that answers the end with a
/// value hands this one down and closes it when it is done itself.
///
/// Dispose and resume are passed on to the source.
// @unchecked is inherited; the source is kept by an atomic reference that is set once.
@usableFromInline
class RelaySubscription: Subscription, @unchecked Sendable {
  private let source = AtomicLazyReference<Subscription>()

  @usableFromInline
  override init() {
    super.init()
  }

  /// Connects the handle with its source, which is disposed of at once when the
  /// handle was.
  ///
  /// - Returns: False when there was a source before; the new one is disposed of.
  @usableFromInline
  final func attach(_ subscription: Subscription) -> Bool {
    guard source.storeIfNil(subscription) === subscription else {
      subscription.dispose()
      return false
    }
    if isDisposed { subscription.dispose() }
    return true
  }

  /// Stops the source early; the handle itself stays open.
  @usableFromInline
  final func stopSource() {
    source.load()?.dispose()
  }

  @usableFromInline
  override func onDispose() {
    source.load()?.dispose()
  }

  @usableFromInline
  override func resume() {
    if !isDisposed { source.load()?.resume() }
  }

  @usableFromInline
  override func pass(_ message: Upward) {
    if !isDisposed { source.load()?.pass(message) }
  }
}
