extension Flow {
  /// Answers a failure with another flow.
  ///
  ///     source   1--2--#
  ///     result   1--2--(89|)     catchError { _ in [8, 9].flow }
  ///
  /// Values sent before the failure stay. The replacement's own failure type
  /// decides how the result may fail; with one that cannot fail, neither can
  /// the result. A dispose before the failure means that the handler is not
  /// called; one that comes while the replacement is being subscribed to stops
  /// it on arrival. A replacement's own failure is not answered: ``catchEveryError(_:)`` does that.
  ///
  /// - Parameter handler: Makes the replacement; called once, where the failure arrives.
  /// - Complexity: O(1) per value.
  @inlinable
  public func catchError<Replacement: Flow>(
    _ handler: @escaping @Sendable (Failure) -> Replacement
  ) -> CatchError<Self, Replacement> where Replacement.Element == Element {
    CatchError(source: self, handler: handler)
  }
}

/// The flow behind `catchError(_:)`.
@frozen
public struct CatchError<Source: Flow, Replacement: Flow>: Flow
where Replacement.Element == Source.Element {
  /// The source's values.
  public typealias Element = Source.Element

  /// How the replacement may fail; the source's failure ends here.
  public typealias Failure = Replacement.Failure
  @usableFromInline let source: Source
  @usableFromInline let handler: @Sendable (Source.Failure) -> Replacement

  @inlinable
  init(source: Source, handler: @escaping @Sendable (Source.Failure) -> Replacement) {
    self.source = source
    self.handler = handler
  }

  /// Subscribes to the source, and to the replacement when it fails.
  @inlinable
  @inline(__always)
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    let kernel = Kernel(rule: CatchRule<Replacement>(), observer: observer, sources: 1)
    kernel.begin()
    let handler = handler
    kernel.open(
      source, at: Port(0), value: { .value($0) },
      end: { end in
        switch end {
        case .finished: .end(.finished)
        case .failed(let failure): .replace(handler(failure))
        }
      })
    return kernel
  }
}

/// Passes on; a replacement takes the place of a failure.
@frozen
@usableFromInline
struct CatchRule<Replacement: Flow>: Rule {
  @usableFromInline typealias Output = Replacement.Element
  @usableFromInline typealias Failure = Replacement.Failure
  @usableFromInline typealias Inner = Replacement

  @usableFromInline
  enum Input: Sendable {
    case value(Replacement.Element)
    case replace(Replacement)
    case end(End<Replacement.Failure>)
  }

  @inlinable
  init() {}

  @inlinable
  @inline(__always)
  mutating func advance(_ input: Input, from port: Port, into out: inout Outbox<Self>) {
    switch input {
    case .value(let value): out.emit(value)
    case .replace(let replacement): _ = out.subscribe(replacement)
    case .end(let end): out.end(end)
    }
  }

  @inlinable static func input(value: Replacement.Element) -> Input { .value(value) }
  @inlinable static func input(end: End<Replacement.Failure>) -> Input { .end(end) }
}
