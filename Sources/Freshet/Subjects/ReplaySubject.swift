/// A flow that is pushed into by hand and remembers its latest values.
///
///     capacity 2
///     send     -1-2-3---4-|
///     late           ^(23)-4-|
///     later                  (34|)
///
/// A new observer gets the remembered values first, without gap or duplicate to
/// what follows, also after the end, and then the end. Delivery is as in
/// ``PublishSubject``.
///
/// - Complexity: `send` is O(n) in the number of observers; `subscribe` is O(m) in
///   the number of remembered values.
public final class ReplaySubject<Element: Sendable, Failure: Error>: Flow {
  @usableFromInline let hub: Hub<Element, Failure, Recent<Element>>

  /// Makes a subject that remembers a number of values.
  ///
  /// - Parameter capacity: How many values are remembered. `.max` remembers all.
  public init(capacity: Int) {
    precondition(capacity >= 0, "ReplaySubject needs a capacity that is not negative")
    hub = Hub(memory: Recent(capacity: capacity, period: nil, scheduler: nil))
  }

  /// Makes a subject that remembers the values of the latest while.
  ///
  /// - Parameters:
  ///   - period: How long a value is remembered.
  ///   - capacity: How many values are remembered at most.
  ///   - scheduler: Measures the time.
  public init(within period: Duration, capacity: Int = .max, on scheduler: any TimeScheduler) {
    precondition(capacity >= 0, "ReplaySubject needs a capacity that is not negative")
    hub = Hub(memory: Recent(capacity: capacity, period: period, scheduler: scheduler))
  }

  /// Sends a value to everybody who is subscribed, and remembers it.
  ///
  /// Ignored after the end.
  @inlinable
  @discardableResult
  public func send(_ value: Element) -> Answer {
    hub.send(value)
  }

  /// Finishes the stream; what is remembered stays.
  public func finish() {
    hub.send(end: .finished)
  }

  /// Fails the stream; what is remembered stays.
  public func fail(_ failure: Failure) {
    hub.send(end: .failed(failure))
  }

  /// Adds an observer, which is told the remembered values first; after the end, those and the end.
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
