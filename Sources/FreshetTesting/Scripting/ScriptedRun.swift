import Freshet
import Synchronization

/// What a cold source plays for each subscription.
enum ScriptedPlay<Element: Sendable, Failure: Error>: Sendable {
  /// One value after the other, as long as the observer takes them; then the end, if any.
  case atOnce(@Sendable (Int) -> Element?, End<Failure>?)
  /// Each event when its time has come.
  case inTime(MarbleScript<Element, Failure>)
}

/// One subscription to a scripted source.
final class ScriptedRun<Element: Sendable, Failure: Error>: Subscription, @unchecked Sendable {
  // @unchecked is inherited; what is added here is in the mutex.
  private struct State: Sendable {
    var observer: AnyObserver<Element, Failure>?
    var position = 0
    /// What has come due, for a script with times.
    var due: [Event<Element, Failure>] = []
    var timers: [Disposable] = []
    var isPlaying = false
    var isPaused = false
    var wasResumed = false
  }

  private let source: ScriptedSource<Element, Failure>
  private let state: Mutex<State>
  private let script: ScriptedPlay<Element, Failure>?
  /// Its place in the source's list of subscriptions.
  let number: Int

  init(
    source: ScriptedSource<Element, Failure>, number: Int,
    observer: AnyObserver<Element, Failure>, play: ScriptedPlay<Element, Failure>?
  ) {
    self.source = source
    self.number = number
    script = play
    state = Mutex(State(observer: observer))
  }

  func begin() {
    var observer = self.observer
    observer?.start(self)
    switch script {
    case nil: break
    case .atOnce: play()
    case .inTime(let script): setTimers(script)
    }
  }

  // MARK: By hand

  private var isUnruly: Bool { source.manners == .unruly }

  private var observer: AnyObserver<Element, Failure>? { state.withLock { $0.observer } }

  func send(_ value: Element) -> Answer? {
    guard isUnruly || !isDisposed, var observer else { return nil }
    state.withLock { $0.wasResumed = false }
    let answer = observer.receive(value)
    source.note { log in
      log.sent += 1
      if answer == .pause { log.pauses += 1 }
    }
    if answer == .stop, !isUnruly { dispose() }
    return answer
  }

  func send(end: End<Failure>) {
    let isFirst = isUnruly || markEnded()
    guard isFirst, var observer else { return }
    source.forget(self)
    if !isUnruly { release() }
    observer.end(end)
  }

  func startAgain() -> Subscription {
    let second = Subscription()
    var observer = self.observer
    observer?.start(second)
    return second
  }

  func release() {
    let held = state.withLock { state in
      let taken = (state.observer, state.timers, state.due)
      state.observer = nil
      state.timers = []
      state.due = []
      return taken
    }
    _ = held  // Released here, outside the lock.
  }

  // MARK: By script

  private func play() {
    let isMine = state.withLock { state in
      guard !state.isPlaying else { return false }
      state.isPlaying = true
      return true
    }
    guard isMine else { return }
    while !isDisposed {
      switch next() {
      case .value(let value): if send(value) == .pause, park() { return }
      case .end(let end):
        send(end: end)
        return
      case nil: return
      }
    }
    release()
  }

  /// What to play next; nil when nothing is left, or nothing has come due.
  private func next() -> Event<Element, Failure>? {
    guard case .atOnce(let script, let end) = script else {
      return state.withLock { state in
        guard state.due.isEmpty else { return state.due.removeFirst() }
        state.isPlaying = false
        return nil
      }
    }
    let position = state.withLock { state -> Int in
      state.position += 1
      return state.position - 1
    }
    return script(position).map { .value($0) } ?? end.map { .end($0) }
  }

  private func setTimers(_ script: MarbleScript<Element, Failure>) {
    for step in script.steps {
      guard !isDisposed else { return }
      let timer = script.scheduler.schedule(after: step.offset) { [self] in
        let isPaused = state.withLock { state in
          state.due.append(step.event)
          return state.isPaused
        }
        if !isPaused { play() }
      }
      state.withLock { $0.timers.append(timer) }
    }
  }

  /// Stops playing until a resume; false when the resume has come already.
  private func park() -> Bool {
    state.withLock { state in
      if state.wasResumed { return false }
      state.isPaused = true
      state.isPlaying = false
      return true
    }
  }

  override func resume() {
    source.note { $0.resumes += 1 }
    let goesOn = state.withLock { state in
      guard state.isPaused else {
        state.wasResumed = true
        return false
      }
      state.isPaused = false
      return true
    }
    if goesOn, script != nil { play() }
  }

  override func onDispose() {
    source.note { $0.disposals += 1 }
    source.forget(self)
    if !isUnruly { release() }
  }
}
