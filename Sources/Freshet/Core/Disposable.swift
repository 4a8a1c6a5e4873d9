/// A token for something that can be stopped; letting go of the token stops it.
///
/// Keep it in a property, or in a ``DisposeBag``. Disposing twice is the same
/// as disposing once.
public final class Disposable: Sendable {
  @usableFromInline
  let subscription: Subscription

  /// Makes a token for a subscription.
  @inlinable
  public init(_ subscription: Subscription) {
    self.subscription = subscription
  }

  /// Makes a token that runs a closure when it is disposed of or released.
  ///
  /// The closure runs once, on the thread that disposes, and is released then.
  public convenience init(_ onDispose: @escaping @Sendable () -> Void) {
    self.init(ClosureSubscription(onDispose))
  }

  /// Whether it was disposed of, or what it stands for has ended by itself.
  public var isDisposed: Bool { subscription.isDisposed }

  /// Stops what the token stands for.
  ///
  /// Idempotent; safe from any thread.
  @inlinable
  public func dispose() {
    subscription.dispose()
  }

  /// Hands the token to a bag that disposes of it together with others.
  ///
  /// - Complexity: O(1), amortised.
  public func store(in bag: DisposeBag) {
    bag.insert(self)
  }

  deinit {
    subscription.dispose()
  }
}
