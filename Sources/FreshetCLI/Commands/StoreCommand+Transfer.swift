import Freshet
import FreshetStore

extension StoreCommand {
  /// How many bytes of items one commit takes; the store takes 16 MiB.
  private static let commitBytes = 4 << 20

  static func export(
    _ files: [String], _ invocation: Invocation, _ session: Session
  ) throws(Stop) -> Finish {
    try takes(
      1...1, files, "store export needs a file; stdout is for records about the run itself")
    let name = files[0]
    if name == "-" {
      throw .usage(
        "bad_arguments",
        "store export writes to a file, not to stdout, which holds records about the run; name a "
          + "file")
    }
    let manager = try session.openStore(command: "store", mustExist: true)
    let report = try session.wait(
      for: manager.export(
        to: name, includingDeleted: invocation.has("include-deleted"),
        replacing: invocation.has("force")))
    var result = CommandResult("store.export", correlation: "s1:A1")
    result.revision = report.token.revision
    result.tell("file", name)
    result.tell("items", report.liveCount)
    result.tell("deleted", report.deletedCount)
    result.tell("bytes", report.bytes)
    result.reason = "\(report.liveCount + report.deletedCount) items written to \(name)"
    session.tell(result)
    return .done
  }

  static func importItems(_ files: [String], _ session: Session) throws(Stop) -> Finish {
    try takes(1...1, files, "store import needs a file, or - for standard input")
    let manager = try session.openStore(command: "store")
    let input = try Input(files[0], session: session)
    var importer = Importer(manager: manager, session: session)
    var splitter = LineSplitter()
    while let bytes = try input.next() {
      for line in splitter.feed(bytes) { try importer.take(line) }
    }
    if let line = splitter.finish() { try importer.take(line) }
    try importer.commit()
    var result = CommandResult("store.import", correlation: "s1:A1")
    result.isChanged = importer.changed > 0
    result.tell("items", importer.items)
    result.tell("changed", importer.changed)
    result.tell("refused", importer.refused)
    result.reason = "\(importer.items) items, \(importer.changed) of them new or changed"
    if importer.refused > 0 {
      result = result.failed(
        Problem(
          code: "refused", message: "\(importer.refused) lines were refused, the others went in"))
    }
    session.tell(result)
    return importer.refused > 0 ? .someFailed : .done
  }

  /// Gathers lines into commits.
  private struct Importer {
    let manager: DatabaseManager
    let session: Session
    var items = 0
    var changed = 0
    var refused = 0
    private var operations: [Operation] = []
    private var size = 0

    init(manager: DatabaseManager, session: Session) {
      self.manager = manager
      self.session = session
    }

    mutating func take(_ line: LineSplitter.Line) throws(Stop) {
      if line.isBlank { return }
      guard let bytes = line.bytes else {
        return refuse(line, Problem(code: "too_large", message: "the line is over 1 MiB"))
      }
      let item: ExportedItem
      do throws(StoreError) {
        item = try ExportedItem(line: bytes)
        try item.validate()
      } catch {
        return refuse(line, Problem(error))
      }
      if item.isDeleted {
        // Saving it again would move it to the end of the list.
        let id = item.id
        let present = try session.wait(for: manager.fetch(id: id, includingDeleted: true))
        if let present, present.isDeleted, present.body == item.body {
          items += 1
          return
        }
      }
      operations += item.operations
      size += item.body.count
      items += 1
      if size >= StoreCommand.commitBytes { try commit() }
    }

    private mutating func refuse(_ line: LineSplitter.Line, _ problem: Problem) {
      refused += 1
      session.tell(
        CommandResult("store.import", line: line.number, correlation: "s1:L\(line.number)")
          .failed(problem))
    }

    mutating func commit() throws(Stop) {
      if operations.isEmpty { return }
      let receipt = try session.wait(for: manager.apply(operations))
      changed += receipt.outcomes.count { $0 == .saved || $0 == .replaced }
      operations = []
      size = 0
    }
  }
}
