import Freshet
import Synchronization

/// A store that keeps everything in memory: for tests, previews and caches.
///
/// It answers as the flat file does, and by default refuses what a remote engine would refuse, so
/// that code tested with it runs on any engine. Nothing survives the process. All methods may be
/// called from any thread.
public final class MemoryStore: Sendable {
  /// What it is like.
  public struct Options: Sendable {
    /// How many operations a batch may have.
    public var operationLimit = ContentStoreLimits.portableOperations
    /// Refuses batches that some engines refuse: an id that is written twice, and `deleteAll` beside
    /// other operations.
    public var isPortable = true
    /// How many commits can be followed again; older ones are forgotten.
    public var history = 100_000

    /// The defaults: as strict as the strictest engine.
    public init() {}
  }

  /// The store's id: 32 hexadecimal digits.
  public let storeID: String
  let options: Options
  let state: Mutex<State>

  /// Makes an empty store.
  public init(options: Options = Options()) {
    self.options = options
    storeID = StoreOptions().makeStoreID()
    state = Mutex(State())
  }

  deinit { close() }

  struct State: Sendable {
    /// The state before the first commit of `history`.
    var base = MemoryState()
    var history: [ChangeSet] = []
    var current = MemoryState()
    var listeners: [ObjectIdentifier: any FeedListener] = [:]
    var isClosed = false
  }

  func token(_ revision: Int64) -> Token {
    Token(storeID: storeID, epoch: 1, revision: revision)
  }

  /// Does work with the state, unless it is closed.
  func withState<R: Sendable>(
    _ work: (inout State) throws(StoreError) -> R
  ) throws(StoreError) -> R {
    let result = state.withLock { state in
      Result { () throws(StoreError) in
        if state.isClosed { throw StoreError.closed("in memory") }
        return try work(&state)
      }
    }
    return try result.get()
  }

  /// Forgets all commits but the last ones: whoever follows from before fails with `compacted`.
  public func compact(keeping commits: Int) {
    state.withLock { $0.forget(keeping: max(0, commits)) }
  }

  private func commit(_ operations: [Operation]) throws(StoreError) -> CommitReceipt {
    let prepared = try PreparedOperation.prepare(operations)
    try check(operations, prepared)
    let (receipt, listeners) = try withState { state throws(StoreError) in
      let (outcomes, changes) = state.current.apply(prepared)
      guard !changes.isEmpty else {
        return (CommitReceipt(token: nil, outcomes: outcomes), [any FeedListener]())
      }
      let revision = state.current.revision
      state.history.append(
        ChangeSet(
          epoch: 1, revision: revision, time: Platform.wallClockMicroseconds, changes: changes))
      if state.history.count > options.history * 2 { state.forget(keeping: options.history) }
      let receipt = CommitReceipt(token: token(revision), outcomes: outcomes)
      return (receipt, Array(state.listeners.values))
    }
    for listener in listeners { listener.wake() }
    return receipt
  }

  private func check(
    _ operations: [Operation], _ prepared: [PreparedOperation]
  ) throws(StoreError) {
    if operations.count > options.operationLimit {
      throw StoreError(
        .tooLarge,
        "the batch has \(operations.count) operations; the limit is \(options.operationLimit), so "
          + "split it")
    }
    guard options.isPortable else { return }
    var written: Set<ItemKey> = []
    for operation in prepared {
      switch operation {
      case .save(let key, _), .delete(let key), .restore(let key):
        guard written.insert(key).inserted else {
          throw StoreError(
            .invalidBatch,
            "the batch writes \(String(decoding: key.id, as: UTF8.self)) twice, which not every "
              + "engine takes; keep the last, or make two batches")
        }
      case .deleteAll where operations.count > 1:
        throw StoreError(
          .invalidBatch,
          "delete-all stands beside other operations, which not every engine takes; make two "
            + "batches")
      default: break
      }
    }
  }
}

