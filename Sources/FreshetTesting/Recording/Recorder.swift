import Freshet
import Synchronization

/// Writes down everything an observer is told, when, and whether the rules were kept.
///
///     let recorder = Recorder<Int, Never>()
///     recorder.subscribe(to: [1, 2, 3].flow.map { $0 * 2 })
///     recorder.values      // [2, 4, 6]
///     recorder.end         // .finished
///     recorder.violations  // [] : in order, one at a time, never recursive, one end
///
/// A recorder observes one flow. It keeps its subscription until the stream ends
/// or ``dispose()`` is called.
public final class Recorder<Element: Sendable, Failure: Error>: Sendable {
  /// One thing that the observer was told.
  public struct Event: Sendable {
    /// What it was told.
    public let signal: Signal
    /// When, by the recorder's scheduler; zero without one.
    public let moment: Moment
  }

  /// A value or the end.
  public enum Signal: Sendable {
    /// A value came.
    case value(Element)
    /// The stream ended.
    case end(End<Failure>)
  }

  private struct State: Sendable {
    var events: [Event] = []
    var valueCount = 0
    var violations: [String] = []
    var subscription: Subscription?
    var starts = 0
    var hasEnded = false
    var disposedOn: ThreadIdentity?
    var inside: ThreadIdentity?
  }

  private let state = Mutex(State())
  private let scheduler: (any TimeScheduler)?
  /// Tells how long after the making of the recorder something came.
  let clock: MarbleClock
  private let respond: @Sendable (Recorder, Element) -> Answer

  /// Makes a recorder.
  ///
  /// - Parameters:
  ///   - scheduler: Whose time is written down with each event.
  ///   - respond: Called with the recorder and each value after it was written down;
  ///     its result is the answer to the source. It may do what an observer may do:
  ///     send, subscribe, dispose of the recorder, resume it.
  public init(
    scheduler: (any TimeScheduler)? = nil,
    respond: @escaping @Sendable (Recorder, Element) -> Answer = { _, _ in .more }
  ) {
    self.scheduler = scheduler
    clock = MarbleClock(scheduler)
    self.respond = respond
  }

  // MARK: What was seen

  /// Everything, in the order in which it came.
  public var events: [Event] { state.withLock { $0.events } }

  /// The values, in the order in which they came.
  public var values: [Element] {
    events.compactMap { if case .value(let value) = $0.signal { value } else { nil } }
  }

  /// How many values have come.
  public var valueCount: Int { state.withLock { $0.valueCount } }

  /// How the stream ended; nil while it has not.
  public var end: End<Failure>? {
    events.lazy.compactMap { if case .end(let end) = $0.signal { end } else { nil } }.first
  }

  /// Whether the stream has ended.
  public var hasEnded: Bool { state.withLock { $0.hasEnded } }

  /// What was not as the contract promises, in words; empty when all was.
  public var violations: [String] { state.withLock { $0.violations } }

  /// The values and ends as text, with their moments when there is a scheduler.
  public var transcript: [String] {
    events.map { event in
      let text =
        switch event.signal {
        case .value(let value): "\(value)"
        case .end(.finished): "finished"
        case .end(.failed(let failure)): "failed(\(failure))"
        }
      return scheduler == nil ? text : "\(text)@\(event.moment.sinceOrigin / .milliseconds(1))"
    }
  }

  /// The handle of the subscription; nil before the start, and after an end or a dispose.
  public var subscription: Subscription? { state.withLock { $0.subscription } }

  // MARK: What it does

  /// Subscribes to a flow as an observer that may pause.
  ///
  /// - Returns: The handle.
  @discardableResult
  public func subscribe<Source: Flow>(to source: Source) -> Subscription
  where Source.Element == Element, Source.Failure == Failure {
    source.subscribe(observer)
  }

  /// The observer that ``subscribe(to:)`` uses.
  public var observer: RecordingObserver<Element, Failure> { RecordingObserver(recorder: self) }

