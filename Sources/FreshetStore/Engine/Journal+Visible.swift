import Synchronization

/// Reading what is not durable yet, with `StoreOptions.Visibility.visible`: a recovery, or a writer
/// whose append failed, may take back what was read.
extension Journal {
  /// The end of the last commit that is whole, durable or not.
  func visibleEnd(after durable: HeadRecord?) throws(StoreError) -> HeadRecord {
    if try hasBeenTakenBack(durable) { try readAgain() }
    let (known, seen) = state.withLock { ($0.log.watermark, $0.visible) }
    var end = known
    for other in [durable, seen] {
      if let other, other.isAhead(of: end) { end = other }
    }
    while true {
      let source = try folder.segment(end.segment)
      let size = try source.size
      if size > end.offset {
        var reader = CommitReader(
          source, from: Place(segment: end.segment, offset: end.offset), limit: size,
          revision: end.revision, epoch: end.epoch, hash: folder.hash, isDurable: false)
        while case .commit = try reader.next() {
          end.offset = reader.commit.end.offset
          end.revision = reader.revision
          end.epoch = reader.epoch
        }
      }
      guard end.segment <= end.revision, try folder.hasSegment(end.revision + 1) else { break }
      end.segment = end.revision + 1
      end.offset = 0
    }
    let found = end
    state.withLock { $0.visible = found }
    return found
  }

  /// True when the journal is shorter than it was, or a new epoch has begun: then what is known of
  /// it may be of commits that are gone.
  private func hasBeenTakenBack(_ durable: HeadRecord?) throws(StoreError) -> Bool {
    let known = state.withLock { state in
      guard let seen = state.visible, seen.isAhead(of: state.log.watermark) else {
        return state.log.watermark
      }
      return seen
    }
    if let durable, durable.epoch > known.epoch { return true }
    return try size(ofKept: known.segment).map { $0 < known.offset } ?? false
  }

  /// The size of a segment; nil when compaction has removed it.
  private func size(ofKept segment: Int64) throws(StoreError) -> Int64? {
    do throws(StoreError) {
      return try folder.segment(segment).size
    } catch {
      if (error.cause as? SystemError)?.isAbsent == true { return nil }
      throw error
    }
  }

  /// Reads the journal anew, as if the store had just been opened.
  private func readAgain() throws(StoreError) {
    let result = try Recovery(folder: folder, head: head, options: options).readOnly()
    let old = state.withLock { state in
      defer {
        state.log = result.state
        state.head = result.head
        state.badSlot = result.badSlot
        state.visible = nil
      }
      return state.log
    }
    withExtendedLifetime(old) {}
  }

  /// The next step of a feed that has read up to there; `diverged` when that is gone.
  func followingVisible<R>(
    _ read: HeadRecord, _ step: () throws(StoreError) -> R
  ) throws(StoreError) -> R {
    guard options.visibility == .visible else { return try step() }
    let token = token(epoch: read.epoch, revision: read.revision)
    if let size = try size(ofKept: read.segment), size < read.offset { throw takenBack(token) }
    if hub.limit.epoch > read.epoch {
      try refresh()
      try check(token)
    }
    do throws(StoreError) {
      return try step()
    } catch {
      guard error.code == .damaged else { throw error }
      // The same bytes read from the beginning tell whether they are damaged, or others.
      try readAgain()
      try check(token)
      throw takenBack(token)
    }
  }

  private func takenBack(_ token: Token) -> StoreError {
    StoreError(
      .diverged,
      "revision \(token.revision) of epoch \(token.epoch) was read before it was durable, and has "
        + "been taken back; read the current state and follow from there", path: path)
  }
}
