import Synchronization

/// Writes a snapshot of a store and removes what is older than anybody needs.
///
/// Commits, reads and feeds go on: the write lock is held twice for a moment, to end the segment
/// that the snapshot is of, and to decide what goes. Whatever interrupts it, the store is whole:
/// files get their names when they are complete and durable, and lose them when they are no longer
/// needed (I10).
struct Compaction {
  let journal: Journal
  /// Its own open file, so that it excludes this process's commits like those of another.
  let lock: WriteLock
  let isErasing: Bool

  private var folder: StoreFolder { journal.folder }
  private var options: StoreOptions { journal.options }

  init(_ journal: Journal, isErasing: Bool = true) throws(StoreError) {
    self.journal = journal
    self.isErasing = isErasing
    guard journal.lock != nil else {
      throw StoreError(
        .notWritable, "the store \(journal.path) was opened read-only", path: journal.path)
    }
    let path = journal.folder.path(of: FileNames.lock)
    do throws(SystemError) {
      lock = try WriteLock(
        path: path, file: journal.folder.fileSystem.open(path, .update),
        fileSystem: journal.folder.fileSystem, timeout: journal.options.lockTimeout,
        openedAt: journal.options.now())
    } catch {
      throw .opening(path, error, fallback: .notWritable, on: journal.folder.fileSystem)
    }
  }

  /// Does it all, when nobody else does.
  func run(
    progress: (_ done: Int64, _ total: Int64) -> Void = { _, _ in }
  ) throws(StoreError) -> CompactionReport {
    try claiming { () throws(StoreError) in
      let clock = ContinuousClock()
      let start = clock.now
      let before = try folder.bytes()
      let (sealed, erased) = try seal()
      let snapshot = try write(sealed, progress)
      let oldest = try Retention(journal: journal, lock: lock).apply(now: sealed.commits)
      adopt(snapshot)
      return CompactionReport(
        token: journal.token(epoch: sealed.epoch, revision: sealed.revision),
        oldest: journal.token(epoch: journal.epoch(at: oldest), revision: oldest),
        liveCount: sealed.index.liveCount, deletedCount: Int(snapshot?.footer.deleted ?? 0),
        erasedCount: erased, bytesBefore: before, bytesAfter: try folder.bytes(),
        duration: clock.now - start)
    }
  }

  /// Lets the journal stand on the snapshot.
  ///
  /// When that fails, it stands where it stood, which is as good.
  private func adopt(_ snapshot: Snapshot?) {
    do throws(Snapshot.Fault) { try journal.adopt(snapshot) } catch { return }
  }

  /// Removes only what has grown too old to keep.
  func prune() throws(StoreError) {
    try claiming { () throws(StoreError) in
      _ = try Retention(journal: journal, lock: lock).apply(
        now: journal.state.withLock { $0.log.commits })
    }
  }

  /// One compaction at a time, whichever process runs it; the kernel ends a claim with its process.
  private func claiming<R>(_ work: () throws(StoreError) -> R) throws(StoreError) -> R {
    let path = folder.path(of: FileNames.compact)
    let claim: any File
    let isMine: Bool
    do throws(SystemError) {
      claim = try folder.fileSystem.open(path, .create)
      isMine = try claim.lock(wait: false)
    } catch {
      throw .system(error, doing: "lock", path: path)
    }
    guard isMine else {
      throw StoreError(
        .locked, "the store \(journal.path) is being compacted already; wait for that to end",
        path: path)
    }
    defer { claim.unlock() }
    return try work()
  }

  // MARK: The moment

  /// Ends the active segment, so that everything up to its last commit is immutable; returns the
  /// state as of that commit.
  private func seal() throws(StoreError) -> (state: LogState, erased: Int) {
    _ = try lock.acquire()
    var isHeld = true
    defer { if isHeld { lock.release() } }
    if let failure = journal.state.withLock({ $0.failure }) { throw failure }
    var (plan, watermark) = try journal.catchUp()
    // Nobody appends while LOCK is held, so this is at most what the plan has caught up with.
    var log = journal.state.withLock { $0.log }
    for commit in plan.commits { try log.apply(commit) }
    try checkKnown(log)
    let known = plan.commits.count
    var erased = 0
    if isErasing, let limit = try eraseLimit(log) {
      erased = log.index.deletedCount(upTo: limit)
      if erased > 0 {
        let start = plan.end
        try plan.addErase(
          upTo: limit,
          durableBefore: watermark.segment == start.segment ? watermark.offset : 0,
          time: options.now())
        try journal.write(plan.writer.bytes, at: start)
      }
    }
    for commit in plan.commits[known...] { try log.apply(commit) }
    if plan.end.offset > 0 {
      watermark = try journal.roll(&plan)
    } else if watermark.segment < plan.end.segment {
      // Whoever made this segment may not have come to make its name durable; with a snapshot that
      // is, and without it, nothing could be opened.
      try journal.synchronizeNames()
    }
    isHeld = false
    lock.release()
    try journal.settle(plan)
    journal.hub.advance(to: watermark)
    return (log, erased)
  }