  /// Subscribes to a flow as an observer that never pauses.
  ///
  /// Sources run another loop for these. An answer of `.pause` is noted as a violation.
  ///
  /// - Returns: The handle.
  @discardableResult
  public func subscribeWithoutPausing<Source: Flow>(to source: Source) -> Subscription
  where Source.Element == Element, Source.Failure == Failure {
    source.subscribe(UnpausingRecordingObserver(recorder: self))
  }

  /// Disposes of the subscription; whatever comes later on this thread is a violation.
  public func dispose() {
    let subscription = state.withLock { state in
      let taken = state.subscription
      state.subscription = nil
      return taken
    }
    subscription?.dispose()
    state.withLock { $0.disposedOn = .current }
  }

  /// Resumes the subscription.
  public func resume() {
    subscription?.resume()
  }

  // MARK: The observer's side

  func start(_ subscription: Subscription) {
    let isSecond = state.withLock { state in
      state.starts += 1
      guard state.starts == 1 else {
        state.violations.append("started \(state.starts) times")
        return true
      }
      state.subscription = subscription
      return false
    }
    if isSecond { subscription.dispose() }
  }

  func receive(_ value: Element) -> Answer {
    note(.value(value))
    let answer = respond(self, value)
    state.withLock { $0.inside = nil }
    return answer
  }

  func end(_ end: End<Failure>) {
    note(.end(end))
    let subscription = state.withLock { state in
      state.inside = nil
      let taken = state.subscription
      state.subscription = nil
      return taken
    }
    _ = subscription  // Released here, outside the lock.
  }

  func noteViolation(_ text: String) {
    state.withLock { $0.violations.append(text) }
  }

  private func note(_ signal: Signal) {
    let thread = ThreadIdentity.current
    let moment = scheduler?.now ?? .zero
    state.withLock { state in
      let name =
        switch signal {
        case .value(let value): "value \(value)"
        case .end(let end): "end \(end)"
        }
      if let inside = state.inside {
        let how = inside == thread ? "from inside" : "from another thread during"
        state.violations.append("\(name) came \(how) a delivery")
      }
      if state.starts == 0 { state.violations.append("\(name) came before the start") }
      if state.hasEnded { state.violations.append("\(name) came after the end") }
      if state.disposedOn == thread {
        state.violations.append("\(name) came after dispose() had returned on this thread")
      }
      switch signal {
      case .value: state.valueCount += 1
      case .end: state.hasEnded = true
      }
      state.events.append(Event(signal: signal, moment: moment))
      state.inside = thread
    }
  }
}

/// The observer that tells a recorder what it is told.
///
/// Wrap it in an observer of your own where ``Recorder/subscribe(to:)`` does not do.
public struct RecordingObserver<Element: Sendable, Failure: Error>: Observer {
  let recorder: Recorder<Element, Failure>

  /// True: what the recorder answers is up to its closure.
  public static var mayPause: Bool { true }

  /// Hands the handle to the recorder; a second one is noted as a violation and disposed of.
  public mutating func start(_ subscription: Subscription) { recorder.start(subscription) }

  /// Writes the value down and answers what the recorder's closure says.
  public mutating func receive(_ value: Element) -> Answer { recorder.receive(value) }

  /// Writes the end down and lets go of the handle.
  public mutating func end(_ end: End<Failure>) { recorder.end(end) }
}

/// The observer behind ``Recorder/subscribeWithoutPausing(to:)``.
struct UnpausingRecordingObserver<Element: Sendable, Failure: Error>: Observer {
  let recorder: Recorder<Element, Failure>

  static var mayPause: Bool { false }

  mutating func start(_ subscription: Subscription) { recorder.start(subscription) }

  mutating func receive(_ value: Element) -> Answer {
    let answer = recorder.receive(value)
    guard answer == .pause else { return answer }
    recorder.noteViolation("value \(value) was answered with a pause by an observer that cannot")
    return .more
  }

  mutating func end(_ end: End<Failure>) { recorder.end(end) }
}
