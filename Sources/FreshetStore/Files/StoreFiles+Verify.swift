extension StoreFiles {
  /// Reads a store's files whole and checks everything that can be checked.
  ///
  /// Every line's checksum and form, that no commit and no line of a commit is missing, that each
  /// record replaces what it says, STORE, HEAD, and that HEAD's watermark falls between two commits.
  /// Damage is in the survey and does not end it: it goes on behind the next newline. Nothing is
  /// changed and no lock is taken.
  ///
  /// - Parameters:
  ///   - path: The store's directory.
  ///   - options: The disk, for tests.
  ///   - progress: Called with the bytes read so far and in all, about once per MiB.
  /// - Throws: `notAStore`, `notADirectory`, `notReadable`, `ioError`.
  /// - Complexity: O(bytes of the store) time, O(items) memory.
  public static func verify(
    at path: String, options: StoreOptions = StoreOptions(),
    progress: (_ done: Int64, _ total: Int64) -> Void = { _, _ in }
  ) throws(StoreError) -> StoreSurvey {
    var verification = Verification(folder: try folder(path, options))
    try verification.run(progress)
    return verification.survey
  }
}

/// One run of `verify`.
private struct Verification {
  let folder: StoreFolder
  var survey = StoreSurvey()
  private var head: HeadRecord?
  private var badSlot: HeadRecord.BadSlot?

  init(folder: StoreFolder) { self.folder = folder }

  mutating func run(_ progress: (Int64, Int64) -> Void) throws(StoreError) {
    try describe()
    let segments = try folder.segments()
    guard let first = segments.first else {
      return note(.damage, FileNames.segment(1), "there is no segment of the journal")
    }
    var total: Int64 = 0
    var unusable: Set<Int64> = []
    for segment in segments {
      do throws(StoreError) {
        total += try folder.size(ofSegment: segment)
      } catch {
        // Something else has its name.
        guard error.code == .damaged else { throw error }
        note(.damage, FileNames.segment(segment), error.message)
        unusable.insert(segment)
      }
    }
    var history = HistoryCheck(before: first - 1, isComplete: first == 1)
    var isAfterUnusable = false
    for segment in segments {
      if unusable.contains(segment) {
        isAfterUnusable = true
        continue
      }
      if isAfterUnusable {
        history = HistoryCheck(before: segment - 1, isComplete: false)
        isAfterUnusable = false
      } else if segment != history.revision + 1 {
        let name = FileNames.segment(segment)
        survey.add(
          .init(
            kind: .damage, file: name, offset: 0, revision: history.revision,
            nextRevision: segment,
            message: "the segment before ends with revision \(history.revision), so "
              + "\(FileNames.segment(history.revision + 1)) is missing"))
        history = HistoryCheck(before: segment - 1, isComplete: false)
      }
      try read(segment, isLast: segment == segments.last, &history, total, progress)
    }
    try readSnapshots()
    checkLocks()
    survey.revision = history.revision
    survey.epoch = max(survey.epoch, history.epoch)
    try noteBadSlot(journalEnd: history.revision)
    if let head, let last = segments.last, head.segment > last {
      note(
        .damage, FileNames.segment(head.segment),
        "the segment is missing: HEAD says it holds commits up to \(head.revision)")
    }
    progress(total, total)
  }

  /// The folder as that of the store that STORE names; nil when it does not say.
  private var described: StoreFolder? {
    survey.storeID.map {
      StoreFolder(
        path: folder.path, fileSystem: folder.fileSystem, isReadOnly: true,
        description: StoreDescription(id: $0, created: 0))
    }
  }

