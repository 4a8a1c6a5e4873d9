import Synchronization

/// The handle of one running subscription: the way to stop it and to resume it.
///
/// A source makes one subclass instance per subscription, hands it to
/// ``Observer/start(_:)`` before the first value and returns it from
/// ``Flow/subscribe(_:)``. It is one object for a whole chain of synchronous
/// operators, whatever the chain's length. A program that subscribes with closures
/// holds a ``Disposable`` instead; observers and sources of your own meet this one.
///
/// Disposing is idempotent and safe from any thread. After it returns nothing
/// new starts; on the delivering thread nothing at all follows.
// @unchecked: the only state here is one atomic byte. A subclass says for itself
// what protects what it adds. `ContractTests` (dispose at every point) would notice.
open class Subscription: @unchecked Sendable {
  // 0: open. 1: ended, by its source or by an operator. 2: disposed of.
  @usableFromInline
  final let closed = Atomic<UInt8>(0)

  /// Creates a handle that is open.
  public init() {}

  /// True once the stream was disposed of or has ended.
  ///
  /// A source asks before each value. One relaxed load.
  @inlinable
  public final var isDisposed: Bool {
    closed.load(ordering: .relaxed) != 0
  }

  /// True once the observer's side has disposed of it; false when the stream ended first.
  @inlinable
  public final var wasDisposedOf: Bool {
    closed.load(ordering: .relaxed) == 2
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
    guard close(as: 2) else { return false }
    onDispose()
    return true
  }

  /// Stops the source on behalf of an operator that ends the stream before it.
  ///
  /// The operator sends the end after this, unless the handle was closed already.
  ///
  /// - Returns: False when the handle was closed already; then nothing may be sent.
  @inlinable
  public final func endEarly() -> Bool {
    guard close(as: 1) else { return false }
    onDispose()
    return true
  }

  /// Closes the handle on behalf of its source, just before the source sends the end.
  ///
  /// - Returns: False when the handle was closed already; then nothing may be sent.
  @inlinable
  @discardableResult
  public final func markEnded() -> Bool {
    close(as: 1)
  }

  @inlinable
  final func close(as state: UInt8) -> Bool {
    closed.compareExchange(expected: 0, desired: state, ordering: .acquiringAndReleasing).exchanged
  }

  /// Passes something on to the sources that feed this subscription.
  ///
  /// A handle of a source has none; it shows itself when a graph is drawn.
  @usableFromInline
  func pass(_ message: Upward) {
    if case .inspect(let visitor, let below) = message {
      _ = visitor.visit(self, GraphVisitor.sourceName(of: self), below: below)
    }
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
