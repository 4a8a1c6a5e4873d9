import Synchronization

/// An open store: its state as of the last durable commit, and the way to the next.
///
/// Reads take no file lock. Writes go through one committer per journal, which takes LOCK for the
/// append only and syncs outside it, so that several processes' syncs overlap.
final class Journal: Sendable {
  struct State: Sendable {
    /// Durable commits only; with a relaxed durability also acknowledged ones.
    var log: LogState
    var head: HeadRecord
    /// Why nothing can be written any more.
    var failure: StoreError?
    var isClosed = false
    var isSyncScheduled = false
    /// False when the last commit went through to its end: whoever holds LOCK again, and nobody in
    /// between, need not look for what others have appended.
    var mustLook = true
  }

  struct Queue: Sendable {
    var waiting: [CommitRequest] = []
    /// The thread that commits; nil while nobody does.
    var committer: UInt?
    /// Rounds that must still take one request each before callers commit by themselves again.
    var crowd = 0
    /// Entered while somebody commits.
    let idle = IdleGroup()

    mutating func stop() {
      committer = nil
      idle.leave()
    }
  }

  let options: StoreOptions
  let description: StoreDescription
  let folder: StoreFolder
  let head: HeadFile
  let lock: WriteLock?
  /// What the last recovery cut off, if anything.
  let lostFile: String?
  let state: Mutex<State>
  let queue = Mutex(Queue())
  let worker = SerialWorker(label: "freshet.committer")
  let hub: FeedHub
  /// Compaction, statistics and checks, beside commits and reads.
  let maintenanceWorker = SerialWorker(label: "freshet.maintenance", isUrgent: false)
  /// Entered while maintenance runs.
  let maintenance = IdleGroup()
  /// The last append's buffer, so that the next one need not grow its own.
  let spare = Mutex<[UInt8]>([])

  var path: String { folder.path }

  init(opening path: String, options: StoreOptions) throws(StoreError) {
    let opened = try StoreOpening(path: path, options: options).open()
    self.options = options
    description = opened.description
    folder = opened.folder
    head = opened.head
    lock = opened.lock
    lostFile = opened.result.lostFile
    state = Mutex(State(log: opened.result.state, head: opened.result.head))
    hub = FeedHub(limit: opened.result.head)
  }

  deinit { hub.stopFollowing() }

  func token(epoch: Int64, revision: Int64) -> Token {
    Token(storeID: description.id, epoch: Int(epoch), revision: revision)
  }

  /// The last commit of `log`.
  var currentToken: Token {
    let (epoch, revision) = state.withLock { ($0.log.epoch, $0.log.revision) }
    return token(epoch: epoch, revision: revision)
  }

  /// Before the oldest commit that is kept.
  func oldestToken() throws(StoreError) -> Token {
    let first = try folder.segments().first ?? 1
    return token(epoch: epoch(at: first - 1), revision: first - 1)
  }

  /// The epoch that a revision belongs to.
  func epoch(at revision: Int64) -> Int64 {
    state.withLock { state in
      let ended = state.log.epochEnds.first { revision <= $0.lastRevision }
      return ended?.epoch ?? state.log.epoch
    }
  }

  /// Takes in what other processes have made durable.
  ///
  /// No lock on files.
  func refresh() throws(StoreError) {
    guard let record = try head.read() else { return }  // Recovery rewrites it at the next commit.
    let (end, revision, epoch) = state.withLock { state in
      if record.isAhead(of: state.head) { state.head = record }
      return (state.log.end, state.log.revision, state.log.epoch)
    }
    guard record.revision > revision else { return }
    var cursor = LogCursor(
      folder: folder, from: end, revision: revision, epoch: epoch, wantsContents: false)
    while try cursor.next(upTo: record) {
      let commit = cursor.commit
      let result = state.withLock { state in
        Result { () throws(StoreError) in try state.log.apply(commit) }
      }
      try result.get()
    }
  }

  func checkOpen() throws(StoreError) {
    if state.withLock({ $0.isClosed }) { throw .closed(path) }
  }

  /// Ends all feeds, refuses what comes, waits for the commits that have begun.
  func close() {
    let wasOpen = state.withLock { state in
      defer { state.isClosed = true }
      return !state.isClosed
    }
    guard wasOpen else { return }
    let (committer, idle) = queue.withLock { ($0.committer, $0.idle) }
    // A callback of the commit that closes the store must not wait for itself.
    if committer != Platform.threadID { idle.wait() }
    // Maintenance looks now and then whether the store is closed, and calls back after it has left.
    maintenance.wait()
    if lock != nil, case .interval = options.durability { synchronizeLater() }
    hub.close(nil)
  }
}
