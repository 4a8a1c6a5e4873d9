/// A subject that neither finishes nor fails.
///
/// Use it for events of something that lives as long as its observers, such as
/// the intents of a view model. Delivery is as in ``PublishSubject``.
public final class PublishRelay<Element: Sendable>: Flow {
  /// It cannot fail, and it does not finish either.
  public typealias Failure = Never
  @usableFromInline let subject = PublishSubject<Element, Never>()

  /// Makes a relay without observers.
  public init() {}

  /// Sends a value to everybody who is subscribed.
  @inlinable
  @discardableResult
  public func accept(_ value: Element) -> Answer {
    subject.send(value)
  }

  /// Adds an observer, which starts with the next value.
  @inlinable
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Never {
    subject.subscribe(observer)
  }
}

/// A subject with a current value that neither finishes nor fails.
///
/// Use it for state. Delivery is as in ``BehaviorSubject``.
public final class BehaviorRelay<Element: Sendable>: Flow {
  /// It cannot fail, and it does not finish either.
  public typealias Failure = Never
  @usableFromInline let subject: BehaviorSubject<Element, Never>

  /// Makes a relay with a first value.
  public init(_ value: Element) {
    subject = BehaviorSubject(value)
  }

  /// The latest value accepted.
  @inlinable
  public var value: Element { subject.value }

  /// Makes a value current and sends it to everybody who is subscribed.
  @inlinable
  public func accept(_ value: Element) {
    subject.send(value)
  }

  /// Adds an observer, which is told the current value at once.
  @inlinable
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Never {
    subject.subscribe(observer)
  }
}

extension Flow where Failure == Never {
  /// Sends each value on to a relay.
  ///
  /// - Returns: The token that stops it.
  public func bind(to relay: BehaviorRelay<Element>) -> Disposable {
    subscribe { relay.accept($0) }
  }

  /// Sends each value on to a relay.
  ///
  /// - Returns: The token that stops it.
  public func bind(to relay: PublishRelay<Element>) -> Disposable {
    subscribe { relay.accept($0) }
  }

  /// Sends each value on to a property of an object, which is not kept alive.
  ///
  /// - Returns: The token that stops it.
  public func bind<Target: AnyObject & Sendable>(
    to target: Target, _ property: any ReferenceWritableKeyPath<Target, Element> & Sendable
  ) -> Disposable {
    subscribe { [weak target] in target?[keyPath: property] = $0 }
  }
}
