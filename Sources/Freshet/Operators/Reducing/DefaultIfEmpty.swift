extension Flow {
  /// Sends a value of its own when the source finishes without one.
  ///
  ///     source   ------|
  ///     result   ------(0|)     defaultIfEmpty(0)
  ///
  /// Everything else passes through unchanged, a failure too.
  ///
  /// - Complexity: O(1) per value.
  @_transparent
  public func defaultIfEmpty(_ value: Element) -> DefaultIfEmpty<Self> {
    DefaultIfEmpty(source: self, value: value)
  }
}

/// The flow behind `defaultIfEmpty(_:)`.
@frozen
public struct DefaultIfEmpty<Source: Flow>: Flow {
  /// The source's values.
  public typealias Element = Source.Element

  /// The source's failure.
  public typealias Failure = Source.Failure
  @usableFromInline let source: Source
  @usableFromInline let value: Element

  @_transparent
  @usableFromInline
  init(source: Source, value: Element) {
    self.source = source
    self.value = value
  }

  /// Subscribes to the source and watches for a value.
  @_transparent
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    let handle = RelaySubscription()
    source.subscribe(DefaultIfEmptyObserver(downstream: observer, value: value, handle: handle))
    return handle
  }
}

/// `value` is there until a value has come, or the end.
@frozen
@usableFromInline
struct DefaultIfEmptyObserver<Downstream: Observer>: Observer {
  @usableFromInline typealias Element = Downstream.Element
  @usableFromInline typealias Failure = Downstream.Failure
  @usableFromInline var downstream: Downstream
  @usableFromInline var value: Downstream.Element?
  @usableFromInline let handle: RelaySubscription
  @usableFromInline var hasEnded = false

  @inlinable
  @inline(__always)
  init(downstream: Downstream, value: Downstream.Element?, handle: RelaySubscription) {
    self.downstream = downstream
    self.value = value
    self.handle = handle
  }

  @inlinable static var mayPause: Bool { Downstream.mayPause }

  @inlinable
  @inline(__always)
  mutating func start(_ subscription: Subscription) {
    if handle.attach(subscription) { downstream.start(handle) }
  }

  @inlinable
  @inline(__always)
  mutating func receive(_ value: Element) -> Answer {
    guard !hasEnded else { return .stop }
    self.value = nil
    let answer = downstream.receive(value)
    if answer == .stop { handle.dispose() }
    return answer
  }

  @inlinable
  @inline(__always)
  mutating func end(_ end: End<Failure>) {
    guard !hasEnded, !handle.isDisposed else { return }
    hasEnded = true
    if case .finished = end, let value = value.take(), downstream.receive(value) == .stop {
      handle.dispose()
    }
    if handle.markEnded() { downstream.end(end) }
  }
}
