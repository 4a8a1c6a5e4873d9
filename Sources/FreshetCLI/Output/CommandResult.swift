import FreshetStore

/// What became of one command: one line of a script, one record of an import, one id.
struct CommandResult {
  /// How it ended.
  enum Status: String {
    case done
    case failed
    case skipped
    case canceled
    case rolledBack = "rolled_back"
    /// Finished in an earlier run, as its journal says.
    case replayed
  }

  var line: Int?
  /// The row within a line that holds several, from 1.
  var row: Int?
  /// The file that the line is of, and the column in it, where a command tells them.
  var file: String?
  var column: Int?
  let operation: String
  var isOK = true
  var isChanged = false
  var status = Status.done
  /// What the store did, by the name of its outcome.
  var outcome: String?
  /// How many items were meant, for commands that mean several.
  var count: Int?
  /// Why it was skipped.
  var reason: String?
  var isDry = false
  /// What else the command tells, in this order.
  var details: [(key: StaticString, value: JSONValue)] = []
  var problem: Problem?
  var id: String?
  var revision: Int64?
  var correlation: String?
  /// Which command of a script it answers.
  var ticket: Int?

  init(_ operation: String, line: Int? = nil, id: String? = nil, correlation: String? = nil) {
    self.operation = operation
    self.line = line
    self.id = id
    self.correlation = correlation
  }

  /// The same command, failed.
  func failed(_ problem: Problem, status: Status = .failed) -> CommandResult {
    var result = self
    result.isOK = false
    result.isChanged = false
    result.status = status
    result.outcome = nil
    result.problem = problem
    return result
  }

  /// The same command with what the store did.
  func done(_ outcome: Outcome, revision: Int64?) -> CommandResult {
    var result = self
    result.isChanged = outcome.isChange
    result.outcome = outcome.name
    if case .deletedAll(let count) = outcome { result.count = count }
    result.revision = outcome.isChange ? revision : nil
    return result
  }
}

extension Outcome {
  /// The outcome's stable name in events.
  var name: String {
    switch self {
    case .saved: "saved"
    case .replaced: "replaced"
    case .unchanged: "unchanged"
    case .deleted: "deleted"
    case .notFound: "not_found"
    case .restored: "restored"
    case .notDeleted: "not_deleted"
    case .deletedAll: "deleted_all"
    case .met: "met"
    case .conflict: "conflict"
    case .notTried: "not_tried"
    }
  }

  /// Whether something was written.
  var isChange: Bool {
    switch self {
    case .saved, .replaced, .deleted, .restored: true
    case .deletedAll(let count): count > 0
    case .unchanged, .notFound, .notDeleted, .met, .conflict, .notTried: false
    }
  }
}

extension Session {
  /// How many failures are spelled out on stderr when records on stdout tell them all.
  private static let spelledOut = 20

  private func tellPeople(_ message: String) {
    let count = addFailure()
    if output.format == .text || count <= Self.spelledOut {
      diagnostics.error(message)
    } else if count == Self.spelledOut + 1 {
      diagnostics.error("more failed; the records on stdout tell each")
    }
  }

  /// Tells one result, counts it, and names a failure on stderr.
  func tell(_ result: CommandResult) {
    if handOver(result) { return }
    count(result.figure)
    var head = EventHead("cmd.result")
    head.revision = result.revision
    head.id = result.id
    head.correlation = result.correlation
    output.emit(head, text: result.text) { data in
      data.int("line", result.line.map(Int64.init))
      if let row = result.row { data.int("row", row) }
      if let column = result.column { data.int("column", column) }
      if let file = result.file { data.string("file", file) }
      data.string("op", result.operation.isEmpty ? nil : result.operation)
      data.bool("ok", result.isOK)
      data.bool("changed", result.isChanged)
      data.string("status", result.status.rawValue)
      if let outcome = result.outcome { data.string("outcome", outcome) }
      if let count = result.count { data.int("count", count) }
      if let reason = result.reason { data.string("reason", reason) }
      for (key, value) in result.details { data.value(key, value) }
      if result.isDry { data.bool("dry", true) }
      if let problem = result.problem { data.object("error") { problem.write(to: &$0) } }
    }
    if result.problem?.isCredential == true { noteRefusedKey() }
    if let problem = result.problem { tellPeople(result.place + problem.message) }
  }
}

extension CommandResult {
  /// Which figure of `stream.end` it counts for.
  fileprivate var figure: StaticString {
    switch status {
    case .failed: "failed"
    case .skipped: "skipped"
    case .canceled: "canceled"
    case .rolledBack: "rolled_back"
    case .replayed: "replayed"
    case .done:
      switch outcome {
      case "saved": "saved"
      case "replaced": "replaced"
      case "deleted", "deleted_all": "deleted"
      case "restored": "restored"
      case "unchanged", "not_found", "not_deleted": "unchanged"
      default: "done"
      }
    }
  }

  fileprivate var place: String {
    guard let line else { return "" }
    let parts = [
      file, "line \(line)", row.map { "row \($0)" }, column.map { "column \($0)" },
    ]
    return parts.compactMap(\.self).joined(separator: ", ") + ": "
  }

  /// The line people see.
  fileprivate var text: String? {
    guard problem == nil else { return nil }
    let word = (isDry ? "would be " : "") + (outcome ?? status.rawValue)
    let words = word.replacing("_", with: " ")
    if operation.hasPrefix("store."), !details.isEmpty {
      // Figures, one below the other.
      return details.map { key, value in
        let text = value.stringValue ?? (value.isNull ? "" : value.jsonText)
        return TextRow.line([key.description.replacing("_", with: " "), text], dim: [0])
      }.joined(separator: "\n")
    }
    return TextRow.line([words, id ?? reason ?? count.map { "\($0) items" } ?? operation])
  }
}

extension Session {
  /// Prints a text that is the command's whole answer: as it is, or in one record.
  func tellDocument(_ operation: String, _ text: String) {
    if output.format == .text {
      output.printText(text)
      return
    }
    sayHello(command: operation)
    var result = CommandResult(operation)
    result.details = [("text", .string(text))]
    tell(result)
  }
}
