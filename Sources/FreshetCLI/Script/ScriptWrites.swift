import Freshet
import FreshetStore

/// Operations on the store that wait for one commit, and results that stand between them.
///
/// Lines that are there already share a commit, and so a sync; each is told when it is durable, as if
/// it had had a commit of its own.
struct ScriptWrites {
  /// One line: with its operation, or answered already.
  struct Entry {
    let result: CommandResult
    let operation: Operation?
  }

  private var entries: [Entry] = []
  private(set) var sizeBytes = 0

  /// The most that shares a commit; the store takes 16 MiB.
  static let limitBytes = 4 << 20
  static let limitCount = 4096

  var isEmpty: Bool { entries.isEmpty }
  var isFull: Bool { sizeBytes >= Self.limitBytes || entries.count >= Self.limitCount }

  mutating func add(_ result: CommandResult, _ operation: Operation? = nil) {
    entries.append(Entry(result: result, operation: operation))
    sizeBytes += operation?.sizeBytes ?? 0
  }

  mutating func take() -> [Entry] {
    defer {
      entries = []
      sizeBytes = 0
    }
    return entries
  }
}

extension ScriptRunner {
  /// Does an operation on the store, now or with the lines that follow.
  func write(_ operation: Operation, _ result: CommandResult) throws(Stop) {
    if let simulation {
      let outcome = try simulation.outcome(of: operation, session)
      return try answers.tell([self.result(result, outcome, revision: nil)])
    }
    writes.add(result, operation)
    // A restore can fail by itself, and then no more lines are taken.
    let mustKnow = options.isFailFast && result.operation == "restore"
    if writes.isFull || mustKnow || operation == .deleteAll { try flushWrites() }
  }

  /// Makes durable what waits, and tells it in the order of the lines.
  func flushWrites() throws(Stop) {
    if writes.isEmpty { return }
    let entries = writes.take()
    var applied: ArraySlice<Session.Applied>
    do {
      applied = try session.apply(entries.compactMap(\.operation), to: manager)[...]
    } catch {
      let problem = error.problem ?? .unanswered
      session.noteResume(line: entries.first { $0.operation != nil }?.result.line)
      try answers.tell(
        entries.map { $0.operation == nil ? $0.result : $0.result.failed(problem) })
      throw error
    }
    let results = entries.map { entry -> CommandResult in
      guard entry.operation != nil, let answer = applied.popFirst() else { return entry.result }
      switch answer {
      case .success(let done):
        return result(entry.result, done.outcome, revision: done.revision)
      case .failure(let problem): return entry.result.failed(problem)
      }
    }
    try answers.tell(results)
    if session.output.waitingBytes >= Output.highWaterBytes { try session.output.flush() }
  }

  /// The answer to an operation.
  func result(
    _ result: CommandResult, _ outcome: Outcome, revision: Int64?
  ) -> CommandResult {
    if outcome == .notFound, result.operation == "restore" {
      return result.failed(
        Problem(code: "not_found", message: "no item \(result.id ?? "") can be restored"))
    }
    return result.done(outcome, revision: revision)
  }
}
