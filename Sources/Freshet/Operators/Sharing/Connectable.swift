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
/// Letting go of the connectable and of the connection stops the source.
public final class Connectable<Source: Flow>: Flow {
  /// The source's values.
  public typealias Element = Source.Element

  /// The source's failure.
  public typealias Failure = Source.Failure
  private let source: Source
  private let feed: Feed<Source.Element, Source.Failure>

  /// The connection that there is.
  ///
  /// Held here and not by the feed, which the source keeps.
  private let connection = Mutex<(token: Disposable, place: SourcePlace)?>(nil)

  init(_ source: Source, replay: Int) {
    self.source = source
    feed = Feed(replay: replay)
  }

  /// Adds an observer; the source starts with ``connect()``.
  ///
  /// The observer is told what is remembered first, and after the end that and the end.
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    feed.hub.subscribe(observer)
  }

  /// Starts the source.
  ///
  /// A second call returns the same connection, also from inside the first. After the
  /// source has ended nothing is started.
  ///
  /// - Returns: The token that stops the source.
  public func connect() -> Disposable {
    connect(keepingAlive: nil)
  }

  fileprivate func connect(keepingAlive owner: Connectable?) -> Disposable {
    let (token, place) = connection.withLock { connection -> (Disposable, SourcePlace?) in
      if let (token, _) = connection { return (token, nil) }
      let place = SourcePlace()
      let token = Disposable { [weak self, feed] in
        self?.forget(place)
        feed.stop(place)
      }
      guard feed.begin(place) else { return (token, nil) }
      connection = (token, place)
      return (token, place)
    }
    if let place { source.subscribe(FeedInlet(feed: feed, place: place, owner: owner)) }
    return token
  }

  private func forget(_ place: SourcePlace) {
    let old = connection.withLock { connection -> Disposable? in
      guard let current = connection, current.place === place else { return nil }
      connection = nil
      return current.token
    }
    _ = old  // Released outside the lock.
  }

  /// A flow that starts the source when enough observers have come.
  ///
  /// The source then runs until it ends; observers that leave do not stop it, nor does
  /// letting go of this flow.
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
    if left.subtract(1, ordering: .relaxed).newValue == 0 {
      // The source keeps the connectable, and with it the connection, until it ends.
      _ = connectable.connect(keepingAlive: connectable)
    }
    return subscription
  }
}
