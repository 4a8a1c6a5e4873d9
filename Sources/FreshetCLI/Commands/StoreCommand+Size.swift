import Freshet
import FreshetStore

extension StoreCommand {
  static func stats(_ files: [String], _ session: Session) throws(Stop) -> Finish {
    try takes(0...0, files, "store stats takes no file; name the store with --store DIR")
    let manager = try session.openStore(command: "store", mustExist: true)
    let stats = try session.wait(for: manager.stats())
    var result = CommandResult("store.stats", correlation: "s1:A1")
    result.revision = stats.token.revision
    result.tell("store", stats.token.storeID)
    result.tell("epoch", stats.token.epoch)
    result.tell("revision", stats.token.revision)
    result.tell("oldest", Cursor(token: stats.oldest, filter: Cursor.Filter()).text)
    result.tell("created", Timestamp.text(stats.created))
    result.tell("live", stats.liveCount)
    result.tell("deleted", stats.deletedCount)
    result.tell("segments", stats.segmentCount)
    result.tell("segment_bytes", stats.segmentBytes)
    result.tell("snapshot_revision", stats.snapshotRevision)
    result.tell("snapshot_bytes", stats.snapshotBytes)
    result.tell("tail_bytes", stats.tailBytes)
    result.tell("dead_bytes", stats.deadBytes)
    result.tell("bytes", stats.bytes)
    result.tell("skipped_records", stats.skippedRecords)
    let leases = stats.followers.map { lease -> JSONValue in
      .object([
        "name": .string(lease.name), "revision": .number(JSONNumber(lease.token.revision)),
        "expires": .string(Timestamp.text(lease.expires)),
      ])
    }
    result.details.append(("followers", .array(leases)))
    result.tell("compaction_problem", stats.compactionProblem)
    result.tell("snapshot_problem", stats.snapshotProblem?.message)
    result.reason =
      "\(stats.liveCount) items, \(stats.deletedCount) deleted, \(stats.bytes) bytes of which "
      + "\(stats.deadBytes) are dead, \(stats.segmentCount) segments, revision "
      + "\(stats.token.revision)"
    session.tell(result)
    return .done
  }

  static func compact(_ files: [String], _ session: Session) throws(Stop) -> Finish {
    try takes(0...0, files, "store compact takes no file; name the store with --store DIR")
    _ = try path(session)
    let manager = try session.openStore(command: "store")
    session.diagnostics.step("compacting")
    let line = ProgressLine(session.diagnostics)
    defer { line.clear() }
    let report = try session.wait(
      for: manager.compact(progress: steps(session, "written", line)))
    line.clear()
    var result = CommandResult("store.compact", correlation: "s1:A1")
    result.isChanged = true
    result.revision = report.token.revision
    result.tell("live", report.liveCount)
    result.tell("deleted", report.deletedCount)
    result.tell("erased", report.erasedCount)
    result.tell("bytes_before", report.bytesBefore)
    result.tell("bytes_after", report.bytesAfter)
    result.tell("oldest", Cursor(token: report.oldest, filter: Cursor.Filter()).text)
    let (seconds, attoseconds) = report.duration.components
    result.tell("milliseconds", seconds * 1000 + attoseconds / 1_000_000_000_000_000)
    result.reason =
      "\(report.bytesBefore) bytes became \(report.bytesAfter): \(report.liveCount) items, "
      + "\(report.deletedCount) deleted"
    session.tell(result)
    return .done
  }
}
