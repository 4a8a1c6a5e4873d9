/// Everything that a flow has to say, when it is known beforehand: see ``Flow/known``.
@frozen
public enum Known<Element: Sendable, Failure: Error>: Sendable {
  /// One value, and then the finish.
  case value(Element)

  /// The end alone.
  case end(End<Failure>)

  /// Says it to an observer, as a source does.
  @inlinable
  @inline(__always)
  func tell<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    let subscription = Subscription()
    var observer = observer
    observer.start(subscription)
    if subscription.isDisposed { return subscription }
    switch self {
    case .value(let value):
      if observer.receive(value) == .stop {
        subscription.dispose()
      } else if subscription.markEnded() {
        observer.end(.finished)
      }
    case .end(let end):
      if subscription.markEnded() { observer.end(end) }
    }
    return subscription
  }
}

extension Known: Equatable where Element: Equatable, Failure: Equatable {}
