// Both are inlined, so that the closures of the whole chain are seen by the optimiser where they
// are written: as functions of their own they would call each of them.

extension Flow {
  /// Subscribes with closures and starts the work.
  ///
  /// - Parameters:
  ///   - onValue: Called with each value, one at a time, never from inside itself.
  ///   - onEnd: Called once when the source finishes or fails; not after a dispose.
  /// - Returns: The token that stops the stream when it is disposed of or released.
  ///   A synchronous source has delivered everything before the token exists: to
  ///   stop such a source early use `take(_:)`.
  @inlinable
  @inline(__always)
  public func subscribe(
    onValue: @escaping @Sendable (Element) -> Void,
    onEnd: @escaping @Sendable (End<Failure>) -> Void
  ) -> Disposable {
    Disposable(subscribe(ClosureObserver(onValue: onValue, onEnd: onEnd)))
  }
}

extension Flow where Failure == Never {
  /// Subscribes with a closure for the values of a flow that cannot fail.
  ///
  /// - Parameter onValue: Called with each value, one at a time, never from inside itself.
  /// - Returns: The token that stops the stream when it is disposed of or released.
  @inlinable
  @inline(__always)
  public func subscribe(_ onValue: @escaping @Sendable (Element) -> Void) -> Disposable {
    Disposable(subscribe(ClosureObserver(onValue: onValue, onEnd: { _ in })))
  }
}

/// The end of a chain: calls closures, and keeps the grammar whatever the source does.
@frozen
@usableFromInline
struct ClosureObserver<Element: Sendable, Failure: Error>: Observer {
  @usableFromInline let onValue: @Sendable (Element) -> Void
  @usableFromInline let onEnd: @Sendable (End<Failure>) -> Void
  @usableFromInline var subscription: Subscription?
  @usableFromInline var hasEnded = false

  @inlinable
  @inline(__always)
  init(
    onValue: @escaping @Sendable (Element) -> Void,
    onEnd: @escaping @Sendable (End<Failure>) -> Void
  ) {
    self.onValue = onValue
    self.onEnd = onEnd
  }

  @inlinable static var mayPause: Bool { false }

  @inlinable
  @inline(__always)
  mutating func start(_ subscription: Subscription) {
    guard self.subscription == nil else {
      subscription.dispose()  // A second source for one observer: the first one lives.
      return
    }
    self.subscription = subscription
  }

  @inlinable
  @inline(__always)
  mutating func receive(_ value: Element) -> Answer {
    guard !hasEnded, isOpen else { return .stop }
    onValue(value)
    return isOpen ? .more : .stop
  }

  /// Whether the source may send.
  // Looked at twice per value and not kept in between: that would cost a retain and a release.
  @inlinable
  @inline(__always)
  var isOpen: Bool {
    guard let subscription else { return false }
    return Unmanaged.passUnretained(subscription)._withUnsafeGuaranteedRef { !$0.isDisposed }
  }

  @inlinable
  @inline(__always)
  mutating func end(_ end: End<Failure>) {
    guard !hasEnded, subscription?.wasDisposedOf != true else { return }
    hasEnded = true
    subscription = nil
    onEnd(end)
  }
}
