import Freshet
import Synchronization

/// The commits of a `MemoryStore`.
public struct MemoryChangeFlow: Flow {
  /// One element per commit.
  public typealias Element = ChangeSet
  /// Why a feed cannot go on.
  public typealias Failure = StoreError

  let store: MemoryStore
  let start: StartPosition

  /// Starts to deliver commits, at the observer's pace.
  @discardableResult
  public func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == ChangeSet, O.Failure == StoreError {
    let subscription = PullSubscription<MemoryChangeSource, O>(keeping: store)
    var started = observer
    started.start(subscription)
    do throws(StoreError) {
      let source = try MemoryChangeSource(store: store, start: start)
      subscription.begin(store, source, started) { [store] listener throws(StoreError) in
        try store.add(listener)
      }
    } catch {
      subscription.refuse(started, error)
    }
    return subscription
  }
}

extension MemoryStore: FeedHome {
  func add(_ listener: any FeedListener) throws(StoreError) {
    try withState { state throws(StoreError) in
      state.listeners[ObjectIdentifier(listener)] = listener
    }
  }

  func remove(_ listener: any FeedListener) {
    // Held until after the lock: its release may run foreign code.
    let removed = state.withLock { $0.listeners.removeValue(forKey: ObjectIdentifier(listener)) }
    withExtendedLifetime(removed) {}
  }
}

/// Reads a `MemoryStore`'s history.
struct MemoryChangeSource: PullSource {
  private let store: MemoryStore
  /// The last commit that was delivered, or the one before the first.
  private var revision: Int64

  init(store: MemoryStore, start: StartPosition) throws(StoreError) {
    self.store = store
    revision = try store.withState { state throws(StoreError) in
      switch start {
      case .now, .snapshot: return state.current.revision
      case .oldest: return state.base.revision
      case .after(let token):
        try store.check(token, state)
        return token.revision
      }
    }
  }

  mutating func next() throws(StoreError) -> ChangeSet? {
    let revision = revision
    let found = store.state.withLock { state -> Result<ChangeSet?, StoreError> in
      if revision < state.base.revision {
        return .failure(
          StoreError(
            .compacted,
            "the changes after revision \(revision) are no longer kept, the oldest is "
              + "\(state.base.revision + 1); read the current state and follow from there"))
      }
      let at = Int(revision - state.base.revision)
      return .success(at < state.history.count ? state.history[at] : nil)
    }
    let change = try found.get()
    if let change { self.revision = change.revision }
    return change
  }
}
