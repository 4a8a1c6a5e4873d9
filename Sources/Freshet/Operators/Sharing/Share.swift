extension Flow {
  /// Lets many observers share one subscription to the source.
  ///
  ///     source   1--2--3--4--|
  ///     early    1--2--3--4--|
  ///     late            ^-4--|
  ///
  /// The first observer starts the source, the last one to leave stops it. A
  /// late observer starts with the next value. When the source has ended, the
  /// next observer starts it again. A pause of any observer pauses the source
  /// for all: nothing is lost.
  ///
  /// - Complexity: O(n) per value in the number of observers; subscribing is O(1).
  public func share() -> Share<Self> {
    Share(self)
  }
}

/// The flow behind `share()`.
///
/// All copies of the reference share one source.
public final class Share<Source: Flow>: Flow {
  public typealias Element = Source.Element
  public typealias Failure = Source.Failure
  private let source: Source
  private let running = SharedConnection<Source.Element, Source.Failure>.Holder()

  init(_ source: Source) {
    self.source = source
  }

  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    let (connection, isNew) = running.join()
    let slot = connection.hub.subscribe(observer)
    if isNew, !connection.isOver { source.subscribe(SharedInlet(connection: connection)) }
    return slot
  }
}