  /// A line of a newer kind may say what a snapshot must hold: a version that does not know it must
  /// not fold it away.
  private func checkKnown(_ log: LogState) throws(StoreError) {
    guard log.unknownLines > 0 else { return }
    throw StoreError(
      .newerFormat,
      "the journal of \(journal.path) holds \(log.unknownLines) records of a newer version of this "
        + "program; use that version to compact it", path: journal.path)
  }

  /// The last revision whose deletes may become final: long enough ago, by a snapshot's clock, and
  /// no longer in the journal that followers can ask for.
  private func eraseLimit(_ log: LogState) throws(StoreError) -> Int64? {
    guard let keep = options.retention.deleted, let header = log.index.base?.header else {
      return nil
    }
    let deadline = options.now() - keep.microseconds
    let marks = header.marks + [SnapshotHeader.Mark(revision: header.revision, time: header.time)]
    let oldest = try folder.listing().oldestBase ?? 0
    return marks.last { $0.time <= deadline && $0.revision <= oldest }?.revision
  }

  // MARK: The copy

  /// Writes the snapshot; nil for a store without commits.
  private func write(
    _ log: LogState, _ progress: (Int64, Int64) -> Void
  ) throws(StoreError) -> Snapshot? {
    if log.revision == 0 { return nil }
    if let base = log.index.base, base.revision == log.revision {
      // Whoever compacts wants a whole snapshot: one that is not is written anew, where it can be.
      if let problem = try journal.problem(ofSnapshot: base.revision) { throw problem }
      return base
    }
    try checkSpace(for: log)
    let marks = log.index.base.map { base in
      base.header.marks
        + [SnapshotHeader.Mark(revision: base.header.revision, time: base.header.time)]
    }
    let header = SnapshotHeader(
      revision: log.revision, epoch: log.epoch, storeID: folder.storeID, time: options.now(),
      commits: log.commits, epochEnds: log.epochEnds,
      marks: Compaction.thinned(marks ?? [], limit: SnapshotHeader.marksLimit))
    var writer = try SnapshotWriter(header, expecting: log.index.count, in: folder)
    do throws(StoreError) {
      try copy(log.index, to: &writer, progress)
      try writer.finish()
    } catch {
      writer.discard()
      throw error
    }
    do throws(Snapshot.Fault) {
      let snapshot = try Snapshot.open(log.revision, in: folder)
      journal.trust(log.revision)
      return snapshot
    } catch {
      switch error {
      case .absent:
        throw StoreError(
          .ioError, "the snapshot \(log.revision) of \(journal.path) is gone again",
          path: journal.path)
      case .invalid(let error), .failed(let error): throw error
      }
    }
  }

  private func copy(
    _ index: Index, to writer: inout SnapshotWriter, _ progress: (Int64, Int64) -> Void
  ) throws(StoreError) {
    var window = RecordWindow()
    for number in 0..<index.count {
      let entry = index[number]
      if entry.state == .gone { continue }
      let known = try index.knownOrigin(of: number, entry)
      try window.read(index.location(of: entry)) { record in
        writer.append(
          record, revision: entry.revision,
          origin: known ?? record.origin ?? Origin(created: entry.revision, index: 1),
          isDeleted: entry.state == .deleted, hash: entry.hash)
      }
      try writer.flush()
      if number & 0xFFF == 0 {
        try journal.checkMayCompact()
        progress(Int64(number), Int64(index.count))
      }
    }
  }

  private func checkSpace(for log: LogState) throws(StoreError) {
    let needed =
      log.index.keptBytes + Int64(SnapshotTable.fileBytes(for: log.index.count)) + 1 << 20
    let free: Int64?
    do throws(SystemError) {
      free = try folder.fileSystem.freeBytes(at: folder.path)
    } catch {
      throw .system(error, doing: "look for free space at", path: folder.path)
    }
    guard let free, free < needed else { return }
    throw StoreError(
      .diskFull,
      "compaction of \(journal.path) needs \(needed) bytes beside the store, and \(free) are free; "
        + "make room, then try again", path: journal.path)
  }

  /// Leaves out every other one of the older half, so that many years fit.
  static func thinned(
    _ marks: [SnapshotHeader.Mark], limit: Int
  ) -> [SnapshotHeader.Mark] {
    guard marks.count > limit else { return marks }
    let half = marks.count / 2
    let older = marks[..<half].enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
    return older + marks[half...]
  }
}

extension Duration {
  var microseconds: Int64 {
    let (seconds, attoseconds) = components
    let (whole, isHuge) = seconds.multipliedReportingOverflow(by: 1_000_000)
    return isHuge ? (seconds < 0 ? .min / 2 : .max / 2) : whole + attoseconds / 1_000_000_000_000
  }
}
