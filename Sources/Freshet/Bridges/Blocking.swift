import Dispatch
import Synchronization

extension Flow {
  /// Lets code that cannot await, such as a script or a plain test, wait for what this flow says.
  ///
  ///     let lines = try report.blocking(atMost: .seconds(5)).toArray()
  ///
  /// The calling thread stands still until the flow has ended, and no longer than the limit. What
  /// it would have to deliver itself, such as the main queue's work while the main thread waits,
  /// cannot come: then the limit ends the wait. For virtual time use a recorder and `advance`.
  /// In asynchronous code await ``values`` or ``firstValue()``.
  ///
  /// - Parameter limit: How long each wait may take. More than zero.
  @available(*, noasync, message: "await values or firstValue() in asynchronous code")
  public func blocking(atMost limit: Duration) -> Blocking<Self> {
    precondition(limit > .zero, "blocking(atMost:) needs a limit above zero")
    return Blocking(source: self, limit: limit)
  }
}

/// The ways to wait on a thread for what a flow says; see ``Flow/blocking(atMost:)``.
///
/// Each call subscribes anew, waits, and disposes of its subscription before it returns: nothing
/// of the flow runs on. A closure of the flow's own that does not return on the calling thread is
/// the one thing that the limit cannot end.
public struct Blocking<Source: Flow>: Sendable {
  private let source: Source
  private let limit: Duration

  init(source: Source, limit: Duration) {
    self.source = source
    self.limit = limit
  }

  /// Waits for the end and returns all values.
  ///
  /// - Throws: ``BlockingError``: the flow's failure, or that the limit came first. What had come
  ///   by then is dropped; ``recording()`` keeps it.
  public func toArray() throws(BlockingError<Source.Failure>) -> [Source.Element] {
    try all(of: source)
  }

  /// Waits for the first value and stops the flow.
  ///
  /// - Returns: The value; nil when the flow finishes without one.
  /// - Throws: ``BlockingError``: the flow's failure, or that the limit came first.
  public func first() throws(BlockingError<Source.Failure>) -> Source.Element? {
    try all(of: source.first()).first
  }

  /// Waits for the finish and returns the last value.
  ///
  /// - Returns: The value; nil when the flow finishes without one.
  /// - Throws: ``BlockingError``: the flow's failure, or that the limit came first.
  public func last() throws(BlockingError<Source.Failure>) -> Source.Element? {
    try all(of: source.last()).last
  }

  /// Waits for the finish; the values are dropped.
  ///
  /// - Throws: ``BlockingError``: the flow's failure, or that the limit came first.
  public func wait() throws(BlockingError<Source.Failure>) {
    _ = try all(of: source.ignoreValues())
  }

  /// Waits for the end and returns everything that was said.
  ///
  /// - Returns: The values and the end; no end when the limit came first.
  public func recording() -> Recording<Source.Element, Source.Failure> {
    record(source)
  }

  private func record<F: Flow>(_ flow: F) -> Recording<F.Element, F.Failure> {
    let wait = BlockingWait<F.Element, F.Failure>()
    let deadline = DispatchTime.now() + QueueScheduler.interval(limit)
    // Stops a synchronous source that never ends, too: it runs inside `subscribe`.
    let alarm = QueueScheduler(.global()).schedule(after: limit) { wait.close() }
    defer { alarm.dispose() }
    flow.subscribe(BlockingObserver(wait: wait))
    return wait.result(until: deadline)
  }

  private func all<F: Flow>(
    of flow: F
  ) throws(BlockingError<Source.Failure>) -> [F.Element] where F.Failure == Source.Failure {
    let recording = record(flow)
    switch recording.end {
    case .finished: return recording.values
    case .failed(let failure): throw .failed(failure)
    case nil: throw .timedOut(after: limit, values: recording.values.count)
    }
  }
}

/// Why a wait of ``Blocking`` came to nothing.
public enum BlockingError<Failure: Error>: Error, CustomStringConvertible {
  /// The flow failed.
  case failed(Failure)

  /// The flow had not ended when the limit came; so many values had come by then.
  case timedOut(after: Duration, values: Int)

  /// What happened, in words.
  public var description: String {
    switch self {
    case .failed(let failure): "the flow failed: \(failure)"
    case .timedOut(let limit, let values):
      "the flow had not ended after \(limit), and had sent \(values) "
        + (values == 1 ? "value" : "values") + "; give it longer, or end it with take"
    }
  }
}

extension BlockingError: Equatable where Failure: Equatable {}
extension BlockingError: Hashable where Failure: Hashable {}

/// What has come so far, and whoever waits for the end of it.
private final class BlockingWait<Element: Sendable, Failure: Error>: Sendable {
  private struct State: Sendable {
    var recording = Recording<Element, Failure>(end: nil)
    var source: Subscription?
    var isOpen = true
  }

  private let state = Mutex(State())
  private let over = DispatchSemaphore(value: 0)

  /// Keeps the first source; one that comes late or twice is disposed of.
  func start(_ subscription: Subscription) {
    let isWelcome = state.withLock { state in
      guard state.isOpen, state.source == nil else { return false }
      state.source = subscription
      return true
    }
    if !isWelcome { subscription.dispose() }
  }

  func add(_ value: Element) -> Answer {
    state.withLock { state in
      guard state.isOpen else { return .stop }
      state.recording.values.append(value)
      return .more
    }
  }

  /// Takes nothing more, and wakes whoever waits.
  func close(_ end: End<Failure>? = nil) {
    let source = state.withLock { state -> Subscription? in
      guard state.isOpen else { return nil }
      state.isOpen = false
      state.recording.end = end
      return exchange(&state.source, for: nil)
    }
    source?.dispose()
    over.signal()
  }

  func result(until deadline: DispatchTime) -> Recording<Element, Failure> {
    _ = over.wait(timeout: deadline)
    close()
    return state.withLock { exchange(&$0.recording, for: Recording()) }
  }
}

/// Writes down what comes.
private struct BlockingObserver<Element: Sendable, Failure: Error>: Observer {
  let wait: BlockingWait<Element, Failure>

  static var mayPause: Bool { false }

  mutating func start(_ subscription: Subscription) { wait.start(subscription) }

  mutating func receive(_ value: Element) -> Answer { wait.add(value) }

  mutating func end(_ end: End<Failure>) { wait.close(end) }
}
