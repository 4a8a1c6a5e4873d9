import Synchronization

/// A hub with one source at a time, which is connected by hand.
final class Feed<Element: Sendable, Failure: Error>: Sendable {
  private final class Current: Sendable {
    struct State: Sendable {
      var place: SourcePlace?
      var hasEnded = false
      /// What goes up to each source, when it comes.
      var joined = Turns()
    }

    let state = Mutex(State())

    func resume() {
      state.withLock { $0.place }?.resume()
    }

    func pass(_ message: Upward) {
      let place = state.withLock { state in
        if case .join(let member, let above) = message { state.joined.join(member, above: above) }
        return state.place
      }
      place?.pass(message)
    }
  }

  let hub: Hub<Element, Failure, Recent<Element>>
  private let current: Current

  init(replay: Int) {
    let current = Current()
    self.current = current
    hub = Hub(
      memory: Recent(capacity: replay, period: nil, scheduler: nil),
      onResume: { current.resume() },
      onUpward: { current.pass($0) })
  }

  deinit {
    hub.abandon()
  }

  /// Gives a source the floor; false when one has ended already.
  func begin(_ place: SourcePlace) -> Bool {
    current.state.withLock { state in
      guard !state.hasEnded else { return false }
      state.place = place
      return true
    }
  }

  /// Takes the end of a source, unless its connection was disposed of.
  func end(_ end: End<Failure>, of place: SourcePlace) {
    let isCurrent = current.state.withLock { state in
      guard state.place === place, !state.hasEnded else { return false }
      state.hasEnded = true
      return true
    }
    guard isCurrent else { return }
    place.end()
    hub.send(end: end)
  }

  /// Connects a source that has started, unless it is no longer wanted.
  func attach(_ subscription: Subscription, at place: SourcePlace) {
    guard place.attach(subscription) else { return }
    for message in current.state.withLock({ $0.joined.messages }) { subscription.pass(message) }
  }

  /// Stops a source.
  func stop(_ place: SourcePlace) {
    current.state.withLock { state in
      if state.place === place { state.place = nil }
    }
    place.close()
  }
}

/// The place of one source's handle, from its start to its end or to a dispose.
final class SourcePlace: Sendable {
  private struct State: Sendable {
    var source: Subscription?
    var isClosed = false
  }

  private let state = Mutex(State())

  /// Takes the source; false when it is not wanted any more and was disposed of.
  func attach(_ subscription: Subscription) -> Bool {
    let isWanted = state.withLock { state in
      guard state.source == nil, !state.isClosed else { return false }
      state.source = subscription
      return true
    }
    if !isWanted { subscription.dispose() }
    return isWanted
  }

  /// Stops the source, also one that has yet to start.
  func close() {
    take()?.dispose()
  }

  /// Lets go of a source that has ended.
  func end() {
    _ = take()
  }

  private func take() -> Subscription? {
    state.withLock { state in
      state.isClosed = true
      return exchange(&state.source, for: nil)
    }
  }

  func resume() {
    state.withLock { $0.source }?.resume()
  }

  func pass(_ message: Upward) {
    state.withLock { $0.source }?.pass(message)
  }
}

/// The observer that brings a source's events to a feed.
struct FeedInlet<Element: Sendable, Failure: Error, Owner: AnyObject & Sendable>: Observer {
  let feed: Feed<Element, Failure>
  let place: SourcePlace

  /// What is to live as long as the source.
  let owner: Owner?
  var source: Subscription?

  init(feed: Feed<Element, Failure>, place: SourcePlace, owner: Owner?) {
    self.feed = feed
    self.place = place
    self.owner = owner
  }

  static var mayPause: Bool { true }

  mutating func start(_ subscription: Subscription) {
    guard source == nil else {
      subscription.dispose()
      return
    }
    source = subscription
    feed.attach(subscription, at: place)
  }

  mutating func receive(_ value: Element) -> Answer {
    source?.isDisposed == false ? feed.hub.send(value) : .stop
  }

  mutating func end(_ end: End<Failure>) {
    guard source != nil else { return }
    source = nil
    feed.end(end, of: place)
  }
}
