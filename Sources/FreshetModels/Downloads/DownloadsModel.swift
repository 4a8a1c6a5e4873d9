import Freshet
import FreshetStore
import Synchronization

/// The downloads screen: the saved items, live, and the deletion of one.
///
/// Intents go in by method calls from any thread, states and transitions come out as flows. The
/// list is a projection of the store: every list shown is one that was committed, whoever committed
/// it. Events are taken one at a time in their order; flows are called on the thread that brought
/// the event, so a screen that must be told on a certain thread adds `observe(on:)`.
///
/// The model runs until it is released or closed; then its query stops and its flows finish. A
/// failure never ends the flows: it is a state, and `appear()` tries again.
public final class DownloadsModel: Sendable {
  private let manager: DatabaseManager
  private let scheduler: any Scheduler
  private let transitionSubject = PublishSubject<Transition, Never>()
  private let stateSubject = BehaviorSubject<State, Never>(State())
  private let ignoredSubject = PublishSubject<Ignored, Never>()
  private let core = Mutex(Core())

  private struct Core {
    var state = State()
    var waiting: [Event] = []
    var isTaking = false
    var isClosed = false
    /// The live query and the running delete, which stop when they are released.
    var tokens: [Effect: Disposable] = [:]
  }

  /// Makes a screen over a store; nothing happens before the first intent.
  /// - Parameters:
  ///   - manager: The store.
  ///   - scheduler: Where requests to the store are started.
  public init(manager: DatabaseManager, scheduler: any Scheduler = ImmediateScheduler()) {
    self.manager = manager
    self.scheduler = scheduler
  }

  deinit { close() }

  // MARK: Intents

  /// The screen comes into view, or its user asks again after a failure.
  public func appear() { send(.appear) }

  /// Deletes an item; the list changes once the store has committed that.
  public func delete(id: String) { send(.delete(id: id)) }

  /// Stops the query and finishes the flows; idempotent.
  public func close() {
    let tokens = core.withLock { core -> [Effect: Disposable]? in
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
    ignoredSubject.finish()
  }

  // MARK: Outputs

  /// Every transition, from subscription on; finishes when the model is closed.
  public var transitions: AnyFlow<Transition, Never> { transitionSubject.erased() }

  /// The current state, then every later one; finishes when the model is closed.
  public var states: AnyFlow<State, Never> { stateSubject.erased() }

  /// The events that led to nothing, and why; finishes when the model is closed.
  public var ignored: AnyFlow<Ignored, Never> { ignoredSubject.erased() }

  /// The state after the last event.
  public var state: State { core.withLock { $0.state } }

  // MARK: Running

  /// Queues an event, and takes the queue empty unless somebody is already at it.
  private func send(_ event: Event) {
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
      if !step.transitions.isEmpty { stateSubject.send(step.state) }
      for reason in step.ignored { ignoredSubject.send(reason) }
      for effect in step.effects { start(effect) }
    }
  }

  /// Reduces the next event under the lock; what comes of it is performed outside.
  private func takeNext() -> Step? {
    core.withLock { core in
      guard !core.waiting.isEmpty, !core.isClosed else {
        core.isTaking = false
        return nil
      }
      let step = Self.reduce(core.state, core.waiting.removeFirst())
      core.state = step.state
      return step
    }
  }

  private func start(_ effect: Effect) {
    scheduler.schedule { [weak self] in
      guard let self else { return }
      let token =
        switch effect {
        case .observe(let query): observe(query)
        case .delete(let id, let request): delete(id, request)
        }
      keep(token, for: effect)
    }
  }

  private func observe(_ query: Int) -> Disposable {
    manager.observe(.all, from: .snapshot).subscribe(
      onValue: { [weak self] list in self?.send(.list(list, query: query)) },
      onEnd: { [weak self] end in
        switch end {
        case .finished: self?.send(.queryEnded(nil, query: query))
        case .failed(let error): self?.send(.queryEnded(error, query: query))
        }
      })
  }

  private func delete(_ id: String, _ request: Int) -> Disposable {
    manager.apply([.delete(id: id)]).subscribe(
      onValue: { [weak self] receipt in
        self?.send(.deleteAnswered(.success(receipt), request: request))
      },
      onEnd: { [weak self] end in
        if case .failed(let error) = end {
          self?.send(.deleteAnswered(.failure(error), request: request))
        }
      })
  }

  /// Holds a token as long as what it stands for runs; older ones of its kind have ended.
  private func keep(_ token: Disposable, for effect: Effect) {
    let released = core.withLock { core -> [Disposable] in
      if core.isClosed { return [token] }
      let old = core.tokens.filter { $0.key.isObserve == effect.isObserve }
      for key in old.keys { core.tokens[key] = nil }
      core.tokens[effect] = token
      return Array(old.values)
    }
    for token in released { token.dispose() }
  }
}

extension DownloadsModel.Effect {
  fileprivate var isObserve: Bool {
    if case .observe = self { true } else { false }
  }
}
