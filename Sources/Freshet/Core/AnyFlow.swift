/// A flow whose type says only what comes out of it.
///
/// Use it where a type must be written down, as in a stored property or in a
/// list of different flows. It costs one allocation per subscription and an
/// indirect call per value.
///
/// Each erased stage takes stack where it subscribes and delivers, and so does letting it go: a
/// thread with 512 KiB bears a chain of about 390 of them in a debug build and 4000 in a release
/// build. Longer ones overflow the stack. Adjacent `map`, `filter` and `compactMap` are one
/// stage as long as nothing is erased between them.
public struct AnyFlow<Element: Sendable, Failure: Error>: Flow {
  @usableFromInline let run: @Sendable (AnyObserver<Element, Failure>) -> Subscription

  /// Hides the type of a flow.
  @inlinable
  public init<Base: Flow>(_ base: Base) where Base.Element == Element, Base.Failure == Failure {
    run = { base.subscribe($0) }
  }

  /// Subscribes to the flow inside.
  @inlinable
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    run(AnyObserver(observer))
  }
}

extension Flow {
  /// Hides the type of this flow; see ``AnyFlow`` for its cost and for how long a chain of erased
  /// stages may be.
  @inlinable
  public func erased() -> AnyFlow<Element, Failure> {
    AnyFlow(self)
  }
}

/// An observer whose type says only what it takes.
///
/// A copy shares the state of the original: it is the same observer.
public struct AnyObserver<Element: Sendable, Failure: Error>: Observer {
  @usableFromInline let box: ObserverBox<Element, Failure>

  /// Hides the type of an observer.
  @inlinable
  public init<Base: Observer>(_ base: Base)
  where Base.Element == Element, Base.Failure == Failure {
    box = TypedObserverBox(base)
  }

  /// True, because the observer inside may pause.
  @inlinable public static var mayPause: Bool { true }

  /// Hands the handle to the observer inside.
  @inlinable
  public mutating func start(_ subscription: Subscription) {
    box.start(subscription)
  }

  /// Hands a value to the observer inside and passes its answer on.
  @inlinable
  public mutating func receive(_ value: Element) -> Answer {
    box.receive(box, value)
  }

  /// Hands the end to the observer inside.
  @inlinable
  public mutating func end(_ end: End<Failure>) {
    box.end(end)
  }
}

// @unchecked: used by one owner at a time, as the stream contract demands of every observer.
@usableFromInline
class ObserverBox<Element: Sendable, Failure: Error>: @unchecked Sendable {
  // A closure made where the type is known; an overridden method would not be specialised.
  @usableFromInline final let receive: @Sendable (ObserverBox<Element, Failure>, Element) -> Answer

  @inlinable
  init(receive: @escaping @Sendable (ObserverBox<Element, Failure>, Element) -> Answer) {
    self.receive = receive
  }

  @usableFromInline func start(_ subscription: Subscription) {}
  @usableFromInline func end(_ end: End<Failure>) {}
}

// @unchecked: see `ObserverBox`.
@usableFromInline
final class TypedObserverBox<O: Observer>: ObserverBox<O.Element, O.Failure>,
  @unchecked Sendable
{
  @exclusivity(unchecked) @usableFromInline var observer: O

  @inlinable
  init(_ observer: O) {
    self.observer = observer
    super.init { box, value in
      unsafeDowncast(box, to: TypedObserverBox<O>.self).observer.receive(value)
    }
  }

  @usableFromInline
  override func start(_ subscription: Subscription) {
    observer.start(subscription)
  }

  @usableFromInline
  override func end(_ end: End<O.Failure>) {
    observer.end(end)
  }
}
