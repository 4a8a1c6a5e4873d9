/// Brings a journal to a state that can be appended to, or refuses.
///
/// The rule: the journal stops making sense at byte B of the last segment. If HEAD says that bytes
/// beyond B were durable, or any later line that checks says so in its `b`, then durable bytes were
/// damaged: refuse, and change nothing. Otherwise B is where the last, never acknowledged append
/// was torn: keep a copy of the rest in lost+…, cut it off, go on (I6). A read error is never damage.
///
/// Whoever runs it to write holds LOCK.
struct Recovery {
  let folder: StoreFolder
  let head: HeadFile
  let options: StoreOptions

  /// What recovery found and did.
  struct Result {
    var state: LogState
    var head: HeadRecord
    /// The file with the bytes that were cut off.
    var lostFile: String?
    /// The slot of HEAD that a reader found not to check.
    var badSlot: HeadRecord.BadSlot?
  }

  /// Folds what HEAD proves, without a lock.
  ///
  /// It spares the time under LOCK when a store is opened.
  func prescan() throws(StoreError) -> LogState? { try fold()?.state }

  private func fold() throws(StoreError) -> (state: LogState, badSlot: HeadRecord.BadSlot?)? {
    try withStableBase { base, listing throws(StoreError) in
      let (known, badSlot) = try watermark()
      guard let watermark = known, !watermark.isPoisoned,
        listing.segments.contains(watermark.segment)
      else { return nil }
      var state = LogState(base: base)
      // A snapshot proves more than a HEAD that a power loss has thrown back.
      guard watermark.segment >= state.end.segment else { return nil }
      let bad = try scan(
        &state, segments: listing.segments.filter { $0 <= watermark.segment },
        watermark: watermark, limit: watermark.offset)
      if let bad { throw try refusal(bad, last: listing.segments.last, proof: "HEAD") }
      return (state, badSlot)
    }
  }

  /// Folds what may be believed without a lock and without changing anything.
  func readOnly() throws(StoreError) -> Result {
    if let (state, badSlot) = try fold() {
      return Result(state: state, head: state.watermark, badSlot: badSlot)
    }
    return try withStableBase { base, listing throws(StoreError) in
      let last = try lastSegment(of: listing, after: base)
      // Without a watermark, or with a poisoned one, only whole commits up to it are believed.
      let (watermark, badSlot) = try watermark()
      if let watermark { try checkPresence(watermark, last: last) }
      var state = LogState(base: base)
      let size = try folder.segment(last).size
      let durable = watermark?.segment == last ? watermark?.offset ?? 0 : 0
      let limit = watermark == nil ? size : min(size, durable)
      let bad = try scan(
        &state, segments: listing.segments, watermark: watermark, limit: limit)
      if let bad { try prove(bad, last: last, size: size, durable: durable) }
      return Result(state: state, head: state.watermark, badSlot: badSlot)
    }
  }

  /// What HEAD says; for a reader, who cannot write it anew, also what a damaged slot of it said.
  private func watermark() throws(StoreError) -> (record: HeadRecord?, bad: HeadRecord.BadSlot?) {
    guard folder.isReadOnly else { return (try head.read(), nil) }
    let (known, bad) = try head.look()
    guard let bad else { return (known, nil) }
    return (try HeadMending(folder: folder, bad: bad).record() ?? known, bad)
  }

  /// Recovers, from a state that is known to be good or from the newest snapshot.
  func run(from known: LogState?) throws(StoreError) -> Result {
    let watermark = try head.read()
    let listing = try folder.listing()
    let base = known == nil ? try newestBase(listing) : known?.index.base
    let segments = listing.segments
    let last = try lastSegment(of: listing, after: base)
    if let watermark { try checkPresence(watermark, last: last) }
    var state = known ?? LogState(base: base)
    let source = try folder.segment(last)
    var limit = try source.size
    let size = limit
    let durable = watermark?.segment == last ? watermark?.offset ?? 0 : 0
    if size < durable {
      throw StoreError(
        .damaged,
        "\(FileNames.segment(last)) has \(size) bytes, but \(durable) were durable; "
          + StoreError.damageAdvice, path: folder.path(ofSegment: last))
    }
    // After a failed sync the bytes beyond the watermark may look right and be lost.
    if watermark?.isPoisoned == true { limit = durable }
    let bad = try scan(&state, segments: segments, watermark: watermark, limit: limit)
    if let bad { try prove(bad, last: last, size: size, durable: durable) }

    var lostFile: String?
    if state.end.segment == last && state.end.offset < size {
      lostFile = try cut(state, size: size)
    }
    return try publish(state, over: watermark, durable: durable, lostFile: lostFile)
  }

