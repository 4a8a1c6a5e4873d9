import Freshet
import Synchronization

/// A source driven by hand, or by a script, that keeps a log of what is done to it.
///
/// Without a script it is hot: what the test sends goes to whoever is subscribed.
/// With a script it is cold: each subscription plays the script from its start, and
/// stops at a pause. A source with `.unruly` manners breaks the rules on purpose:
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

  private struct State: Sendable {
    var log = Log()
    var runs: [ScriptedRun<Element, Failure>] = []
  }

  private let state = Mutex(State())
  private let script: (@Sendable (Int) -> Element?)?
  private let scriptEnd: End<Failure>?
  let manners: Manners

  /// Makes a hot source, driven by hand.
  public init(_ manners: Manners = .polite) {
    self.manners = manners
    script = nil
    scriptEnd = nil
  }

  /// Makes a cold source that plays values and then an end.
  ///
  /// - Parameters:
  ///   - values: The values of each subscription.
  ///   - end: How each subscription ends; nil when it does not.
  public init(playing values: [Element], end: End<Failure>? = .finished) {
    manners = .polite
    script = { $0 < values.count ? values[$0] : nil }
    scriptEnd = end
  }

  /// Makes a cold source that plays what a function makes.
  ///
  /// - Parameters:
  ///   - script: Makes the n-th value; nil when there is no more.
  ///   - end: How each subscription ends; nil when it does not.
  public init(generating script: @escaping @Sendable (Int) -> Element?, end: End<Failure>?) {
    manners = .polite
    self.script = script
    scriptEnd = end
  }

  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    let run = ScriptedRun(
      source: self, observer: AnyObserver(observer), script: script, end: scriptEnd)
    state.withLock { state in
      state.log.subscriptions += 1
      if script == nil { state.runs.append(run) }
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

  /// How many observers are subscribed and neither ended nor disposed of.
  public var activeCount: Int { runs.count { !$0.isDisposed } }

  private var runs: [ScriptedRun<Element, Failure>] { state.withLock { $0.runs } }

  func note(_ change: (inout Log) -> Void) {
    state.withLock { change(&$0.log) }
  }

  func forget(_ run: ScriptedRun<Element, Failure>) {
    guard manners == .polite else { return }
    state.withLock { state in state.runs.removeAll { $0 === run } }
  }
}
