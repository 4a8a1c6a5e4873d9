import Freshet
import Synchronization

/// Runs a screen: takes events one at a time, tells what comes of them, and does what is wanted.
///
/// Events may be sent from any thread, also from inside a delivery; they are queued and taken in
/// their order. The flows are called on the thread that brought the event. Closing ends all work
/// and finishes the flows; letting go of the runner does the same.
///
/// Nothing of anybody else's runs under its lock.
public final class ScreenRunner<S: Screen>: Sendable {
  /// Begins an effect. The function it is given sends the answers; the token ends the work.
  public typealias Perform =
    @Sendable (S.Effect, @escaping @Sendable (S.Event) -> Void) -> Disposable?

  private struct Core {
    var state: S.State
    var waiting: [S.Event] = []
    var isTaking = false
    var isClosed = false
    var tokens: [String: Disposable] = [:]
  }

  private let core: Mutex<Core>
  private let scheduler: any Scheduler
  private let perform: Perform
  private let transitionSubject = PublishSubject<Transition<S>, Never>()
  private let stateSubject: BehaviorSubject<S.State, Never>
  private let noticeSubject = PublishSubject<S.Notice, Never>()

  /// Makes a runner; nothing happens before the first event.
  ///
  /// - Parameters:
  ///   - state: The state before the first event.
  ///   - scheduler: Where effects begin; it runs one work at a time.
  ///   - perform: Begins an effect.
  public init(_ state: S.State, on scheduler: any Scheduler, _ perform: @escaping Perform) {
    core = Mutex(Core(state: state))
    stateSubject = BehaviorSubject(state)
    self.scheduler = scheduler
    self.perform = perform
  }

  deinit { close() }

  /// Every transition, from subscription on; finishes when the runner is closed.
  public var transitions: AnyFlow<Transition<S>, Never> { transitionSubject.erased() }

  /// The current state, then every later one; finishes when the runner is closed.
  public var states: AnyFlow<S.State, Never> { stateSubject.erased() }

  /// What is said beside the states; finishes when the runner is closed.
  public var notices: AnyFlow<S.Notice, Never> { noticeSubject.erased() }

  /// The state after the last event.
  public var state: S.State { core.withLock { $0.state } }

  /// Queues an event, and takes the queue empty unless somebody is already at it.
  public func send(_ event: S.Event) {
    let isMine = core.withLock { core in
      if core.isClosed { return false }
      core.waiting.append(event)
      if core.isTaking { return false }
      core.isTaking = true
      return true
    }
    guard isMine else { return }
    while let step = takeNext() {
      for transition in step.transitions { transitionSubject.send(transition) }
      stateSubject.send(step.state)
      for notice in step.notices { noticeSubject.send(notice) }
      for effect in step.effects { begin(effect) }
    }
  }

  /// Ends all work and finishes the flows; idempotent.
  public func close() {
    let tokens = core.withLock { core -> [String: Disposable]? in
      if core.isClosed { return nil }
      core.isClosed = true
      core.waiting = []
      let tokens = core.tokens
      core.tokens = [:]
      return tokens
    }
    guard let tokens else { return }
    for token in tokens.values { token.dispose() }
    transitionSubject.finish()
    stateSubject.finish()
    noticeSubject.finish()
  }

  /// Reduces the next event under the lock; what comes of it is performed outside.
  private func takeNext() -> Step<S>? {
    core.withLock { core in
      guard !core.waiting.isEmpty, !core.isClosed else {
        core.isTaking = false
        return nil
      }
      let step = S.reduce(core.state, core.waiting.removeFirst())
      core.state = step.state
      return step
    }
  }

  private func begin(_ effect: S.Effect) {
    scheduler.schedule { [weak self] in
      guard let self else { return }
      core.withLock { $0.tokens.removeValue(forKey: effect.slot) }?.dispose()
      if effect.isStop { return }
      let token = perform(effect) { [weak self] event in self?.send(event) }
      guard let token else { return }
      let isClosed = core.withLock { core in
        if !core.isClosed { core.tokens[effect.slot] = token }
        return core.isClosed
      }
      if isClosed { token.dispose() }
    }
  }
}