  // MARK: Where to begin

  /// The newest snapshot that is whole; nil when the journal begins with its first commit.
  ///
  /// A snapshot that is not whole was damaged after it got its name. An older one does as well,
  /// where the journal after it is kept: the fold is the same (I7).
  private func newestBase(_ listing: StoreFolder.Listing) throws(StoreError) -> Snapshot? {
    var problem: StoreError?
    for revision in listing.snapshots.reversed() where revision >= listing.oldestBase ?? 0 {
      do throws(Snapshot.Fault) {
        return try Snapshot.open(revision, in: folder)
      } catch {
        switch error {
        case .absent: continue
        case .invalid(let error): problem = problem ?? error
        case .failed(let error): throw error
        }
      }
    }
    if listing.segments.first == 1 || listing.segments.isEmpty { return nil }
    let first = FileNames.segment(listing.segments[0])
    throw problem
      ?? StoreError(
        .damaged,
        "the journal of \(folder.path) begins with \(first), and there is no snapshot of what was "
          + "before; restore it from a copy of the store", path: folder.path)
  }

  /// Looks for a base without a lock: a compaction may replace it meanwhile, then it looks again.
  private func withStableBase<R>(
    _ work: (Snapshot?, StoreFolder.Listing) throws(StoreError) -> R
  ) throws(StoreError) -> R {
    var attempts = 0
    while true {
      let listing = try folder.listing()
      do throws(StoreError) {
        return try work(try newestBase(listing), listing)
      } catch {
        attempts += 1
        let now = try folder.listing()
        let hasMoved = now.snapshots != listing.snapshots || now.segments != listing.segments
        guard error.code == .damaged, hasMoved, attempts < 100 else { throw error }
      }
    }
  }

  /// The segment that is appended to; throws when the first one after the base is missing.
  private func lastSegment(
    of listing: StoreFolder.Listing, after base: Snapshot?
  ) throws(StoreError) -> Int64 {
    let first = (base?.revision ?? 0) + 1
    guard let last = listing.segments.last, listing.segments.contains(first) else {
      throw StoreError(
        .damaged,
        "the segment \(FileNames.segment(first)) of \(folder.path) is missing; restore it from a "
          + "copy of the store", path: folder.path(ofSegment: first))
    }
    return last
  }

  /// Throws when the segment that HEAD is in is missing.
  private func checkPresence(_ watermark: HeadRecord, last: Int64) throws(StoreError) {
    guard watermark.segment > last else { return }
    throw StoreError(
      .damaged,
      "the segment \(FileNames.segment(watermark.segment)) is missing: HEAD says it "
        + "holds commits up to \(watermark.revision); restore it from a copy of the store",
      path: folder.path(ofSegment: watermark.segment))
  }

  /// A bad spot and the segment it is in.
  private struct Bad {
    var segment: Int64
    var spot: CommitReader.BadSpot
    var revision: Int64
  }

  private func scan(
    _ state: inout LogState, segments: [Int64], watermark: HeadRecord?, limit: Int64
  ) throws(StoreError) -> Bad? {
    for segment in segments where segment >= state.end.segment {
      let isLast = segment == segments.last
      let source = try folder.segment(segment)
      if segment != state.end.segment {
        guard segment == state.revision + 1 else {
          throw StoreError(
            .damaged,
            "\(FileNames.segment(state.revision + 1)) is missing: the segment before ends "
              + "with revision \(state.revision), the next one there is "
              + "\(FileNames.segment(segment)); restore it from a copy of the store",
            path: folder.path(ofSegment: state.revision + 1))
        }
        state.end = Place(segment: segment, offset: 0)
      }
      state.tail = source
      let end = isLast ? limit : try source.size
      var reader = CommitReader(
        source, from: state.end, limit: end, revision: state.revision, epoch: state.epoch,
        hash: folder.hash)
      var mark = watermark.flatMap { $0.segment == segment ? $0 : nil }
      if let found = mark, found.offset < state.end.offset { mark = nil }
      var isAtEnd = false
      while !isAtEnd {
        if let found = mark, found.offset <= state.end.offset {
          try check(found, against: state)
          mark = nil
        }
        switch try reader.next() {
        case .commit: try state.apply(reader.commit)
        case .end: isAtEnd = true
        case .bad(let spot):
          return Bad(segment: segment, spot: spot, revision: state.revision)
        }
      }
    }
    return nil
  }

