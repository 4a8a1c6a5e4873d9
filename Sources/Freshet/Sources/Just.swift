/// A cold flow of one value.
///
///     result   (1|)     Just(1)
@frozen
public struct Just<Element: Sendable>: Flow {
  /// It cannot fail.
  public typealias Failure = Never
  @usableFromInline let value: Element

  /// Makes a flow of one value.
  @inlinable
  public init(_ value: Element) {
    self.value = value
  }

  /// Hands over the value and the finish, before this returns.
  ///
  /// An observer that answers `.stop` gets no finish.
  @inlinable
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    Known.value(value).tell(observer)
  }

  /// The value.
  @inlinable
  @inline(__always)
  public var known: Known<Element, Never>? { .value(value) }
}
