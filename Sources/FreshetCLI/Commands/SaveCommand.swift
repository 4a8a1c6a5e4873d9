import Freshet
import FreshetCatalog
import FreshetStore

/// `freshet save`: content items from a file or a pipe into the store.
enum SaveCommand {
  static let spec = CommandSpec(
    name: "save",
    summary: "Save content items.",
    options: [
      .value("file", "FILE", short: "f", "read records from FILE, - for standard input"),
      .value(
        "source", "NAME", choices: ItemImporter.Source.allCases.map(\.rawValue),
        "whose records they are: own (default), or a catalogue's rows, arrays of them, or whole "
          + "answers"),
    ],
    examples: [
      .init(line: "freshet save -f items.ndjson", meaning: "one record a line, or one JSON array"),
      .init(
        line: "curl … | freshet save --source tmdb -f -",
        meaning: "films and series of a TMDB answer"),
    ],
    notes: [
      "Each record gets one cmd.result, once it is durable. A bad record is refused with its line "
        + "number and the reason, and the others go in; the exit code is 1 then.",
      "A record has at most 1 MiB and nests at most \(RecordDepth.limit) levels deep.",
    ],
    run: run)

  /// How many bytes of records one commit takes; the store takes 16 MiB.
  private static let commitBytes = 4 << 20

  private static func run(_ invocation: Invocation, _ session: Session) throws(Stop) -> Finish {
    guard let file = invocation.value("file") else {
      throw .usage("missing_option", "save needs -f FILE, or -f - for standard input")
    }
    let source = invocation.value("source").flatMap(ItemImporter.Source.init) ?? .own
    let manager = try session.openStore(command: "save")
    let input = try Input(file, session: session)
    var importer = ItemImporter(source: source)
    var splitter = DocumentSplitter()
    var isFatal = false
    while !isFatal, let bytes = try input.next() {
      isFatal = try save(splitter.feed(bytes), &importer, manager, session)
    }
    if !isFatal { _ = try save(splitter.finish(), &importer, manager, session) }
    return session.counted("failed") == 0 ? .done : .someFailed
  }

  /// Commits what the pieces hold; true when the rest of the input is lost.
  private static func save(
    _ pieces: [DocumentSplitter.Piece], _ importer: inout ItemImporter,
    _ manager: DatabaseManager, _ session: Session
  ) throws(Stop) -> Bool {
    var results: [CommandResult] = []
    var operations: [Operation] = []
    var size = 0
    var isFatal = false
    for piece in pieces {
      if case .broken(_, _, true) = piece { isFatal = true }
      for entry in importer.entries(of: piece) {
        let (result, operation) = prepare(entry)
        results.append(result)
        guard let operation else { continue }
        operations.append(operation)
        size += operation.sizeBytes
        if size >= commitBytes {
          try commit(&operations, &results, manager, session)
          size = 0
        }
      }
    }
    try commit(&operations, &results, manager, session)
    return isFatal
  }

  /// The answer a record will get when all goes well, and what to do for it.
  private static func prepare(_ entry: ItemImporter.Entry) -> (CommandResult, Operation?) {
    let row = entry.row.map { ".\($0)" } ?? ""
    var result = CommandResult("save", line: entry.line, correlation: "s1:L\(entry.line)\(row)")
    result.row = entry.row
    switch entry.content {
    case .item(let item, let body):
      result.id = item.id.text
      return (result, .save(id: item.id.text, body: body))
    case .skipped(let reason):
      result.status = .skipped
      result.reason = reason
      return (result, nil)
    case .refused(let problem):
      return (result.failed(problem), nil)
    }
  }

  /// Makes the operations durable, then tells every result in the order of the input.
  private static func commit(
    _ operations: inout [Operation], _ results: inout [CommandResult], _ manager: DatabaseManager,
    _ session: Session
  ) throws(Stop) {
    defer {
      operations = []
      results = []
    }
    var answers: ArraySlice<Session.Applied>
    do {
      answers = try session.apply(operations, to: manager)[...]
    } catch {
      session.noteResume(line: results.first { $0.isOK && $0.status == .done }?.line)
      for result in results {
        let isOpen = result.isOK && result.status == .done
        session.tell(isOpen ? result.failed(error.problem ?? .unanswered) : result)
      }
      throw error
    }
    for result in results {
      guard result.isOK, result.status == .done, let answer = answers.popFirst() else {
        session.tell(result)
        continue
      }
      switch answer {
      case .success(let done): session.tell(result.done(done.outcome, revision: done.revision))
      case .failure(let problem): session.tell(result.failed(problem))
      }
      if session.output.waitingBytes >= Output.highWaterBytes { try session.output.flush() }
    }
  }
}

extension Operation {
  /// How many bytes of a commit it takes, roughly.
  var sizeBytes: Int {
    switch self {
    case .save(let id, let body): id.utf8.count + body.count
    case .delete(let id), .restore(let id): id.utf8.count
    case .deleteAll, .expect: 0
    }
  }
}

extension Problem {
  static let unanswered = Problem(
    code: "canceled", message: "the run ended before the store answered")
}
