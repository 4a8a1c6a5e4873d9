extension Flow {
  /// Looks at what passes, without changing it.
  ///
  ///     source   1--2--|
  ///     result   1--2--|     tap(onValue: { seen($0) })
  ///
  /// The closures run before the observer gets the same event. `onEnd` runs for
  /// a finish and for a failure, not for a dispose: ``finally(_:)`` does.
  ///
  /// - Complexity: O(1) per value.
  @_transparent
  public func tap(
    onStart: (@Sendable () -> Void)? = nil,
    onValue: (@Sendable (Element) -> Void)? = nil,
    onEnd: (@Sendable (End<Failure>) -> Void)? = nil
  ) -> Tap<Self> {
    Tap(source: self, onStart: onStart, onValue: onValue, onEnd: onEnd)
  }

  /// Looks at the values that pass, without changing them.
  ///
  ///     source   1--2--|
  ///     result   1--2--|     tap { seen($0) }
  ///
  /// - Complexity: O(1) per value.
  @inlinable
  public func tap(_ onValue: @escaping @Sendable (Element) -> Void) -> Tap<Self> {
    tap(onStart: nil, onValue: onValue, onEnd: nil)
  }
}

/// The flow behind `tap(onStart:onValue:onEnd:)`.
@frozen
public struct Tap<Source: Flow>: Flow {
  /// The source's values.
  public typealias Element = Source.Element

  /// The source's failure.
  public typealias Failure = Source.Failure
  @usableFromInline let source: Source
  @usableFromInline let onStart: (@Sendable () -> Void)?
  @usableFromInline let onValue: (@Sendable (Element) -> Void)?
  @usableFromInline let onEnd: (@Sendable (End<Failure>) -> Void)?

  @_transparent
  @usableFromInline
  init(
    source: Source, onStart: (@Sendable () -> Void)?, onValue: (@Sendable (Element) -> Void)?,
    onEnd: (@Sendable (End<Failure>) -> Void)?
  ) {
    self.source = source
    self.onStart = onStart
    self.onValue = onValue
    self.onEnd = onEnd
  }

  /// Subscribes to the source, with the closures in front of the observer.
  @_transparent
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    source.subscribe(
      TapObserver(downstream: observer, onStart: onStart, onValue: onValue, onEnd: onEnd))
  }
}

@frozen
@usableFromInline
struct TapObserver<Downstream: Observer>: Observer {
  @usableFromInline typealias Element = Downstream.Element
  @usableFromInline typealias Failure = Downstream.Failure
  @usableFromInline var downstream: Downstream
  @usableFromInline let onStart: (@Sendable () -> Void)?
  @usableFromInline let onValue: (@Sendable (Element) -> Void)?
  @usableFromInline let onEnd: (@Sendable (End<Failure>) -> Void)?
  @usableFromInline var subscription: Subscription?
  @usableFromInline var hasEnded = false

  @inlinable
  init(
    downstream: Downstream, onStart: (@Sendable () -> Void)?,
    onValue: (@Sendable (Element) -> Void)?, onEnd: (@Sendable (End<Failure>) -> Void)?
  ) {
    self.downstream = downstream
    self.onStart = onStart
    self.onValue = onValue
    self.onEnd = onEnd
  }

  @inlinable static var mayPause: Bool { Downstream.mayPause }

  @inlinable
  mutating func start(_ subscription: Subscription) {
    if self.subscription == nil {
      self.subscription = subscription
      onStart?()
    }
    downstream.start(subscription)
  }

  @inlinable
  @inline(__always)
  mutating func receive(_ value: Element) -> Answer {
    guard !hasEnded else { return .stop }
    onValue?(value)
    guard subscription?.isDisposed == false else { return .stop }
    return downstream.receive(value)
  }

  @inlinable
  @inline(__always)
  mutating func end(_ end: End<Failure>) {
    guard !hasEnded, subscription?.wasDisposedOf != true else { return }
    hasEnded = true
    subscription = nil
    onEnd?(end)
    downstream.end(end)
  }
}
