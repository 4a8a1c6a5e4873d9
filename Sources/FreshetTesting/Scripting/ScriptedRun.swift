import Freshet
import Synchronization

/// One subscription to a scripted source.
final class ScriptedRun<Element: Sendable, Failure: Error>: Subscription, @unchecked Sendable {
  // @unchecked is inherited; what is added here is in the mutex.
  private struct State: Sendable {
    var observer: AnyObserver<Element, Failure>?
    var position = 0
    var isPlaying = false
    var isPaused = false
    var wasResumed = false
  }

  private let source: ScriptedSource<Element, Failure>
  private let state: Mutex<State>
  private let script: (@Sendable (Int) -> Element?)?
  private let scriptEnd: End<Failure>?

  init(
    source: ScriptedSource<Element, Failure>, observer: AnyObserver<Element, Failure>,
    script: (@Sendable (Int) -> Element?)?, end: End<Failure>?
  ) {
    self.source = source
    self.script = script
    scriptEnd = end
    state = Mutex(State(observer: observer))
  }

  func begin() {
    var observer = self.observer
    observer?.start(self)
    if script != nil { play() }
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
    let observer = state.withLock { state in
      let taken = state.observer
      state.observer = nil
      return taken
    }
    _ = observer  // Released here, outside the lock.
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
      let position = state.withLock { state -> Int in
        state.position += 1
        return state.position - 1
      }
      guard let value = script?(position) else {
        if let scriptEnd { send(end: scriptEnd) }
        return
      }
      if send(value) == .pause, park() { break }
    }
    if isDisposed { release() }
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
    guard !isUnruly else { return }
    source.forget(self)
    release()
  }
}