  /// Checks each snapshot and its index, and that what the journal lacks is in one.
  private mutating func readSnapshots() throws(StoreError) {
    guard let described else { return }
    let listing = try described.listing()
    var isReadable = listing.segments.first == 1
    for revision in listing.snapshots {
      survey.files += 1
      let name = FileNames.snapshot(revision)
      do throws(Snapshot.Fault) {
        if try !Snapshot.hasSoundIndex(revision, in: described) {
          note(
            .note, FileNames.snapshotIndex(revision),
            "it is missing or does not check; the next writer makes it again")
        }
        let snapshot = try Snapshot.open(revision, in: described)
        survey.bytes += snapshot.footer.offset
        survey.records += Int(try snapshot.checkItems())
        if listing.segments.contains(revision + 1) { isReadable = true }
      } catch {
        switch error {
        case .absent: continue
        case .invalid(let error):
          let isDispensable = listing.base(for: revision, without: [revision]) != nil
          note(
            .damage, name,
            isDispensable
              ? error.messageWithoutAdvice
                + "; an older state and the journal after it have everything, so reads go round it: "
                + "`freshet store compact` writes another" : error.message)
        case .failed(let error): throw error
        }
      }
    }
    if !isReadable {
      note(
        .damage, FileNames.segment(listing.segments.first ?? 1),
        "the journal begins here, and no whole snapshot has what was before")
    }
  }

  /// The files that only writers open have to be files, too.
  private mutating func checkLocks() {
    for name in [FileNames.lock, FileNames.compact] {
      do throws(StoreError) {
        _ = try StoreFiles.contents(name, in: folder, limit: 0)
      } catch {
        // One that may not be read is none of this reader's concern.
        if error.code == .damaged { note(.damage, name, error.message) }
      }
    }
  }

  /// A file's bytes; nil when it is not there, or something else has its name, which is noted.
  private mutating func contents(_ name: String) throws(StoreError) -> [UInt8]? {
    do throws(StoreError) {
      return try StoreFiles.contents(name, in: folder)
    } catch {
      guard error.code == .damaged else { throw error }
      note(.damage, name, error.message)
      return nil
    }
  }

  private mutating func describe() throws(StoreError) {
    if let bytes = try contents(FileNames.store) {
      survey.files += 1
      do throws(StoreDescription.Fault) {
        survey.storeID = try StoreDescription.forReading(bytes).id
      } catch {
        switch error {
        case .notAStore: note(.damage, FileNames.store, "it is no store description")
        case .damaged(let why): note(.damage, FileNames.store, why)
        case .newer(let format, _):
          throw StoreError(
            .newerFormat,
            "the store has format \(format); use a newer version of this program to check it",
            path: folder.path)
        }
      }
    } else if try folder.segments().isEmpty {
      throw StoreError(.notAStore, "\(folder.path) is no store", path: folder.path)
    } else if survey.isSound {
      note(.damage, FileNames.store, "it is missing; restore it from a copy of the store")
    }
    try readHead()
  }

  private mutating func readHead() throws(StoreError) {
    let wasSound = survey.isSound
    guard let bytes = try contents(FileNames.head) else {
      if survey.isSound == wasSound, try folder.status(of: FileNames.head) == nil {
        note(.note, FileNames.head, "it is missing; the next writer makes it again")
      }
      return
    }
    survey.files += 1
    let bits = survey.storeID.flatMap { UInt64($0.suffix(16), radix: 16) }
    guard let bits else { return }
    head = bytes.withUnsafeBytes { HeadRecord.newest(in: $0, storeBits: bits) }
    badSlot = bytes.withUnsafeBytes { HeadRecord.badSlot(in: $0, storeBits: bits) }
    survey.durableRevision = head?.revision
    if head == nil {
      note(.note, FileNames.head, "no slot checks; the next writer makes it again")
    } else if head?.isPoisoned == true {
      note(
        .note, FileNames.head,
        "a disk sync has failed: what is beyond revision \(head?.revision ?? 0) may be lost; open "
          + "the store for writing once the disk is in order")
    }
  }

  /// A slot that does not check costs readers the last commits, until somebody writes.
  private mutating func noteBadSlot(journalEnd: Int64) throws(StoreError) {
    guard let badSlot, let described, badSlot.other.revision <= journalEnd else { return }
    var known = badSlot.other.revision
    var what = "the slot does not check, and the other one stands at revision \(known)"
    let said = try HeadMending(folder: described, bad: badSlot).record()
    if let said, !said.isPoisoned {
      known = said.revision
      survey.durableRevision = known
      what = "the slot does not check; the journal proves that it stood at revision \(known)"
    }
    let rest =
      known == journalEnd
      ? ", the journal's last: nothing is lost, and the next commit writes the slot anew"
      : "; the journal goes on to \(journalEnd): who only reads may stand before that, and call "
        + "tokens after it diverged, until a writer opens the store (`freshet store compact`)"
    survey.add(
      .init(
        kind: .note, file: FileNames.head, offset: badSlot.offset, revision: known,
        message: what + rest))
  }

