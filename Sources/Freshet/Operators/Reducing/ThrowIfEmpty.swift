extension Flow {
  /// Fails when the source finishes without a value.
  ///
  ///     source   ------|
  ///     result   ------#     throwIfEmpty(.nothingFound)
  ///
  /// Everything else passes through unchanged, the source's own failure too.
  ///
  /// - Parameter failure: Made once, when it is needed.
  /// - Complexity: O(1) per value.
  @_transparent
  public func throwIfEmpty(
    _ failure: @autoclosure @escaping @Sendable () -> Failure
  ) -> ThrowIfEmpty<Self> {
    ThrowIfEmpty(source: self, failure: failure)
  }
}

extension Flow where Failure == Never {
  /// Fails when the source finishes without a value.
  ///
  ///     source   ------|
  ///     result   ------#     throwIfEmpty(.nothingFound)
  ///
  /// Everything else passes through unchanged, the source's own failure too.
  ///
  /// - Parameter failure: Made once, when it is needed.
  /// - Complexity: O(1) per value.
  @_transparent
  public func throwIfEmpty<Thrown: Error>(
    _ failure: @autoclosure @escaping @Sendable () -> Thrown
  ) -> ThrowIfEmpty<PromoteFailure<Self, Thrown>> {
    ThrowIfEmpty(source: promoteFailure(to: Thrown.self), failure: failure)
  }
}

/// The flow behind `throwIfEmpty(_:)`.
@frozen
public struct ThrowIfEmpty<Source: Flow>: Flow {
  /// The source's values.
  public typealias Element = Source.Element

  /// The source's failure.
  public typealias Failure = Source.Failure
  @usableFromInline let source: Source
  @usableFromInline let failure: @Sendable () -> Failure

  @_transparent
  @usableFromInline
  init(source: Source, failure: @escaping @Sendable () -> Failure) {
    self.source = source
    self.failure = failure
  }

  /// Subscribes to the source and watches for a value.
  @_transparent
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    source.subscribe(ThrowIfEmptyObserver(downstream: observer, failure: failure))
  }
}

/// `isEmpty` is true until a value has come, or the end.
@frozen
@usableFromInline
struct ThrowIfEmptyObserver<Downstream: Observer>: Observer {
  @usableFromInline typealias Element = Downstream.Element
  @usableFromInline typealias Failure = Downstream.Failure
  @usableFromInline var downstream: Downstream
  @usableFromInline let failure: @Sendable () -> Downstream.Failure
  @usableFromInline var isEmpty = true

  @inlinable
  @inline(__always)
  init(downstream: Downstream, failure: @escaping @Sendable () -> Downstream.Failure) {
    self.downstream = downstream
    self.failure = failure
  }

  @inlinable static var mayPause: Bool { Downstream.mayPause }

  @inlinable
  @inline(__always)
  mutating func start(_ subscription: Subscription) {
    downstream.start(subscription)
  }

  @inlinable
  @inline(__always)
  mutating func receive(_ value: Element) -> Answer {
    isEmpty = false
    return downstream.receive(value)
  }

  @inlinable
  @inline(__always)
  mutating func end(_ end: End<Failure>) {
    let wasEmpty = exchange(&isEmpty, for: false)
    if wasEmpty, case .finished = end {
      downstream.end(.failed(failure()))
    } else {
      downstream.end(end)
    }
  }
}
