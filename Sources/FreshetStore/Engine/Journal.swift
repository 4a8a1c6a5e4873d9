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
    /// The slot of HEAD that did not check when this was opened for reading.
    var badSlot: HeadRecord.BadSlot?
    /// The last whole commit that was looked for beyond HEAD.
    var visible: HeadRecord?
    /// Why nothing can be written any more.
    var failure: StoreError?
    var isClosed = false
    var isSyncScheduled = false
    /// False when the last commit went through to its end: whoever holds LOCK again, and nobody in
    /// between, need not look for what others have appended.
    var mustLook = true
    var isMaintenanceScheduled = false
    /// Why the last automatic compaction failed.
    var compactionProblem: String?
    /// Snapshots that turned out to be damaged, while an older state does as well.
    var distrusted: Set<Int64> = []
    var snapshotProblem: SnapshotProblem?
    /// So long must the journal after the newest snapshot be before the next automatic compaction.
    var nextCompaction: Int64 = 0
    /// The bytes that this journal has appended since the snapshot that it stands on.
    var appended: Int64 = 0
    /// Maintenance goes on although the store is closed.
    var finishesMaintenance = false
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
  /// What the last page left for the next.
  let paging = Mutex<Paging?>(nil)
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
    state = Mutex(
      State(
        log: opened.result.state, head: opened.result.head, badSlot: opened.result.badSlot))
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
    let base = try folder.listing().oldestBase ?? 0
    return token(epoch: epoch(at: base), revision: base)
  }

  /// The epoch that a revision belongs to.
  func epoch(at revision: Int64) -> Int64 {
    state.withLock { state in
      let ended = state.log.epochEnds.first { revision <= $0.lastRevision }
      return ended?.epoch ?? state.log.epoch
    }
  }

  /// How far reads and feeds may go; nil when HEAD does not say.
  func horizon() throws(StoreError) -> HeadRecord? {
    let durable = try head.read()
    if let durable {
      state.withLock { state in
        if durable.isAhead(of: state.head) { state.head = durable }
      }
    }
    return options.visibility == .visible ? try visibleEnd(after: durable) : durable
  }

  /// Takes in what other processes have made durable.
  ///
  /// No lock on files (I11).
  func refresh() throws(StoreError) {
    var attempts = 0
    while true {
      do throws(StoreError) {
        return try takeIn()
      } catch {
        // The journal from here on was compacted away: its newest snapshot has it all.
        attempts += 1
        guard error.code == .compacted, attempts < 10 else { throw error }
        try adoptNewest()
      }
    }
  }

  private func takeIn() throws(StoreError) {
    guard let record = try horizon() else { return }  // Recovery rewrites it at the next commit.
    let start = state.withLock { state -> LogCursor? in
      guard record.revision > state.log.revision else { return nil }
      return LogCursor(folder: folder, after: state.log, wantsContents: false)
    }
    guard var cursor = start else { return }
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

  /// Throws when the store is closed and compaction need not come to its end.
  func checkMayCompact() throws(StoreError) {
    if state.withLock({ $0.isClosed && !$0.finishesMaintenance }) { throw .closed(path) }
  }

  /// Ends all feeds, refuses what comes, waits for the commits that have begun.
  ///
  /// - Parameters:
  ///   - tidies: Makes a snapshot when this writer owes one.
  ///   - quickly: Makes only one that is soon made.
  func close(tidies: Bool, quickly: Bool = false) {
    let wasOpen = state.withLock { state in
      if tidies && !state.isClosed {
        state.finishesMaintenance =
          owesSnapshot(state)
          && (!quickly || state.log.index.keptBytes <= 2 * options.compactionBytes)
      }
      defer { state.isClosed = true }
      return !state.isClosed
    }
    guard wasOpen else { return }
    let (committer, idle) = queue.withLock { ($0.committer, $0.idle) }
    // A callback of the commit that closes the store must not wait for itself.
    if committer != Platform.threadID { idle.wait() }
    if lock != nil, case .interval = options.durability { synchronizeLater() }
    hub.close(nil)
    keep(nil)
    // Maintenance looks now and then whether the store is closed, and calls back after it has left.
    maintenance.wait()
    if state.withLock({ $0.finishesMaintenance }) { compactAtEnd() }
  }
}
