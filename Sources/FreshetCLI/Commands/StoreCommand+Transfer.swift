import Freshet
import FreshetCatalog
import FreshetStore
import Synchronization

extension StoreCommand {
  /// How many bytes of items one commit takes; the store takes 16 MiB.
  private static let commitBytes = 4 << 20

  static func export(
    _ files: [String], _ invocation: Invocation, _ session: Session
  ) throws(Stop) -> Finish {
    try takes(
      1...1, files, "store export needs a file, or - for standard output")
    let name = files[0]
    if name == "-" { return try exportToStdout(invocation, session) }
    let manager = try session.openStore(command: "store", mustExist: true)
    let exported = try Blocking.result(
      of: manager.export(
        to: name, includingDeleted: invocation.has("include-deleted"),
        replacing: invocation.has("force")), session.waiter)
    let report: ExportReport
    do {
      report = try exported.get()
    } catch {
      throw stop(error, writing: name)
    }
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

  /// What the file is to blame for is not said of the store.
  private static func stop(_ error: StoreError, writing name: String) -> Stop {
    guard let path = error.path, path == name || path == name + ".partial" else {
      return .store(Problem(error))
    }
    if error.code == .exists {
      return .cannotCreate(
        Problem(
          code: "exists",
          message: "\(name) is there already; name another file, or replace it with --force"))
    }
    return .cannotCreate(Problem(error))
  }

  /// Writes the items, and nothing else, to stdout.
  private static func exportToStdout(
    _ invocation: Invocation, _ session: Session
  ) throws(Stop) -> Finish {
    if invocation.has("force") {
      throw .usage("bad_arguments", "--force replaces a file, and stdout is none; leave it out")
    }
    session.output.carriesData()
    let manager = try session.openStore(command: "store", mustExist: true)
    let failure = Mutex<System.Failure?>(nil)
    let exported = try Blocking.result(
      of: manager.export(includingDeleted: invocation.has("include-deleted")) {
        (lines) throws(StoreError) in
        do throws(System.Failure) {
          try System.writeFully(lines, to: 1)
        } catch {
          failure.withLock { $0 = error }
          throw StoreError(.ioError, "stdout cannot be written: \(error.words)")
        }
      }, session.waiter)
    switch failure.withLock({ $0 }) {
    case let failure? where failure.isBrokenPipe: throw .readerGone
    case let failure?:
      throw .writeError(
        Problem(code: "write_error", message: "stdout cannot be written: \(failure.words)"))
    case nil: break
    }
    do {
      let report = try exported.get()
      session.diagnostics.step(
        "\(report.liveCount + report.deletedCount) items, \(report.bytes) bytes")
    } catch {
      throw .store(Problem(error))
    }
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
      if let problem = Self.problem(item) { return refuse(line, problem) }
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

    /// What `save` would refuse: a body that nests too deep, a malformed id of a film or book, and
    /// one whose body is no such item.
    private static func problem(_ item: ExportedItem) -> Problem? {
      if RecordDepth.of(item.body) > RecordDepth.limit { return RecordDepth.problem }
      guard Query.contents.matches(item.id) else { return nil }
      do throws(ContentItemError) {
        let id = try ItemID(item.id)
        let content = try ContentItem(parsing: item.body)
        if content.id == id { return nil }
        return Problem(
          code: "conflicting_fields",
          message: "the line says \(id), and its body says \(content.id)")
      } catch {
        return Problem(error)
      }
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
