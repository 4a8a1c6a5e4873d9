extension Flow {
  /// Answers each failure with another flow, and the failures of that flow too.
  ///
  ///     source   1--2--#
  ///     result   1--2--(89|)     catchEveryError { _ in [8, 9].flow.promoteFailure() }
  ///
  /// As ``catchError(_:)``, but the handler stays: it may return the source itself, or the source
  /// behind some values, without end, and neither stack nor memory grows with the rounds. A
  /// recursion by hand, with a `catchError` around each round, is a chain as long as the rounds are
  /// many. ``retry(_:)`` and its like say it shorter where the source is what comes next.
  ///
  /// Values sent before a failure stay. The result finishes with the flow that finishes. A dispose
  /// before a failure means that the handler is not called; one that comes while a replacement is
  /// being subscribed to stops it on arrival.
  ///
  /// - Parameter handler: Makes the next flow, or nil to let the failure pass; called once for each
  ///   failure, where it arrives.
  /// - Complexity: O(1) per value and per failure.
  @inlinable
  public func catchEveryError<Replacement: Flow>(
    _ handler: @escaping @Sendable (Failure) -> Replacement?
  ) -> CatchEveryError<Self, Replacement>
  where Replacement.Element == Element, Replacement.Failure == Failure {
    CatchEveryError(source: self, handler: handler)
  }
}

/// The flow behind `catchEveryError(_:)`.
@frozen
public struct CatchEveryError<Source: Flow, Replacement: Flow>: Flow
where Replacement.Element == Source.Element, Replacement.Failure == Source.Failure {
  /// The source's values.
  public typealias Element = Source.Element

  /// A failure that the handler lets pass.
  public typealias Failure = Source.Failure
  @usableFromInline let source: Source
  @usableFromInline let handler: @Sendable (Failure) -> Replacement?

  @inlinable
  init(source: Source, handler: @escaping @Sendable (Source.Failure) -> Replacement?) {
    self.source = source
    self.handler = handler
  }

  /// Subscribes to the source, and to a replacement after each failure.
  @inlinable
  @inline(__always)
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    let kernel = Kernel(rule: CatchEveryRule(handler: handler), observer: observer, sources: 1)
    kernel.begin()
    kernel.open(source, at: Port(0), value: { .value($0) }, end: { .end($0) })
    return kernel
  }
}

/// Passes on; a replacement takes the place of each failure.
@frozen
@usableFromInline
struct CatchEveryRule<Replacement: Flow>: Rule {
  @usableFromInline typealias Output = Replacement.Element
  @usableFromInline typealias Failure = Replacement.Failure
  @usableFromInline typealias Inner = Replacement

  @usableFromInline
  enum Input: Sendable {
    case value(Replacement.Element)
    case end(End<Replacement.Failure>)
  }

  @usableFromInline let handler: @Sendable (Replacement.Failure) -> Replacement?

  @inlinable
  init(handler: @escaping @Sendable (Replacement.Failure) -> Replacement?) {
    self.handler = handler
  }

  @inlinable
  @inline(__always)
  mutating func advance(_ input: Input, from port: Port, into out: inout Outbox<Self>) {
    switch input {
    case .value(let value): out.emit(value)
    case .end(.finished): out.end(.finished)
    case .end(.failed(let failure)):
      if let next = handler(failure) {
        _ = out.subscribe(next)
      } else {
        out.end(.failed(failure))
      }
    }
  }

  @inlinable static func input(value: Replacement.Element) -> Input { .value(value) }
  @inlinable static func input(end: End<Replacement.Failure>) -> Input { .end(end) }
}