  /// HEAD's watermark lies between two commits, and its revision is the one before.
  private func check(_ watermark: HeadRecord, against state: LogState) throws(StoreError) {
    if watermark.offset == state.end.offset && watermark.revision == state.revision { return }
    throw StoreError(
      .damaged,
      "HEAD says that revision \(watermark.revision) ends at byte \(watermark.offset) of "
        + "\(FileNames.segment(watermark.segment)), but revision \(state.revision) ends at byte "
        + "\(state.end.offset); " + StoreError.damageAdvice,
      path: folder.path(ofSegment: watermark.segment))
  }

  /// Throws when anything proves that bytes beyond the bad spot were durable.
  private func prove(_ bad: Bad, last: Int64, size: Int64, durable: Int64) throws(StoreError) {
    if bad.segment != last { throw try refusal(bad, last: last, proof: "its successor") }
    if durable > bad.spot.start { throw try refusal(bad, last: last, proof: "HEAD") }
    let later = try laterLine(bad, size: size) { $0.durableBefore > bad.spot.start }
    if let later {
      throw try refusal(bad, last: last, proof: "the record of revision \(later.revision)")
    }
  }

  private func refusal(_ bad: Bad, last: Int64?, proof: String) throws(StoreError) -> StoreError {
    let name = FileNames.segment(bad.segment)
    let size = try folder.segment(bad.segment).size
    let next = try laterLine(bad, size: size) { $0.revision > bad.revision }
    let after = next.map { "the next readable record is of revision \($0.revision)" }
    return StoreError(
      .damaged,
      "\(name) is damaged at byte \(bad.spot.line), after revision \(bad.revision): "
        + "\(bad.spot.reason); \(after ?? "no readable record follows in it"); \(proof) shows that "
        + "these bytes were durable; " + StoreError.damageAdvice,
      path: folder.path(of: name))
  }

  /// The first line after the bad one that checks and fits.
  private func laterLine(
    _ bad: Bad, size: Int64, where fits: (RecordLine) -> Bool
  ) throws(StoreError) -> RecordLine? {
    var reader = LineReader(
      file: try folder.segment(bad.segment).file, offset: bad.spot.line, limit: size)
    do throws(SystemError) {
      while true {
        switch try reader.next() {
        case .end: return nil
        case .torn:
          if !(try reader.skipTornLine()) { return nil }
        case .line(let range):
          let line = reader.buffer.withUnsafeBytes { bytes -> RecordLine? in
            let text = UnsafeRawBufferPointer(rebasing: bytes[range])
            // A line that does not check proves nothing, whatever is wrong with it.
            return try? RecordLine(text)
          }
          if let line, fits(line) { return line }
        }
      }
    } catch {
      throw .reading(folder.path(ofSegment: bad.segment), at: reader.offset, error)
    }
  }

  /// Moves the bytes after the last whole commit into a file of their own.
  private func cut(_ state: LogState, size: Int64) throws(StoreError) -> String {
    let data = try folder.segment(state.end.segment)
    let source = data.file
    let fileSystem = folder.fileSystem
    let time = options.now()
    var attempt = 0
    var path = ""
    do throws(SystemError) {
      var copy: (any File)?
      while copy == nil {
        path = folder.path(
          of: FileNames.lost(after: state.revision, time: time, attempt: attempt))
        do throws(SystemError) {
          copy = try fileSystem.open(path, .createNew)
        } catch {
          guard error.isPresentAlready else { throw error }
          attempt += 1
        }
      }
      var at = state.end.offset
      while at < size, let copy {
        let bytes = try source.bytes(at: at, count: Int(min(1 << 20, size - at)))
        if bytes.isEmpty { break }
        try copy.writeFully(bytes, at: at - state.end.offset)
        at += Int64(bytes.count)
      }
      try copy?.synchronize()
      try fileSystem.synchronizeDirectory(folder.path)
      data.waypoints.forget(after: state.end.offset)
      // Synced by `publish`, before anything rests on it.
      try source.truncate(to: state.end.offset)
    } catch {
      throw .system(error, doing: "move the torn end of the journal to", path: path)
    }
    return path
  }

