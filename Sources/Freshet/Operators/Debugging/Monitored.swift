extension Flow {
  /// Counts the live subscriptions of this place, and gives it a name in graphs.
  ///
  ///     source   1--2--|
  ///     result   1--2--|     monitored("orders", by: monitor)
  ///
  /// Everything passes through unchanged.
  ///
  /// - Parameters:
  ///   - name: What the place is called.
  ///   - monitor: Keeps the count; see ``FlowMonitor``.
  /// - Complexity: O(1) per value and per subscription.
  public func monitored(
    _ name: String, by monitor: FlowMonitor
  ) -> some Flow<Element, Failure> {
    Monitored(source: self, name: name, monitor: monitor)
  }
}

/// The flow behind `monitored(_:by:)`.
struct Monitored<Source: Flow>: Flow {
  typealias Element = Source.Element
  typealias Failure = Source.Failure
  let source: Source
  let name: String
  let monitor: FlowMonitor

  @discardableResult
  func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    let handle = MonitorSubscription(name: name, monitor: monitor)
    source.subscribe(MonitoredObserver(downstream: observer, handle: handle))
    return handle
  }
}

/// Passes on; its handle is counted from the start to the end.
struct MonitoredObserver<Downstream: Observer>: Observer {
  typealias Element = Downstream.Element
  typealias Failure = Downstream.Failure
  var downstream: Downstream
  let handle: MonitorSubscription
  var hasEnded = false

  init(downstream: Downstream, handle: MonitorSubscription) {
    self.downstream = downstream
    self.handle = handle
  }

  static var mayPause: Bool { Downstream.mayPause }

  mutating func start(_ subscription: Subscription) {
    guard handle.attach(subscription) else { return }
    handle.count()
    downstream.start(handle)
  }

  mutating func receive(_ value: Element) -> Answer {
    guard !hasEnded, !handle.isDisposed else { return .stop }
    let answer = downstream.receive(value)
    if answer == .stop { handle.dispose() }
    return answer
  }

  mutating func end(_ end: End<Failure>) {
    guard !hasEnded, handle.markEnded() else { return }
    hasEnded = true
    handle.discount()
    downstream.end(end)
  }
}
