import Freshet
import Synchronization

/// What a feed pulls its values from.
///
/// Used by one thread at a time.
protocol PullSource: Sendable {
  associatedtype Element: Sendable
  /// The next value; nil when there is none yet.
  mutating func next() throws(StoreError) -> Element?
}

/// One subscription to a feed: its own source, at its own pace.
///
/// It runs on the shared pool while there is something to read, and holds no thread otherwise.
/// Source and observer are checked out of the lock by whoever runs, so they are never used twice
/// at once, and nothing of theirs runs under the lock.
// @unchecked is inherited; all state here is in one `Mutex`. `FeedTests` would notice.
final class PullSubscription<Source: PullSource, O: Observer>: Subscription, FeedListener,
  @unchecked Sendable
where O.Element == Source.Element, O.Failure == StoreError {
  private struct Work: Sendable {
    var source: Source
    var observer: O
  }

  private enum Phase {
    /// Nobody runs; a wake-up starts.
    case idle
    /// Nobody runs; only `resume` starts.
    case paused
    case running
    case ended
  }

  private struct State: Sendable {
    /// Nil while somebody runs, and after the end.
    var work: Work?
    var phase = Phase.running
    var isWoken = false
    var isResumed = false
    var end: End<StoreError>?
    /// Where it is listed as a listener.
    var home: (any FeedHome)?
    /// Kept open for as long as the feed runs.
    var store: (any AnyObject & Sendable)?
  }

  private let state: Mutex<State>

  init(keeping store: any AnyObject & Sendable) {
    state = Mutex(State(store: store))
    super.init()
  }

  /// Starts: joins the listeners, which arms what wakes them, then reads.
  func begin(
    _ home: any FeedHome, _ source: Source, _ observer: O,
    joining: (any FeedListener) throws(StoreError) -> Void
  ) {
    state.withLock { state in
      state.work = Work(source: source, observer: observer)
      state.home = home
    }
    do throws(StoreError) {
      try joining(self)
    } catch {
      state.withLock { $0.end = .failed(error) }
    }
    SharedPool.run { self.run() }
  }

  /// Ends it before it could start.
  func refuse(_ observer: O, _ error: StoreError) {
    var observer = observer
    if markEnded() { observer.end(.failed(error)) }
    retire()
  }

  func wake() {
    let mustRun = state.withLock { state in
      switch state.phase {
      case .idle:
        state.phase = .running
        return true
      case .running:
        state.isWoken = true
        return false
      case .paused, .ended:
        return false
      }
    }
    if mustRun { SharedPool.run { self.run() } }
  }

  override func resume() {
    let mustRun = state.withLock { state in
      switch state.phase {
      case .paused:
        state.phase = .running
        return true
      case .running:
        // It may be about to park: it will find this and go on.
        state.isResumed = true
        return false
      case .idle, .ended:
        return false
      }
    }
    if mustRun { SharedPool.run { self.run() } }
  }

  func close(_ error: StoreError?) {
    state.withLock { $0.end = error.map { .failed($0) } ?? .finished }
    wake()
  }

  override func onDispose() {
    leaveHub()
    let work = state.withLock { state in
      if state.phase != .running { state.phase = .ended }
      return state.phase == .ended ? state.work.take() : nil
    }
    withExtendedLifetime(work) {}
  }

  private func run() {
    guard var work = state.withLock({ $0.work.take() }) else { return }
    while true {
      if isDisposed { return retire() }
      var next: Source.Element?
      do throws(StoreError) {
        next = try work.source.next()
      } catch {
        return end(.failed(error), &work)
      }
      guard let value = next else {
        if let end = state.withLock({ $0.end }) { return self.end(end, &work) }
        if park(work, as: .idle) { return }
        continue
      }
      if isDisposed { return retire() }
      switch work.observer.receive(value) {
      case .more: break
      case .pause: if park(work, as: .paused) { return }
      case .stop:
        dispose()
        return retire()
      }
    }
  }

  /// Puts the work back and stops running, unless something has happened meanwhile.
  private func park(_ work: Work, as phase: Phase) -> Bool {
    let isParked = state.withLock { state in
      if phase == .idle {
        if state.isWoken {
          state.isWoken = false
          return false
        }
      } else if state.isResumed {
        state.isResumed = false
        return false
      }
      state.phase = phase
      state.work = work
      return true
    }
    // A dispose between the last look and the parking found nothing to release.
    if isParked && isDisposed { onDispose() }
    return isParked
  }

  private func end(_ end: End<StoreError>, _ work: inout Work) {
    if markEnded() { work.observer.end(end) }
    retire()
  }

  private func retire() {
    leaveHub()
    state.withLock { $0.phase = .ended }
  }

  private func leaveHub() {
    // The manager may close with its last reference: outside the lock.
    let (home, store) = state.withLock { ($0.home.take(), $0.store.take()) }
    home?.remove(self)
    withExtendedLifetime(store) {}
  }
}
