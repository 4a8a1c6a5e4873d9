import Synchronization

/// The handle of one running subscription: the way to stop it and to resume it.
///
/// A source makes one subclass instance per subscription, hands it to
/// ``Observer/start(_:)`` before the first value and returns it from
/// ``Flow/subscribe(_:)``. It is one object for a whole chain of synchronous
/// operators, whatever the chain's length.
///
/// Disposing is idempotent and safe from any thread. After it returns nothing
/// new starts; on the delivering thread nothing at all follows.
// @unchecked: the only state here is one atomic byte. A subclass says for itself
// what protects what it adds. `ContractTests` (dispose at every point) would notice.
open class Subscription: @unchecked Sendable {
  @usableFromInline
  final let closed = Atomic<Bool>(false)

  /// Creates a handle that is open.
  public init() {}

  /// True once the stream was disposed of or has ended.
  ///
  /// A source asks before each value. One relaxed load.
  @inlinable
  public final var isDisposed: Bool {
    closed.load(ordering: .relaxed)
  }

  /// Stops the subscription and lets go of the observer and the source.
  ///
  /// The observer gets no end. Does nothing after the first call, and nothing
  /// after the stream has ended.
  ///
  /// - Returns: True when this call is the one that stopped it.
  /// - Complexity: O(1) plus what the source does to let go.
  @inlinable
  @discardableResult
  public final func dispose() -> Bool {
    guard markEnded() else { return false }
    onDispose()
    return true
  }

  /// Closes the handle on behalf of its source, just before the source sends the end.
  ///
  /// - Returns: False when the handle was closed already; then nothing may be sent.
  @inlinable
  @discardableResult
  public final func markEnded() -> Bool {
    !closed.exchange(true, ordering: .acquiringAndReleasing)
  }

  /// Lets go of everything held for this subscription.
  ///
  /// Called at most once.
  open func onDispose() {}

  /// Asks a paused source to go on.
  ///
  /// May be called from any thread, also before the source has noticed that it
  /// should pause; the call is not lost. Called only after a `.pause`.
  open func resume() {}
}
