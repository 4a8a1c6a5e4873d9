import Freshet
import Synchronization

/// A source driven by hand, or by a script, that keeps a log of what is done to it.
///
/// Without a script it is hot: what the test sends goes to whoever is subscribed.
/// With a script it is cold: each subscription plays the script from its start, and
/// stops at a pause. ``VirtualScheduler/hot(_:values:failure:)`` and
/// ``VirtualScheduler/cold(_:values:failure:)`` make either from a marble diagram, which
/// says when things happen too. A source with `.unruly` manners breaks the rules on purpose:
/// it sends to observers that have disposed of it and after its own end, as often
/// as the test tells it to.
///
/// It is made for one thread at a time, apart from `resume` and `dispose`, which
/// may come from anywhere.
public final class ScriptedSource<Element: Sendable, Failure: Error>: Flow {
  /// Whether the source keeps the rules.
  public enum Manners: Sendable {
    /// It sends nothing after its end or a dispose.
    case polite
    /// It sends whatever it is told to, whenever it is told to.
    case unruly
  }

  /// What was done to the source.
  public struct Log: Sendable, Hashable {
    /// How many subscriptions were made.
    public var subscriptions = 0
    /// How many of them were disposed of before their end.
    public var disposals = 0
    /// How many times one of them was resumed.
    public var resumes = 0
    /// How many values were sent, over all subscriptions.
    public var sent = 0
    /// How many values were answered with a pause.
    public var pauses = 0

    /// Makes a log of nothing.
    public init() {}
  }

  /// When a subscription began and when it was over.
  public struct Span: Sendable, Hashable {
    /// When it began, by the source's scheduler; zero without one.
    public let start: Moment
    /// When it was disposed of, or ended by the source; nil while it is neither.
    public internal(set) var end: Moment?
  }

  private struct State: Sendable {
    var log = Log()
    var spans: [Span] = []
    var runs: [ScriptedRun<Element, Failure>] = []
  }

  private let state = Mutex(State())
  private let play: ScriptedPlay<Element, Failure>?
  /// Calls off what a hot script has not played yet, when the source is released.
  private let timers = DisposeBag()
  /// Tells how long after the making of the source something happened.
  let clock: MarbleClock
  let manners: Manners

  /// Makes a hot source, driven by hand.
  ///
  /// - Parameters:
  ///   - manners: Whether it keeps the rules.
  ///   - scheduler: Whose time ``subscriptions`` are written down with.
  public init(_ manners: Manners = .polite, scheduler: (any TimeScheduler)? = nil) {
    self.manners = manners
    play = nil
    clock = MarbleClock(scheduler)
  }

  /// Makes a cold source that plays values and then an end.
  ///
  /// - Parameters:
  ///   - values: The values of each subscription.
  ///   - end: How each subscription ends; nil when it does not.
  public convenience init(playing values: [Element], end: End<Failure>? = .finished) {
    self.init(generating: { $0 < values.count ? values[$0] : nil }, end: end)
  }

  /// Makes a cold source that plays what a function makes.
  ///
  /// - Parameters:
  ///   - script: Makes the n-th value; nil when there is no more.
  ///   - end: How each subscription ends; nil when it does not.
  public init(generating script: @escaping @Sendable (Int) -> Element?, end: End<Failure>?) {
    manners = .polite
    play = .atOnce(script, end)
    clock = MarbleClock(nil)
  }

  /// Makes a source that plays a script from now on.
  init(hot script: MarbleScript<Element, Failure>) {
    manners = .polite
    play = nil
    clock = MarbleClock(script.scheduler)
    for step in script.steps {
      // Weak, since the scheduler would keep the source and the source keeps the tokens.
      script.scheduler.schedule(after: step.offset) { [weak self] in
        switch step.event {
        case .value(let value): self?.send(value)
        case .end(let end): self?.send(end: end)
        }
      }.store(in: timers)
    }
  }

  /// Makes a source that plays a script for each subscription.
  init(cold script: MarbleScript<Element, Failure>) {
    manners = .polite
    play = .inTime(script)
    clock = MarbleClock(script.scheduler)
  }

  /// Connects an observer, notes the subscription, and plays the script if there is one.
  ///
  /// A script without times has been played to its end, or to the first pause, when this returns.
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    let now = clock.now
    let run = state.withLock { state in
      let run = ScriptedRun(
        source: self, number: state.spans.count, observer: AnyObserver(observer), play: play)
      state.log.subscriptions += 1
      state.spans.append(Span(start: now))
      state.runs.append(run)
      return run
    }
    run.begin()
    return run
  }

  // MARK: Driving

  /// Sends a value to everybody who is subscribed.
  ///
  /// - Returns: The answers, in the order of subscription.
  @discardableResult
  public func send(_ value: Element) -> [Answer] {
    runs.compactMap { $0.send(value) }
  }

  /// Ends everybody's stream.
  public func send(end: End<Failure>) {
    let ending = state.withLock { state in
      let runs = state.runs
      if manners == .polite { state.runs = [] }
      return runs
    }
    for run in ending { run.send(end: end) }
  }

  /// Finishes everybody's stream.
  public func finish() {
    send(end: .finished)
  }

  /// Fails everybody's stream.
  public func fail(_ failure: Failure) {
    send(end: .failed(failure))
  }

  /// Breaks the rules: starts every observer once more, with another handle.
  ///
  /// - Returns: The handles. A well-behaved observer has disposed of them.
  @discardableResult
  public func startAgain() -> [Subscription] {
    runs.map { $0.startAgain() }
  }

  /// Lets go of all observers, also of those an unruly source would keep.
  public func release() {
    let runs = state.withLock { state in
      let taken = state.runs
      state.runs = []
      return taken
    }
    for run in runs { run.release() }
  }

  // MARK: The log

  /// What was done to the source so far.
  public var log: Log { state.withLock { $0.log } }

  /// When each subscription began and when it was over, in the order in which they began.
  ///
  /// See ``subscriptionDifference(from:)-(String...)`` for comparing them with diagrams.
  public var subscriptions: [Span] { state.withLock { $0.spans } }

  /// How many observers are subscribed and neither ended nor disposed of.
  public var activeCount: Int { subscriptions.count { $0.end == nil } }

  private var runs: [ScriptedRun<Element, Failure>] { state.withLock { $0.runs } }

  func note(_ change: (inout Log) -> Void) {
    state.withLock { change(&$0.log) }
  }

  /// Notes that a subscription is over; a polite source sends nothing to it from now on.
  func forget(_ run: ScriptedRun<Element, Failure>) {
    let now = clock.now
    state.withLock { state in
      if state.spans[run.number].end == nil { state.spans[run.number].end = now }
      if manners == .polite { state.runs.removeAll { $0 === run } }
    }
  }
}
