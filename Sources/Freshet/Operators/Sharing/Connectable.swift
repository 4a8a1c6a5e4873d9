import Synchronization

extension Flow {
  /// Lets many observers share a source that is started by hand.
  ///
  ///     let shared = source.publish()
  ///     …observers subscribe…
  ///     let connection = shared.connect()
  ///
  /// - Parameter replay: How many values a late observer is told first.
  /// - Complexity: O(n) per value in the number of observers.
  public func publish(replay: Int = 0) -> Connectable<Self> {
    precondition(replay >= 0, "publish(replay:) needs a number that is not negative")
    return Connectable(self, replay: replay)
  }
}

/// A shared flow that starts when it is told to.
///
/// All copies of the reference share one source and one set of observers. There
/// is one run: when the source has ended, late observers are told what is
/// remembered, and the end. A connection that was disposed of can be made again.
public final class Connectable<Source: Flow>: Flow {
  public typealias Element = Source.Element
  public typealias Failure = Source.Failure
  private let source: Source
  private let feed: Feed<Source.Element, Source.Failure>
  private let connection = Mutex<Disposable?>(nil)

  init(_ source: Source, replay: Int) {
    self.source = source
    feed = Feed(replay: replay)
  }

  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    feed.hub.subscribe(observer)
  }

  /// Starts the source.
  ///
  /// A second call returns the same connection, also from inside the first.
  ///
  /// - Returns: The token that stops the source.
  public func connect() -> Disposable {
    let (token, isNew) = connection.withLock { connection in
      if let running = connection { return (running, false) }
      let token = Disposable { [weak self, feed] in
        self?.forgetConnection()
        feed.stop()
      }
      connection = token
      return (token, true)
    }
    if isNew { source.subscribe(FeedInlet(feed: feed)) }
    return token
  }

  private func forgetConnection() {
    let token = connection.withLock { exchange(&$0, for: nil) }
    _ = token  // Released outside the lock.
  }

  /// A flow that starts the source when enough observers have come.
  ///
  /// The source then runs until it ends; observers that leave do not stop it.
  ///
  /// - Parameter minimum: How many observers are waited for.
  public func autoconnect(minimum: Int = 1) -> some Flow<Element, Failure> {
    precondition(minimum > 0, "autoconnect(minimum:) needs at least one observer")
    return Autoconnect(connectable: self, minimum: minimum)
  }
}

/// The flow behind `autoconnect(minimum:)`.
final class Autoconnect<Source: Flow>: Flow {
  typealias Element = Source.Element
  typealias Failure = Source.Failure
  private let connectable: Connectable<Source>
  private let left: Atomic<Int>

  init(connectable: Connectable<Source>, minimum: Int) {
    self.connectable = connectable
    left = Atomic(minimum)
  }

  @discardableResult
  func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    let subscription = connectable.subscribe(observer)
    if left.subtract(1, ordering: .relaxed).newValue == 0 { _ = connectable.connect() }
    return subscription
  }
}
