import Synchronization

/// Reads everything that a store keeps, and checks it against itself.
struct StoreVerification {
  let journal: Journal
  private var report: VerificationReport
  private var folder: StoreFolder { journal.folder }

  static func run(_ journal: Journal) throws(StoreError) -> VerificationReport {
    try journal.refresh()
    var attempts = 0
    while true {
      var verification = StoreVerification(journal: journal)
      do throws(StoreError) {
        try verification.run()
        return verification.report
      } catch {
        // A compaction has removed what was being read: begin anew.
        attempts += 1
        guard error.code == .compacted, attempts < 10 else { throw error }
      }
    }
  }

  private init(journal: Journal) {
    self.journal = journal
    report = VerificationReport(token: journal.currentToken)
  }

  private mutating func run() throws(StoreError) {
    let current = journal.state.withLock { $0.log }
    let limit = current.watermark
    let listing = try folder.listing()
    guard let oldest = listing.oldestBase else {
      return note(
        StoreError(.damaged, "neither the first segment nor a snapshot is there"), in: "", at: 0)
    }
    report.segmentCount = listing.segments.count { $0 > oldest }
    var snapshots = listing.snapshots.filter { $0 >= oldest && $0 <= current.revision }[...]
    var log: LogState? = oldest == 0 ? LogState() : nil
    while log != nil || !snapshots.isEmpty {
      if let begun = log {
        // Up to the next snapshot, which must be the same state.
        let goal = snapshots.first ?? current.revision
        log = try fold(begun, to: goal, limit)
        if log != nil && snapshots.isEmpty { break }
      }
      guard let revision = snapshots.popFirst() else { break }
      let snapshot = try check(snapshot: revision)
      if let snapshot, let folded = log { try compare(folded, snapshot) }
      // After damage in the journal, what follows is checked from the next snapshot on.
      if log == nil || snapshot != nil { log = snapshot.map { LogState(base: $0) } ?? log }
    }
  }

  private mutating func note(_ error: StoreError, in file: String, at offset: Int64) {
    report.problems.append(
      VerificationReport.Problem(file: file, offset: offset, message: error.message))
  }

  /// Reads the journal up to a revision; nil when it is damaged on the way.
  private mutating func fold(
    _ begun: LogState, to goal: Int64, _ limit: HeadRecord
  ) throws(StoreError) -> LogState? {
    var log = begun
    var cursor = LogCursor(folder: folder, after: log, wantsContents: false)
    do throws(StoreError) {
      while log.revision < goal, try cursor.next(upTo: limit) {
        try log.apply(cursor.commit)
        report.commitCount += 1
        report.recordCount += cursor.commit.lines.count
        for line in cursor.commit.lines { report.bytes += Int64(line.length) }
        if report.commitCount & 0xFFF == 0 { try journal.checkOpen() }
      }
      return log
    } catch {
      guard error.code == .damaged else { throw error }
      note(error, in: FileNames.segment(cursor.place.segment), at: cursor.place.offset)
      return nil
    }
  }

  /// Reads a snapshot and its index; nil when it cannot be used.
  private mutating func check(snapshot revision: Int64) throws(StoreError) -> Snapshot? {
    let name = FileNames.snapshot(revision)
    report.snapshotCount += 1
    do throws(Snapshot.Fault) {
      let isIndexed = try Snapshot.hasSoundIndex(revision, in: folder)
      if !isIndexed {
        note(
          StoreError(
            .damaged,
            "the index is missing or damaged; who next reads from the snapshot makes it again"),
          in: FileNames.snapshotIndex(revision), at: 0)
      }
      let snapshot = try Snapshot.open(revision, in: folder)
      try read(snapshot)
      return snapshot
    } catch {
      switch error {
      case .absent: throw folder.compacted(after: revision, try folder.listing())
      case .invalid(let error):
        note(error, in: name, at: 0)
        return nil
      case .failed(let error): throw error
      }
    }
  }

  private mutating func read(_ snapshot: Snapshot) throws(Snapshot.Fault) {
    var reader = SnapshotReader(snapshot.source, snapshot.header, snapshot.footer)
    var number = 0
    var wrong: Int64?
    do throws(StoreError) {
      while try reader.next({ offset, length, line, item in
        let raw = UnsafeRawBufferPointer(rebasing: line[item.id])
        let hash = item.idHasEscapes ? folder.hash.of(EscapedID.bytes(raw)) : folder.hash.of(raw)
        let found = SnapshotTable.Entry(
          hash: hash, revision: item.revision, offset: offset, length: length,
          isDeleted: item.isDeleted)
        var isFound = false
        snapshot.table.forEachCandidate(hash) { candidate in
          isFound = candidate == number
          return !isFound
        }
        let isRight = number < snapshot.table.count && snapshot.table[number] == found && isFound
        if !isRight { wrong = wrong ?? offset }
        number += 1
      }) {}
    } catch {
      if error.code == .damaged { throw .invalid(error) }
      throw .failed(error)
    }
    report.recordCount += number
    report.bytes += snapshot.footer.offset + Int64(snapshot.footer.encoded.count)
    if let wrong {
      note(
        StoreError(.damaged, "the index does not lead to the item"), in: snapshot.source.name,
        at: wrong)
    }
  }

  /// The state that the journal gives is the one that the snapshot has (I7, I10).
  private mutating func compare(_ log: LogState, _ snapshot: Snapshot) throws(StoreError) {
    let other = Index(base: snapshot)
    var number = 0
    var mine = RecordWindow()
    var theirs = RecordWindow()
    func differs(_ why: String, _ offset: Int64) -> (StoreError, Int64) {
      (StoreError(.damaged, "the journal gives another state: \(why)"), offset)
    }
    var found: (StoreError, Int64)?
    for each in 0..<log.index.count where found == nil {
      let entry = log.index[each]
      if entry.state == .gone { continue }
      guard number < other.count else {
        found = differs("an item is missing at the end", snapshot.footer.offset)
        break
      }
      let copy = other[number]
      number += 1
      guard copy.hash == entry.hash, copy.revision == entry.revision, copy.state == entry.state
      else {
        found = differs("another item or revision stands here", copy.offset)
        break
      }
      let origin = try log.index.origin(of: each, entry)
      let a = try mine.read(log.index.location(of: entry)) { ($0.content.id, $0.content.body) }
      let b = try theirs.read(other.location(of: copy)) {
        ($0.content.id, $0.content.body, $0.origin)
      }
      if a.0 != b.0 || a.1 != b.1 || origin != b.2 {
        found = differs("the item is not the same", copy.offset)
      }
    }
    if found == nil, number < other.count {
      found = differs("an item is too many", other[number].offset)
    }
    if let (error, offset) = found { note(error, in: snapshot.source.name, at: offset) }
  }
}

extension Journal {
  func verify() throws(StoreError) -> VerificationReport { try StoreVerification.run(self) }
}
