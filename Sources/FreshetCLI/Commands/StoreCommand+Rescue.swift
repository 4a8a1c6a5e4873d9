import Freshet
import FreshetStore

extension StoreCommand {
  static func verify(_ files: [String], _ session: Session) throws(Stop) -> Finish {
    try takes(0...0, files, "store verify takes no file; name the store with --store DIR")
    session.sayHello(command: "store")
    let path = try path(session)
    let line = ProgressLine(session.diagnostics)
    defer { line.clear() }
    let steps = steps(session, "checked", line)
    let survey = try blocking(session) { () throws(StoreError) in
      try StoreFiles.verify(at: path, progress: steps)
    }
    line.clear()
    for finding in survey.findings {
      session.output.emit(
        EventHead("store.finding"),
        text: TextLine.clean(
          "\(finding.kind.rawValue)  \(finding.file), byte \(finding.offset), after revision "
            + "\(finding.revision): \(finding.message)")
      ) { data in
        data.string("kind", finding.kind.rawValue)
        data.string("file", finding.file)
        data.int("offset", finding.offset)
        data.int("revision", finding.revision)
        data.int("next_revision", finding.nextRevision)
        data.string("message", finding.message)
      }
      session.count("findings")
    }
    var result = CommandResult("store.verify", correlation: "s1:A1")
    result.tell("store", survey.storeID)
    result.tell("revision", survey.revision)
    result.tell("epoch", survey.epoch)
    result.tell("durable_revision", survey.durableRevision)
    result.tell("files", survey.files)
    result.tell("bytes", survey.bytes)
    result.tell("records", survey.records)
    result.tell("commits", survey.commits)
    result.tell("bad_bytes", survey.badBytes)
    let damaged = survey.findings.count { $0.kind == .damage } + survey.findingsLeftOut
    result.tell("damaged", damaged)
    result.reason =
      "\(survey.records) records in \(survey.commits) commits, \(survey.bytes) bytes: sound"
    if damaged > 0 {
      result = result.failed(
        Problem(
          code: "damaged",
          message: "\(path) is damaged in \(damaged) places; nothing was changed. Restore it from "
            + "a copy, or `freshet store salvage NEW` writes what can be read to a new store"))
    }
    session.tell(result)
    return damaged > 0 ? .someFailed : .done
  }

  static func salvage(_ files: [String], _ session: Session) throws(Stop) -> Finish {
    try takes(
      1...2, files, "store salvage needs the new store's folder: freshet store salvage [OLD] NEW")
    session.sayHello(command: "store")
    let old = files.count == 2 ? try Session.path(of: files[0]) : try path(session)
    let new = try Session.path(of: files[files.count - 1])
    if System.isInside(new, old) {
      throw .usage(
        "bad_arguments", "\(new) is inside the store \(old); choose a folder outside of it")
    }
    let line = ProgressLine(session.diagnostics)
    defer { line.clear() }
    let steps = steps(session, "read", line)
    let report = try blocking(session) { () throws(StoreError) in
      try StoreFiles.salvage(old, to: new, progress: steps)
    }
    line.clear()
    for gap in report.gaps {
      let until = gap.before.map { "revision \($0)" } ?? "the end"
      session.output.emit(
        EventHead("store.gap"),
        text: "gap       between revision \(gap.after) and \(until)"
      ) { data in
        data.int("after", gap.after)
        data.int("before", gap.before)
      }
      session.count("gaps")
    }
    var result = CommandResult("store.salvage", correlation: "s1:A1")
    result.isChanged = true
    result.tell("from", old)
    result.tell("to", new)
    result.tell("store", report.storeID)
    result.tell("commits", report.commits)
    result.tell("partial_commits", report.partialCommits)
    result.tell("records", report.records)
    result.tell("records_without_effect", report.recordsWithoutEffect)
    result.tell("bad_bytes", report.badBytes)
    result.tell("live", report.liveCount)
    result.reason =
      "\(report.records) records kept in \(new), \(report.liveCount) items live, "
      + "\(report.gaps.count) gaps, \(report.badBytes) bytes unreadable"
    session.tell(result)
    return .done
  }

  static func sign(
    _ files: [String], _ invocation: Invocation, _ session: Session
  ) throws(Stop) -> Finish {
    try takes(0...0, files, "store sign takes no file; name the store with --store DIR")
    guard invocation.has("yes") else {
      throw .usage(
        "needs_confirmation",
        "store sign makes whatever stands in the journal count as true; copy the store's folder, "
          + "end the programs that have it open, and confirm with --yes")
    }
    session.sayHello(command: "store")
    let path = try path(session)
    let report = try blocking(session) { () throws(StoreError) in try StoreFiles.sign(at: path) }
    var result = CommandResult("store.sign", correlation: "s1:A1")
    result.isChanged = report.signed > 0
    result.tell("signed", report.signed)
    result.tell("lines", report.lines)
    result.tell("segments", report.segments)
    result.reason = "\(report.signed) of \(report.lines) lines signed"
    session.tell(result)
    return .done
  }
}
