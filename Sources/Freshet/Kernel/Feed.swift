import Synchronization

/// A hub with one source at a time, which is attached by hand.
final class Feed<Element: Sendable, Failure: Error>: Sendable {
  let hub: Hub<Element, Failure, Recent<Element>>
  private let source: SourceSlot

  init(replay: Int) {
    let source = SourceSlot()
    self.source = source
    hub = Hub(
      memory: Recent(capacity: replay, period: nil, scheduler: nil),
      onResume: { source.resume() })
  }

  func attach(_ subscription: Subscription) {
    source.attach(subscription)
  }

  func stop() {
    source.take()?.dispose()
  }
}

/// The place of one source's handle.
final class SourceSlot: Sendable {
  private let source = Mutex<Subscription?>(nil)

  func attach(_ subscription: Subscription) {
    let isFree = source.withLock { source in
      guard source == nil else { return false }
      source = subscription
      return true
    }
    if !isFree { subscription.dispose() }
  }

  func take() -> Subscription? {
    source.withLock { exchange(&$0, for: nil) }
  }

  func resume() {
    source.withLock { $0 }?.resume()
  }
}

/// The observer that brings a source's events to a feed.
struct FeedInlet<Element: Sendable, Failure: Error>: Observer {
  let feed: Feed<Element, Failure>
  var source: Subscription?

  static var mayPause: Bool { true }

  mutating func start(_ subscription: Subscription) {
    guard source == nil else {
      subscription.dispose()
      return
    }
    source = subscription
    feed.attach(subscription)
  }

  mutating func receive(_ value: Element) -> Answer {
    source?.isDisposed == false ? feed.hub.send(value) : .stop
  }

  mutating func end(_ end: End<Failure>) {
    guard source != nil else { return }
    source = nil
    feed.hub.send(end: end)
  }
}