  /// Makes the tail durable and says so in HEAD; begins a new epoch when commits that are gone may
  /// have been seen (I3).
  private func publish(
    _ recovered: LogState, over watermark: HeadRecord?, durable: Int64, lostFile: String?
  ) throws(StoreError) -> Result {
    var state = recovered
    let isRelaxed = options.durability != .everyCommit
    let mayHaveBeenSeen = watermark.map { $0.isRelaxed || $0.isPoisoned } ?? true
    let boot = options.boot()
    // What was answered before it was durable may be gone without a trace when the system went
    // down meanwhile.
    let hasRestarted =
      watermark.map { $0.isRelaxed && $0.boot != 0 && boot != 0 && $0.boot != boot } ?? false
    try writeAgain(from: durable, to: state.end)
    if hasRestarted || lostFile != nil && (mayHaveBeenSeen || isRelaxed) { try beginEpoch(&state) }
    let place = Place(segment: watermark?.segment ?? 0, offset: watermark?.offset ?? 0)
    if let watermark, lostFile == nil, !watermark.isPoisoned, place == state.end,
      !hasRestarted, !isRelaxed || watermark.isRelaxed && watermark.boot == boot
    {
      // Whoever wrote this may have ended before the disk had it: the cut of a failed append, or
      // a HEAD that says the first time that it is relaxed, or no longer that it is poisoned.
      try synchronize(state.end.segment)
      try head.synchronize()
      return Result(state: state, head: watermark, lostFile: nil)
    }
    do throws(SystemError) {
      try folder.fileSystem.synchronizeDirectory(folder.path)
    } catch {
      throw .system(error, doing: "sync", path: folder.path)
    }
    try synchronize(state.end.segment)
    let record = HeadRecord(
      sequence: watermark?.sequence ?? 0, epoch: state.epoch, segment: state.end.segment,
      offset: state.end.offset, revision: state.revision,
      isRelaxed: isRelaxed || watermark?.isRelaxed == true && !hasRestarted, boot: boot)
    let isPoisoned = watermark?.isPoisoned == true
    guard let published = try head.reset(record, overPoison: isPoisoned) else {
      return try run(from: nil)
    }
    return Result(state: state, head: published, lostFile: lostFile)
  }

  private func synchronize(_ segment: Int64) throws(StoreError) {
    let file = try folder.segment(segment).file
    do throws(SystemError) {
      try file.synchronizeData()
    } catch {
      throw StoreError(
        .durabilityUnknown, "the disk did not confirm the journal's last bytes: \(error)",
        path: folder.path(ofSegment: segment), cause: error)
    }
  }

  /// Makes the pages beyond the watermark dirty once more.
  ///
  /// A process may have ended between a sync that failed and the word of it in HEAD. The system
  /// then takes the pages for clean, and the next sync would confirm what was never written.
  private func writeAgain(from durable: Int64, to end: Place) throws(StoreError) {
    let file = try folder.segment(end.segment).file
    var at = durable
    do throws(SystemError) {
      while at < end.offset {
        let bytes = try file.bytes(at: at, count: Int(min(1 << 20, end.offset - at)))
        if bytes.isEmpty { return }
        try file.writeFully(bytes, at: at)
        at += Int64(bytes.count)
      }
    } catch {
      throw .system(error, doing: "write", path: folder.path(ofSegment: end.segment))
    }
  }

  private func beginEpoch(_ state: inout LogState) throws(StoreError) {
    let revision = state.revision + Limits.epochGap
    var writer = LineWriter()
    let length = writer.append(
      LineWriter.Line(kind: .epoch, epoch: state.epoch + 1), revision: revision,
      durableBefore: state.end.offset, index: 1, count: 1, time: options.now())
    let source = try folder.segment(state.end.segment)
    do throws(SystemError) {
      try source.file.writeFully(writer.bytes, at: state.end.offset)
    } catch {
      throw .system(error, doing: "write", path: folder.path(ofSegment: state.end.segment))
    }
    let end = Place(segment: state.end.segment, offset: state.end.offset + Int64(length))
    let line = LogLine(
      kind: .epoch, hash: 0, replaces: 0, index: 1, offset: state.end.offset, length: length)
    try state.apply(
      LogCommit(
        revision: revision, epoch: state.epoch + 1, lines: [line], source: source, end: end))
  }
}
