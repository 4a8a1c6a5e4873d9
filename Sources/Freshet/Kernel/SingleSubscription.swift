import Synchronization

/// Runs a single's work once and delivers its answer once.
@usableFromInline
final class SingleSubscription<O: Observer>: Subscription, @unchecked Sendable {
  // @unchecked is inherited; all state is in the mutex. Whoever takes the observer out
  // delivers to it or releases it.
  @frozen
  @usableFromInline
  struct State: Sendable {
    @usableFromInline var observer: O?
    @usableFromInline var token: Disposable?

    @inlinable
    init(observer: O?) {
      self.observer = observer
    }
  }

  @usableFromInline let state: Mutex<State>

  @inlinable
  init(_ observer: O) {
    state = Mutex(State(observer: observer))
  }

  @inlinable
  func begin(_ work: @Sendable (Single<O.Element, O.Failure>.Resolver) -> Disposable?) {
    // The observer is out while it starts, so that a dispose from inside does not meet it.
    guard var observer = state.withLock({ exchange(&$0.observer, for: nil) }) else { return }
    observer.start(self)
    guard !isDisposed else { return }
    state.withLock { $0.observer = observer }
    if isDisposed {
      release()
      return
    }
    let token = work(Single.Resolver { [self] in answer($0) })
    guard let token else { return }
    let isOver = state.withLock { state in
      guard state.observer != nil else { return true }
      state.token = token
      return false
    }
    if isOver { token.dispose() }
  }

  @inlinable
  func answer(_ result: Result<O.Element, O.Failure>?) {
    let (taken, token) = state.withLock { state in
      (exchange(&state.observer, for: nil), exchange(&state.token, for: nil))
    }
    guard var observer = taken, !isDisposed else { return }
    switch result {
    case .success(let value):
      guard observer.receive(value) != .stop else {
        markEnded()
        break
      }
      if markEnded() { observer.end(.finished) }
    case .failure(let failure):
      if markEnded() { observer.end(.failed(failure)) }
    case nil:
      if markEnded() { observer.end(.finished) }
    }
    token?.dispose()
  }

  @inlinable
  func release() {
    let state = state.withLock { exchange(&$0, for: State(observer: nil)) }
    state.token?.dispose()
  }

  @usableFromInline
  override func onDispose() {
    release()
  }
}
