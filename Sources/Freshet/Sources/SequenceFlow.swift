import Synchronization

/// A cold flow of a sequence's elements.
///
///     result   (123|)     SequenceFlow(1...3)
///
/// Each subscription makes its own iterator and delivers on the subscribing
/// thread, pulling one element at a time. It stops pulling when the observer
/// pauses, and goes on where `resume()` is called.
@frozen
public struct SequenceFlow<Base: Sequence & Sendable>: Flow where Base.Element: Sendable {
  /// The sequence's elements.
  public typealias Element = Base.Element

  /// It cannot fail.
  public typealias Failure = Never
  @usableFromInline let base: Base

  /// Makes a flow of the elements of a sequence.
  @inlinable
  @inline(__always)
  public init(_ base: Base) {
    self.base = base
  }

  /// Delivers the elements, up to the end or the first pause, before this returns.
  @inlinable
  @inline(__always)
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    guard O.mayPause else {
      let subscription = Subscription()
      var observer = observer
      observer.start(subscription)
      for value in base {
        if subscription.isDisposed { return subscription }
        if observer.receive(value) == .stop {
          subscription.dispose()
          return subscription
        }
      }
      if subscription.markEnded() { observer.end(.finished) }
      return subscription
    }
    let subscription = ParkedLoop<Loop<O>>()
    subscription.begin(Loop(iterator: base.makeIterator(), observer: observer))
    return subscription
  }

  @frozen
  @usableFromInline
  struct Loop<O: Observer>: PausableLoop where O.Element == Element, O.Failure == Never {
    @usableFromInline var iterator: Base.Iterator
    @usableFromInline var observer: O

    @inlinable
    init(iterator: Base.Iterator, observer: O) {
      self.iterator = iterator
      self.observer = observer
    }

    @inlinable
    mutating func start(_ subscription: Subscription) {
      observer.start(subscription)
    }

    @inlinable
    mutating func run(_ subscription: Subscription) -> Answer {
      while let value = iterator.next() {
        if subscription.isDisposed { return .stop }
        let answer = observer.receive(value)
        if answer != .more { return answer }
      }
      if subscription.markEnded() { observer.end(.finished) }
      return .stop
    }
  }
}

extension Sequence where Self: Sendable, Element: Sendable {
  /// A cold flow of this sequence's elements; see ``SequenceFlow``.
  @inlinable
  @inline(__always)
  public var flow: SequenceFlow<Self> { SequenceFlow(self) }
}
