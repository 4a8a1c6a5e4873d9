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
    Share(self, replay: 0, policy: SharePolicy(scope: .whileConnected, grace: nil))
  }

  /// Lets many observers share one subscription, and tells late ones the latest values.
  ///
  ///     source   1--2--3--4--|
  ///     late            ^(23)-4--|     share(replay: 2)
  ///
  /// - Parameters:
  ///   - replay: How many values a late observer is told first.
  ///   - scope: What happens when the source has ended or nobody follows it.
  /// - Complexity: O(n) per value in the number of observers; subscribing is O(m) in
  ///   the number of remembered values.
  public func share(replay: Int, scope: ShareScope = .whileConnected) -> Share<Self> {
    Share(self, replay: replay, policy: SharePolicy(scope: scope, grace: nil))
  }

  /// Shares one subscription and keeps it for a while when nobody follows it.
  ///
  /// - Parameters:
  ///   - replay: How many values a late observer is told first.
  ///   - scope: What happens when the source has ended or nobody follows it.
  ///   - grace: How long the source goes on after the last observer has left, so
  ///     that one who comes soon finds it running. Must be positive.
  ///   - scheduler: Measures the time.
  public func share(
    replay: Int = 0, scope: ShareScope = .whileConnected, keepingFor grace: Duration,
    on scheduler: any TimeScheduler
  ) -> Share<Self> {
    precondition(grace > .zero, "share(keepingFor:on:) needs a positive time")
    return Share(
      self, replay: replay, policy: SharePolicy(scope: scope, grace: (grace, scheduler)))
  }
}

/// What a shared flow does when its source has ended or nobody follows it.
public enum ShareScope: Sendable {
  /// The last observer to leave stops the source, and what was remembered is
  /// forgotten. After an end or a stop the next observer starts the source again.
  case whileConnected

  /// The last observer to leave stops the source; what was remembered stays, and
  /// the next observer is told it and starts the source again. After an end
  /// late observers are told what was remembered, and the end: there is no other run.
  case forever
}

/// The flow behind `share`.
///
/// All copies of the reference share one source.
public final class Share<Source: Flow>: Flow {
  /// The source's values.
  public typealias Element = Source.Element

  /// The source's failure.
  public typealias Failure = Source.Failure
  private let source: Source
  private let holder: SharedConnection<Source.Element, Source.Failure>.Holder

  init(_ source: Source, replay: Int, policy: SharePolicy) {
    precondition(replay >= 0, "share(replay:) needs a number that is not negative")
    self.source = source
    holder = .init(replay: replay, policy: policy)
  }

  /// Adds an observer; the first one subscribes to the source.
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    let connection = holder.join()
    let slot = connection.hub.subscribe(observer)
    // The observer is connected before the source starts: it misses nothing.
    if let run = connection.mustStart() {
      source.subscribe(SharedInlet(connection: connection, run: run))
    }
    return slot
  }
}
