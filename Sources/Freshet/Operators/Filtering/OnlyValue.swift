extension Flow {
  /// Sends the source's one value when it has finished, and fails if there is not exactly one.
  ///
  ///     source   ---1--|
  ///     result   ------(1|)     single { … }
  ///     source   ---|
  ///     result   ---#
  ///     source   ---1--2
  ///     result   ------#
  ///
  /// A second value stops the source, then fails the result. The source's own
  /// failure passes through, without the value.
  ///
  /// - Parameter failure: Turns what was wrong into the stream's failure; called at
  ///   most once.
  /// - Complexity: O(1) per value; holds one value.
  @_transparent
  public func single(
    orFail failure: @escaping @Sendable (SingleValueError) -> Failure
  ) -> OnlyValue<Self> {
    OnlyValue(source: self, failure: failure)
  }
}

extension Flow where Failure == Never {
  /// Sends the source's one value when it has finished, and fails if there is not exactly one.
  ///
  ///     source   ---1--|
  ///     result   ------(1|)     single()
  ///     source   ---|
  ///     result   ---#
  ///     source   ---1--2
  ///     result   ------#
  ///
  /// A second value stops the source, then fails the result.
  ///
  /// - Complexity: O(1) per value; holds one value.
  @_transparent
  public func single() -> OnlyValue<PromoteFailure<Self, SingleValueError>> {
    promoteFailure(to: SingleValueError.self).single { $0 }
  }
}

/// Why a stream that should have had one value failed.
public enum SingleValueError: Error, Hashable, CustomStringConvertible {
  /// It finished without a value.
  case noValue

  /// It had a second value.
  case severalValues

  /// What was wrong, in words.
  public var description: String {
    switch self {
    case .noValue: "the stream finished without a value"
    case .severalValues: "the stream has more than one value"
    }
  }
}

/// The flow behind `single(orFail:)`.
@frozen
public struct OnlyValue<Source: Flow>: Flow {
  /// The source's values.
  public typealias Element = Source.Element

  /// The source's failure.
  public typealias Failure = Source.Failure
  @usableFromInline let source: Source
  @usableFromInline let failure: @Sendable (SingleValueError) -> Failure

  @_transparent
  @usableFromInline
  init(source: Source, failure: @escaping @Sendable (SingleValueError) -> Failure) {
    self.source = source
    self.failure = failure
  }

  /// Subscribes to the source and keeps its value until it finishes.
  @_transparent
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    let handle = RelaySubscription()
    source.subscribe(OnlyValueObserver(downstream: observer, failure: failure, handle: handle))
    return handle
  }
}

@frozen
@usableFromInline
struct OnlyValueObserver<Downstream: Observer>: Observer {
  @usableFromInline typealias Element = Downstream.Element
  @usableFromInline typealias Failure = Downstream.Failure
  @usableFromInline var downstream: Downstream
  @usableFromInline let failure: @Sendable (SingleValueError) -> Downstream.Failure
  @usableFromInline let handle: RelaySubscription
  @usableFromInline var value: Element?
  @usableFromInline var hasEnded = false

  @inlinable
  @inline(__always)
  init(
    downstream: Downstream,
    failure: @escaping @Sendable (SingleValueError) -> Downstream.Failure,
    handle: RelaySubscription
  ) {
    self.downstream = downstream
    self.failure = failure
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
    guard !hasEnded, !handle.isDisposed else { return .stop }
    guard self.value != nil else {
      self.value = value
      return .more
    }
    hasEnded = true
    self.value = nil
    handle.stopSource()
    if handle.markEnded() { downstream.end(.failed(failure(.severalValues))) }
    return .stop
  }

  @inlinable
  @inline(__always)
  mutating func end(_ end: End<Failure>) {
    guard !hasEnded, !handle.isDisposed else { return }
    hasEnded = true
    switch (end, value.take()) {
    case (.failed, _):
      if handle.markEnded() { downstream.end(end) }
    case (.finished, let value?):
      if downstream.receive(value) == .stop { handle.dispose() }
      if handle.markEnded() { downstream.end(.finished) }
    case (.finished, nil):
      if handle.markEnded() { downstream.end(.failed(failure(.noValue))) }
    }
  }
}
