import Synchronization

extension Journal {
  /// Runs long work beside commits and reads, one at a time, and calls back when `close` need not
  /// wait for it any more.
  func maintain<Value: Sendable>(
    _ work: @escaping @Sendable (Journal) throws(StoreError) -> Value,
    _ answer: @escaping @Sendable (Result<Value, StoreError>) -> Void
  ) {
    maintenanceWorker.run { [self] in
      maintenance.enter()
      let result = Result { () throws(StoreError) in
        try checkOpen()
        return try work(self)
      }
      maintenance.leave()
      answer(result)
    }
  }

  /// Begins a new segment, so that all before it are immutable.
  func compact() throws(StoreError) -> CompactionReport {
    let clock = ContinuousClock()
    let start = clock.now
    let before = try statistics()
    let after = before
    return CompactionReport(
      token: after.token, oldest: after.oldest, liveCount: after.liveCount,
      deletedCount: after.deletedCount, erasedCount: 0, bytesBefore: before.bytes,
      bytesAfter: after.bytes, duration: clock.now - start)
  }

  func statistics() throws(StoreError) -> StoreStatistics {
    try refresh()
    let log = state.withLock { $0.log }
    var statistics = StoreStatistics(
      token: token(epoch: log.epoch, revision: log.revision), oldest: try oldestToken(),
      created: description.created, liveCount: log.index.liveCount, deletedCount: 0,
      segmentCount: 0, segmentBytes: 0, snapshotBytes: 0, tailBytes: 0, deadBytes: 0,
      skippedRecords: log.unknownLines, followers: [])
    for number in 0..<log.index.count where log.index[number].state == .deleted {
      statistics.deletedCount += 1
    }
    for segment in try folder.segments() {
      statistics.segmentCount += 1
      statistics.segmentBytes += try folder.size(ofSegment: segment)
    }
    statistics.tailBytes = statistics.segmentBytes
    return statistics
  }

  func verify() throws(StoreError) -> VerificationReport {
    try refresh()
    let current = state.withLock { $0.log }
    var report = VerificationReport(token: token(epoch: current.epoch, revision: current.revision))
    var log = LogState(firstSegment: try oldestToken().revision + 1)
    var cursor = LogCursor(
      folder: folder, from: log.end, revision: log.revision, epoch: log.epoch,
      wantsContents: false)
    let limit = HeadRecord(
      segment: current.end.segment, offset: current.end.offset, revision: current.revision)
    var segments: Set<Int64> = []
    do throws(StoreError) {
      while try cursor.next(upTo: limit) {
        report.commitCount += 1
        report.recordCount += cursor.commit.lines.count
        segments.insert(cursor.place.segment)
        try log.apply(cursor.commit)
      }
    } catch {
      guard error.code == .damaged else { throw error }
      report.problems.append(
        VerificationReport.Problem(
          file: FileNames.segment(cursor.place.segment), offset: cursor.place.offset,
          message: error.message))
    }
    report.segmentCount = segments.count
    for segment in segments { report.bytes += try folder.size(ofSegment: segment) }
    return report
  }
}
