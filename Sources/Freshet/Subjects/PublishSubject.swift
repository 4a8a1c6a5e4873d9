/// A flow that is pushed into by hand and remembers nothing.
///
///     send     --1--2-----3--|
///     early    --1--2-----3--|
///     late          ^-----3--|
///
/// Everybody who is subscribed gets every value, in the order of subscription,
/// and all in the same order: a value sent from inside a delivery, or from
/// another thread, is delivered by whoever is delivering, when it is done with
/// the value before. `send` never waits.
///
/// Letting go of the subject lets go of its observers, silently. Finish it to
/// tell them.
///
/// - Complexity: `send` is O(n) in the number of observers, `subscribe` O(1).
public final class PublishSubject<Element: Sendable, Failure: Error>: Flow {
  @usableFromInline let hub: Hub<Element, Failure, NoMemory<Element>>

  /// Makes a subject without observers.
  @inlinable
  public init() {
    hub = Hub(memory: NoMemory())
  }

  /// Sends a value to everybody who is subscribed.
  ///
  /// Ignored after the end.
  ///
  /// - Returns: `.pause` when some observer asks for a pause. A producer that can
  ///   wait may wait; one that cannot ignores it, and that observer's overflow
  ///   policy decides.
  @inlinable
  @discardableResult
  public func send(_ value: Element) -> Answer {
    hub.send(value)
  }

  /// Finishes the stream, for everybody now and everybody who comes later.
  public func finish() {
    hub.send(end: .finished)
  }

  /// Fails the stream, for everybody now and everybody who comes later.
  public func fail(_ failure: Failure) {
    hub.send(end: .failed(failure))
  }

  /// Adds an observer, which starts with the next value; after the end it is told the end.
  @inlinable
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    hub.subscribe(observer)
  }

  deinit {
    hub.abandon()
  }
}
