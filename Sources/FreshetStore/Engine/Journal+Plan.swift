import Synchronization

/// Where the next append goes, and what stands before it, whoever wrote it.
extension Journal {
  /// Begins a plan after the journal's last whole commit, whoever wrote it.
  ///
  /// Under LOCK.
  func catchUp(isAlone: Bool = false) throws(StoreError) -> (CommitPlan, HeadRecord) {
    if isAlone {
      // HEAD is read again when this commit moves it; until then what it said last is a lower bound.
      let known = state.withLock { $0.head }
      if let plan = try planAfterTail(isAlone: true) { return (plan, known) }
    }
    for _ in 0..<2 {
      if let watermark = try head.read() {
        if watermark.isPoisoned { throw fail(poisonedError()) }
        if let plan = try planOrAdopt() { return (plan, watermark) }
      }
      // A writer died in the middle of an append, or HEAD is gone: recover, as an opener would.
      let recovery = Recovery(folder: folder, head: head, options: options)
      let result = try recovery.run(from: nil)
      state.withLock { state in
        state.log = result.state
        state.head = result.head
      }
      hub.advance(to: result.head)
    }
    throw fail(
      StoreError(.storeFailed, "the journal of \(path) changed while it was recovered", path: path))
  }

  /// The same as `planAfterTail`, where others may have compacted away the segment that this
  /// journal was in.
  private func planOrAdopt() throws(StoreError) -> CommitPlan? {
    do throws(StoreError) {
      return try planAfterTail(isAlone: false)
    } catch {
      let revision = state.withLock { $0.log.revision }
      guard error.code == .damaged, let newest = try folder.listing().snapshots.last,
        newest >= revision
      else { throw error }
      try adoptNewest()
      return try planAfterTail(isAlone: false)
    }
  }

  func keepBuffer(_ bytes: consuming [UInt8]) {
    guard bytes.capacity <= Limits.batchBytes / 4 else { return }
    bytes.removeAll(keepingCapacity: true)
    let kept = bytes
    spare.withLock { $0 = kept }
  }

  /// Nil when the tail is not whole.
  private func planAfterTail(isAlone: Bool) throws(StoreError) -> CommitPlan? {
    let log = state.withLock { state in
      (
        state.log.end, state.log.revision, state.log.epoch, state.log.index.liveCount,
        state.log.tail
      )
    }
    let buffer = spare.withLock { spare in
      defer { spare = [] }
      return spare
    }
    var plan = CommitPlan(
      folder: folder, end: log.0, revision: log.1, epoch: log.2, liveCount: log.3,
      writer: LineWriter(bytes: buffer)
    ) { [self] hash in
      state.withLock { state in
        state.log.index.candidates(hash).all.map {
          ($0.entry, state.log.index.location(of: $0.entry))
        }
      }
    }
    // Nobody has appended since, or begun the next segment.
    var source = try file(log.4, at: plan.end)
    if isAlone, try folder.checkedSize(of: source) == plan.end.offset { return plan }
    while true {
      let size = try source.size
      if size < plan.end.offset { return nil }
      if size > plan.end.offset {
        var reader = CommitReader(
          source, from: plan.end, limit: size, revision: plan.revision, epoch: plan.epoch,
          hash: folder.hash, wantsContents: true, isDurable: false)
        reading: while true {
          switch try reader.next() {
          case .commit: plan.absorb(reader.commit, contents: reader.contents)
          case .end: break reading
          case .bad: return nil
          }
        }
      }
      // Another process may have rolled; appending to the old segment would be lost.
      guard plan.end.segment <= plan.revision, try folder.hasSegment(plan.revision + 1) else {
        _ = try folder.checkedSize(of: source)
        return plan
      }
      plan.continueInNextSegment()
      source = try folder.segment(plan.end.segment)
    }
  }

  /// The segment of a place: the one at hand, also when it has lost its name.
  func file(_ tail: DataFile?, at place: Place) throws(StoreError) -> DataFile {
    if let tail { return tail }
    return try folder.segment(place.segment)
  }

  /// Begins the next segment.
  ///
  /// The old one is durable before the new one has a name, so that a successor proves its
  /// predecessor.
  func roll(_ plan: inout CommitPlan) throws(StoreError) -> HeadRecord {
    try synchronize(try folder.segment(plan.end.segment))
    let next = plan.revision + 1
    // Whoever takes LOCK next must look for it, also when nothing is written into it now.
    state.withLock { $0.mustLook = true }
    do throws(SystemError) {
      try folder.makeSegment(next)
    } catch {
      throw .system(error, doing: "make", path: folder.path(ofSegment: next))
    }
    plan.continueInNextSegment()
    return try publish(plan.end, revision: plan.revision, epoch: plan.epoch)
  }
}
