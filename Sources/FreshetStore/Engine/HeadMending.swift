import Synchronization

/// What a slot of HEAD said that no longer checks, as far as the journal proves it.
///
/// The slots take turns, so the one beside a record of sequence s said what came just before or just
/// after that. When it came after, it named the end of a commit of the journal: each end is tried,
/// and that of which the slot's remaining bytes are a record is what it said. It was written after
/// that commit was durable, so nothing is believed here that HEAD did not say (I2).
///
/// Bytes of the journal alone prove less: the `b` of the last commit is the durable end before it.
struct HeadMending {
  let folder: StoreFolder
  let bad: HeadRecord.BadSlot

  /// What the bad slot said; nil when that cannot be told, or was no news.
  func record() throws(StoreError) -> HeadRecord? {
    var candidate = bad.other
    candidate.sequence += 1
    candidate.isPoisoned = true
    if isIt(candidate) { return candidate }
    candidate.isPoisoned = false
    while try folder.hasSegment(candidate.segment) {
      let source = try folder.segment(candidate.segment)
      var reader = CommitReader(
        source, from: Place(segment: candidate.segment, offset: candidate.offset),
        limit: try source.size, revision: candidate.revision, epoch: candidate.epoch,
        hash: folder.hash, isDurable: false)
      while case .commit = try reader.next() {
        candidate.offset = reader.commit.end.offset
        candidate.revision = reader.revision
        candidate.epoch = reader.epoch
        if isIt(candidate) { return candidate }
      }
      guard candidate.segment <= candidate.revision else { return nil }
      candidate.segment = candidate.revision + 1
      candidate.offset = 0
      if isIt(candidate) { return candidate }
    }
    return nil
  }

  private func isIt(_ candidate: HeadRecord) -> Bool {
    candidate.isRecord(of: bad, storeBits: folder.storeBits)
  }
}

extension Journal {
  /// Looks whether both slots of HEAD check.
  func problemOfHead() throws(StoreError) -> HeadProblem? {
    guard let bad = try head.look().bad else { return nil }
    return try problem(of: bad)
  }

  /// The same, as opening for reading found it.
  func problemOfHeadAtOpening() throws(StoreError) -> HeadProblem? {
    guard let bad = state.withLock({ $0.badSlot }) else { return nil }
    return try problem(of: bad)
  }

  private func problem(of bad: HeadRecord.BadSlot) throws(StoreError) -> HeadProblem {
    let revision = state.withLock { max($0.log.revision, $0.head.revision) }
    let mended = revision > bad.other.revision
    let last = mended ? revision : try lastWhole(after: bad.other)
    let place = "\(head.path): the slot at byte \(bad.offset) does not check"
    if mended {
      return HeadProblem(
        message: "\(place); the journal proves that it stood at revision \(revision)",
        isDispensable: true)
    }
    if last == bad.other.revision {
      return HeadProblem(
        message: "\(place); the other one stands at revision \(last), the journal's last",
        isDispensable: true)
    }
    return HeadProblem(
      message: "\(place); the other one stands at revision \(bad.other.revision), and the journal "
        + "goes on to \(last)", isDispensable: false)
  }

  private func lastWhole(after known: HeadRecord) throws(StoreError) -> Int64 {
    let source = try folder.segment(known.segment)
    var reader = CommitReader(
      source, from: Place(segment: known.segment, offset: known.offset), limit: try source.size,
      revision: known.revision, epoch: known.epoch, hash: folder.hash, isDurable: false)
    while case .commit = try reader.next() {}
    return reader.revision
  }
}
