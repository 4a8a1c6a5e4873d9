import Synchronization

/// A flow that is pushed into by hand and tells only its last value, when it finishes.
///
///     send     -1-2-3-|
///     early    -------(3|)
///     late              (3|)
///
/// A failure is told without a value. ReactiveX calls it AsyncSubject.
///
/// - Complexity: `send` is O(1), `finish` O(n) in the number of observers.
public final class LastSubject<Element: Sendable, Failure: Error>: Flow {
  private let latest = BehaviorSubject<Element?, Never>(nil)
  private let promise = Promise<Element, Failure>()

  /// Makes a subject without a value.
  public init() {}

  /// Replaces the value that will be told.
  ///
  /// Ignored after the end.
  public func send(_ value: Element) {
    guard !promise.isDecided.load(ordering: .relaxed) else { return }
    latest.send(value)
  }

  /// Tells the last value, if there was one, and finishes.
  public func finish() {
    if let value = latest.value {
      promise.resolve(value)
    } else {
      promise.finish()
    }
    latest.send(nil)  // What is told is kept by the promise.
  }

  /// Fails the stream.
  public func fail(_ failure: Failure) {
    promise.fail(failure)
    latest.send(nil)
  }

  /// Adds an observer, which is told the last value when the subject finishes.
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    promise.subscribe(observer)
  }
}