  private mutating func note(_ kind: StoreSurvey.Finding.Kind, _ file: String, _ message: String) {
    survey.add(
      .init(kind: kind, file: file, offset: 0, revision: survey.revision, message: message))
  }

  private mutating func read(
    _ segment: Int64, isLast: Bool, _ history: inout HistoryCheck, _ total: Int64,
    _ progress: (Int64, Int64) -> Void
  ) throws(StoreError) {
    let name = FileNames.segment(segment)
    let size = try folder.size(ofSegment: segment)
    let watermark = head.flatMap { $0.segment == segment ? $0 : nil }
    var scan = SegmentScan(file: try folder.segment(segment).file, size: size)
    var isMarkFound = watermark?.offset == 0
    // What is wrong, and not yet proven to have been durable.
    var pending: [StoreSurvey.Finding] = []
    var told = survey.bytes
    survey.files += 1
    do throws(SystemError) {
      reading: while true {
        let step = try scan.next()
        let before = history.revision
        switch step {
        case .end: break reading
        case .record:
          guard let line = scan.line else { break }
          survey.records += 1
          // A good line proves what was durable when it was written.
          settle(&pending, provenBefore: line.durableBefore, next: line.revision)
          if let fault = history.add(line, id: scan.id) {
            pending.append(
              .init(
                kind: .unfinished, file: name, offset: scan.offset, revision: before,
                nextRevision: line.revision, message: fault))
          }
          if history.isBetweenCommits, watermark?.offset == scan.place {
            isMarkFound = watermark?.revision == history.revision
          }
        case .bad(let reason):
          survey.badBytes += scan.place - scan.offset
          history.skip()
          pending.append(
            .init(
              kind: .unfinished, file: name, offset: scan.offset, revision: before,
              message: reason))
        case .torn:
          survey.badBytes += size - scan.offset
          history.skip()
          pending.append(
            .init(
              kind: .unfinished, file: name, offset: scan.offset, revision: before,
              message: "the last line has no end"))
          break reading
        }
        if scan.place - told > 1 << 20 {
          told = scan.place
          progress(survey.bytes + scan.place, total)
        }
      }
    } catch {
      throw .reading(folder.path(ofSegment: segment), at: scan.offset, error)
    }
    survey.bytes += size
    survey.commits = history.commits
    if !history.isBetweenCommits {
      pending.append(
        .init(
          kind: .unfinished, file: name, offset: size, revision: history.revision,
          message: "the last commit has no last line"))
    }
    // Nothing after these: a successor, or HEAD, proves that they were durable.
    settle(&pending, provenBefore: isLast ? watermark?.offset ?? 0 : .max, next: nil)
    for finding in pending { survey.add(finding) }
    if let watermark, size < watermark.offset {
      note(.damage, name, "it has \(size) bytes, but \(watermark.offset) were durable")
    } else if let watermark, !isMarkFound {
      survey.add(
        .init(
          kind: .damage, file: name, offset: watermark.offset, revision: history.revision,
          message: "HEAD says that revision \(watermark.revision) ends here, and it does not"))
    }
  }

  /// Decides what is pending: bytes before `provenBefore` were durable, so what is wrong with them
  /// is damage.
  private mutating func settle(
    _ pending: inout [StoreSurvey.Finding], provenBefore: Int64, next: Int64?
  ) {
    if pending.isEmpty { return }
    var rest: [StoreSurvey.Finding] = []
    for var finding in pending {
      if finding.nextRevision == nil { finding.nextRevision = next }
      if finding.offset < provenBefore {
        survey.add(
          .init(
            kind: .damage, file: finding.file, offset: finding.offset, revision: finding.revision,
            nextRevision: finding.nextRevision, message: finding.message))
      } else {
        rest.append(finding)
      }
    }
    pending = rest
  }
}
