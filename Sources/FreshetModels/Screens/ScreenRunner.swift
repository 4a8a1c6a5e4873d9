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
  /// Begins an effect.
  ///
  /// The function it is given sends the answers; the token ends the work.
  public typealias Perform =
    @Sendable (S.Effect, @escaping @Sendable (S.Event) -> Void) -> Disposable?

  private struct Core {
    var state: S.State
    var waiting: [S.Event] = []
    var isTaking = false
    var isClosed = false
    var tokens: [String: Disposable] = [:]
    var settling: [Single<S.State, Never>.Resolver] = []

    /// Those who wait for a settled state, when it is one and no event waits.
    mutating func takeSettled() -> [Single<S.State, Never>.Resolver] {
      guard state.isSettled, waiting.isEmpty else { return [] }
      defer { settling = [] }
      return settling
    }
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

  /// The first state in which no event waits to be taken and no answer is waited for.
  ///
  /// It is there at once when that is so already, and never when the runner is closed before.
  public func settled() -> Single<S.State, Never> {
    Single { [weak self] resolver in
      guard let self else { return nil }
      let (state, ready) = core.withLock { core in
        if core.isClosed { return (core.state, [Single<S.State, Never>.Resolver]()) }
        core.settling.append(resolver)
        return (core.state, core.isTaking ? [] : core.takeSettled())
      }
      for resolver in ready { resolver.succeed(state) }
      return nil
    }
  }

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
    let left = core.withLock { core -> ([String: Disposable], [Single<S.State, Never>.Resolver])? in
      if core.isClosed { return nil }
      core.isClosed = true
      core.waiting = []
      defer {
        core.tokens = [:]
        core.settling = []
      }
      return (core.tokens, core.settling)
    }
    // Letting go of those who wait finishes their flows.
    guard let (tokens, _) = left else { return }
    for token in tokens.values { token.dispose() }
    transitionSubject.finish()
    stateSubject.finish()
    noticeSubject.finish()
  }

  /// Reduces the next event under the lock; what comes of it is performed outside.
  private func takeNext() -> Step<S>? {
    let (step, ready) = core.withLock { core -> (Step<S>?, [Single<S.State, Never>.Resolver]) in
      guard !core.waiting.isEmpty, !core.isClosed else {
        core.isTaking = false
        return (nil, core.takeSettled())
      }
      let step = S.reduce(core.state, core.waiting.removeFirst())
      core.state = step.state
      return (step, [])
    }
    if !ready.isEmpty {
      let state = state
      for resolver in ready { resolver.succeed(state) }
    }
    return step
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
