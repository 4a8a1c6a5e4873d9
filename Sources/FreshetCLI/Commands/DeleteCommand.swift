import Freshet
import FreshetCatalog
import FreshetStore

/// `freshet delete`: items out of the list; `restore` undoes it.
enum DeleteCommand {
  static let spec = CommandSpec(
    name: "delete",
    summary: "Delete items; restore brings them back.",
    arguments: [ArgumentSpec(name: "ID", help: "the items' ids", count: 0...Int.max)],
    options: [
      .value("file", "FILE", short: "f", "read ids from FILE, one a line, - for standard input"),
      .flag("all", "delete every item; needs --yes"),
      .flag("strict-missing", "count an id that is not saved as a failure"),
      .flag("dry-run", "tell what would be done, and do nothing"),
      .flag("yes", "confirm --all"),
    ],
    examples: [
      .init(line: "freshet delete film:tmdb:movie:603", meaning: "one film"),
      .init(line: "freshet delete -f ids.txt --dry-run", meaning: "what a list would delete"),
      .init(line: "freshet delete --all --yes", meaning: "everything"),
    ],
    notes: [
      "An id that is not saved is no failure: it is gone already. The ids of one command line are "
        + "one commit; of a file, what is read at a time."
    ],
    run: run)

  private static func run(_ invocation: Invocation, _ session: Session) throws(Stop) -> Finish {
    let ways = [!invocation.arguments.isEmpty, invocation.has("file"), invocation.has("all")]
    guard ways.count(where: { $0 }) == 1 else {
      throw .usage("bad_arguments", "delete needs either ids, or -f FILE, or --all")
    }
    let isDry = invocation.has("dry-run")
    if invocation.has("all"), !isDry, !invocation.has("yes") {
      throw .usage("needs_confirmation", "delete --all deletes every item; confirm it with --yes")
    }
    let manager = try session.openStore(command: "delete", mustExist: isDry)
    let batch = IDBatch(
      operation: "delete", simulation: isDry ? DrySimulation(manager) : nil,
      missingFails: invocation.has("strict-missing"), manager: manager, session: session)
    if invocation.has("all") {
      try deleteAll(manager, session, isDry: isDry)
    } else if let file = invocation.value("file") {
      try batch.run(file: file)
    } else {
      try batch.run(invocation.arguments.enumerated().map { (nil, $1, "s1:A\($0 + 1)") })
    }
    return session.counted("failed") == 0 ? .done : .someFailed
  }

  private static func deleteAll(
    _ manager: DatabaseManager, _ session: Session, isDry: Bool
  ) throws(Stop) {
    var result = CommandResult("deleteAll", correlation: "s1:A1")
    if isDry {
      let count = try session.wait(for: manager.contentDeletion()).count
      result = result.done(.deletedAll(count), revision: nil)
      result.isDry = true
    } else {
      let receipt = try session.commit([.deleteAll], to: manager)
      if let outcome = receipt.outcomes.first {
        result = result.done(outcome, revision: receipt.token?.revision)
      }
    }
    session.tell(result)
  }
}

/// Deletes or restores ids, many in one commit, and answers each.
struct IDBatch {
  let operation: String
  /// What a dry run would have done so far; nil when it is done.
  var simulation: DrySimulation?
  let missingFails: Bool
  let manager: DatabaseManager
  let session: Session

  /// The ids of a file, what is read at a time in one commit.
  func run(file: String) throws(Stop) {
    let input = try Input(file, session: session)
    var splitter = LineSplitter()
    while let bytes = try input.next() { try run(lines: splitter.feed(bytes)) }
    if let last = splitter.finish() { try run(lines: [last]) }
  }

  /// Ids one a line; blank lines and lines that begin with `#` are passed over.
  func run(lines: [LineSplitter.Line]) throws(Stop) {
    var entries: [(line: Int?, id: String, correlation: String)] = []
    for line in lines where !line.isBlank {
      guard let bytes = line.bytes, let text = String(validating: bytes, as: UTF8.self) else {
        let problem =
          line.bytes == nil
          ? Problem(code: "too_large", message: "the line is longer than 1 MiB")
          : Problem(code: "invalid_utf8", message: "the line is not UTF-8")
        session.tell(
          CommandResult(operation, line: line.number, correlation: "s1:L\(line.number)")
            .failed(problem))
        continue
      }
      let id = text.trimmingSpaces
      if !id.hasPrefix("#") { entries.append((line.number, id, "s1:L\(line.number)")) }
    }
    try run(entries)
  }

  func run(_ entries: [(line: Int?, id: String, correlation: String)]) throws(Stop) {
    var results: [CommandResult] = []
    var operations: [Operation] = []
    for entry in entries {
      var result = CommandResult(
        operation, line: entry.line, id: entry.id, correlation: entry.correlation)
      result.isDry = simulation != nil
      do {
        let id = try ItemID(entry.id)
        operations.append(operation == "delete" ? .delete(id: id.text) : .restore(id: id.text))
      } catch {
        result = result.failed(Problem(error))
      }
      results.append(result)
    }
    var answers: ArraySlice<Session.Applied>
    do throws(Stop) {
      answers = try self.answers(to: operations)[...]
    } catch {
      session.noteResume(line: results.first { $0.isOK }?.line)
      for result in results {
        session.tell(result.isOK ? result.failed(error.problem ?? .unanswered) : result)
      }
      throw error
    }
    for result in results {
      guard result.isOK, let answer = answers.popFirst() else {
        session.tell(result)
        continue
      }
      switch answer {
      case .success(let done):
        session.tell(
          self.answer(result.done(done.outcome, revision: done.revision), done.outcome))
      case .failure(let problem): session.tell(result.failed(problem))
      }
      if session.output.waitingBytes >= Output.highWaterBytes { try session.output.flush() }
    }
  }

  private func answers(to operations: [Operation]) throws(Stop) -> [Session.Applied] {
    guard let simulation else { return try session.apply(operations, to: manager) }
    var answers: [Session.Applied] = []
    for operation in operations {
      answers.append(.success((try simulation.outcome(of: operation, session), nil)))
    }
    return answers
  }

  private func answer(_ result: CommandResult, _ outcome: Outcome) -> CommandResult {
    guard outcome == .notFound, missingFails else { return result }
    return result.failed(
      Problem(code: "not_found", message: "no item \(result.id ?? "") is saved"))
  }
}

extension String {
  /// The text without spaces and tabs at its ends.
  var trimmingSpaces: String {
    var text = self[...]
    while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return String(text)
  }
}