extension MemoryStore.State {
  mutating func forget(keeping count: Int) {
    let dropped = history.count - count
    guard dropped > 0 else { return }
    for commit in history[..<dropped] { base.replay(commit) }
    history.removeFirst(dropped)
  }

  /// The state as of a commit that is kept.
  func state(at revision: Int64) -> MemoryState {
    if revision == current.revision { return current }
    var state = base
    for commit in history {
      if commit.revision > revision { break }
      state.replay(commit)
    }
    return state
  }
}

extension MemoryStore: ContentStore {
  /// As `Options` say.
  public var operationLimit: Int { options.operationLimit }

  /// The last commit; it fails with `closed`.
  public func latest() -> Single<Token, StoreError> {
    Single { [self] () throws(StoreError) in
      token(try withState { state throws(StoreError) in state.current.revision })
    }
  }

  /// Before the oldest commit that is kept; it fails with `closed`.
  public func oldest() -> Single<Token, StoreError> {
    Single { [self] () throws(StoreError) in
      token(try withState { state throws(StoreError) in state.base.revision })
    }
  }

  /// Does a batch, on the subscriber's thread; see `ContentStore`.
  ///
  /// It fails with `tooLarge`, `invalidID`, `invalidBody`, `invalidBatch`, `closed`; then nothing
  /// changed.
  public func apply(_ operations: [Operation]) -> Single<CommitReceipt, StoreError> {
    Single { [self] () throws(StoreError) in try commit(operations) }
  }

  /// One item, or nil; it fails with `closed`.
  public func fetch(id: String, includingDeleted: Bool) -> Single<Record?, StoreError> {
    Single { [self] () throws(StoreError) in
      try withState { state throws(StoreError) in
        let item = state.current.items[ItemKey(Array(id.utf8))]
        return item.flatMap { $0.isDeleted && !includingDeleted ? nil : $0 }
      }
    }
  }

  /// A page, on the subscriber's thread; see `ContentStore`.
  ///
  /// - Complexity: O(n log n), and with a token of an old state O(history).
  public func page(
    _ query: Query, after key: PageKey?, limit: Int, at token: Token?
  ) -> Single<Page, StoreError> {
    Single { [self] () throws(StoreError) in
      var selection = try PageSelection(query, after: key, limit: limit)
      let state = try withState { state throws(StoreError) in
        if let token { try check(token, state) }
        return state.state(at: token?.revision ?? state.current.revision)
      }
      for record in state.list(isReversed: query.order.isDescending) {
        if query.order.by == .insertion, selection.isFull { break }
        selection.add(record)
      }
      return selection.page(self.token(state.revision))
    }
  }

  /// Every commit from a position on; see `ContentStore`.
  public func changes(since start: StartPosition) -> MemoryChangeFlow {
    MemoryChangeFlow(store: self, start: start)
  }

  /// Ends all feeds with `finished`, refuses further operations.
  public func close() {
    let listeners = state.withLock { state in
      state.isClosed = true
      defer { state.listeners = [:] }
      return Array(state.listeners.values)
    }
    for listener in listeners { listener.close(nil) }
  }

  /// Tells whether this store's history holds the token's commit.
  func check(_ token: Token, _ state: State) throws(StoreError) {
    guard token.storeID == storeID else {
      throw StoreError(
        .differentStore,
        "the token belongs to store \(token.storeID), this is \(storeID); read the current state "
          + "and follow from there")
    }
    guard token.epoch == 1, token.revision >= 0, token.revision <= state.current.revision else {
      throw StoreError(
        .diverged,
        "revision \(token.revision) of epoch \(token.epoch) is not in this history; read the "
          + "current state and follow from there")
    }
    if token.revision < state.base.revision {
      throw StoreError(
        .compacted,
        "the changes after revision \(token.revision) are no longer kept, the oldest is "
          + "\(state.base.revision + 1); read the current state and follow from there")
    }
  }
}
