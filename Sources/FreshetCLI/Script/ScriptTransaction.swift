import Freshet
import FreshetStore

/// An open transaction of a script: operations that wait for `commit`.
struct ScriptTransaction {
  /// The id that `commit` may name.
  let name: String?
  /// Its `begin`, as the journal keeps it with the operations; nil with `--atomic`.
  var begin: ScriptJournal.Entry?
  /// Whether the journal says that it is finished.
  var isReplay = false
  /// What of it the journal says is finished, by name.
  var replayed: Set<String> = []
  var operations: [Operation] = []
  /// The answers they will get, in the same order.
  var results: [CommandResult] = []
  var sizeBytes = 0
  /// What made it fail; everything up to its end is answered `rolled_back` then.
  var fault: Problem?

  /// How many bytes of operations it may hold; the store takes 16 MiB a commit.
  static let limitBytes = 15 << 20

  /// The items it touches.
  var touch: ScriptTouch {
    if operations.contains(.deleteAll) { return .everyItem }
    return .items(
      Set(
        operations.compactMap { operation in
          switch operation {
          case .save(let id, _), .delete(let id), .restore(let id), .expect(let id, _): id
          case .deleteAll: nil
          }
        }))
  }
}

extension ScriptRunner {
  func begin(_ command: ScriptCommand, _ result: CommandResult, isReplay: Bool) throws(Stop) {
    if transaction != nil {
      let message =
        isAtomic
        ? "the whole script is one transaction already (--atomic)"
        : "a transaction is open already"
      sawBadScript = true
      return try fail(result, Problem(code: "nested_transaction", message: message))
    }
    var opened = ScriptTransaction(name: command.ownID, isReplay: isReplay)
    if isReplay { opened.replayed = [command.ownID.orLine(command.line)] }
    if answers.journal != nil {
      opened.begin = ScriptJournal.Entry(
        name: command.ownID.orLine(command.line), hash: command.hash, operation: "begin")
    }
    transaction = opened
    try answers.tell([isReplay ? result.replayed(nil) : result])
  }

  /// Keeps an operation for the commit; a `cmd.accepted` says so.
  func queue(_ operation: Operation, _ result: CommandResult) throws(Stop) {
    if case .restore(let id) = operation, try !canRestore(id) {
      return try fail(
        result, Problem(code: "not_found", message: "no item \(id) can be restored"))
    }
    transaction?.sizeBytes += operation.sizeBytes
    if (transaction?.sizeBytes ?? 0) > ScriptTransaction.limitBytes {
      return try fail(
        result,
        Problem(code: "too_large", message: "the transaction has more than 15 MiB; split it"))
    }
    transaction?.operations.append(operation)
    transaction?.results.append(result)
    var head = EventHead("cmd.accepted")
    head.id = result.id
    head.correlation = result.correlation
    session.output.emit(head) { data in
      data.int("line", result.line.map(Int64.init))
      data.string("op", result.operation)
    }
  }

  /// Whether there will be something to restore when the transaction commits.
  private func canRestore(_ id: String) throws(Stop) -> Bool {
    let isTouched = transaction?.operations.contains { operation in
      if case .save(id, _) = operation { true } else { false }
    }
    if isTouched ?? false { return true }
    if let simulation { return try simulation.knows(id, session) }
    return try session.wait(for: manager.fetch(id: id, includingDeleted: true)) != nil
  }

  func end(
    _ command: ScriptCommand, _ result: CommandResult, isCommit: Bool
  ) throws(Stop) {
    guard let open = transaction, !isAtomic else {
      let message =
        isAtomic ? "the whole script is one transaction (--atomic)" : "no transaction is open"
      sawBadScript = true
      return try fail(result, Problem(code: "no_transaction", message: message))
    }
    if let name = command.ownID, name != open.name {
      sawBadScript = true
      return try fail(
        result,
        Problem(
          code: "no_transaction",
          message:
            "the open transaction is \(open.name.map { "“\($0)”" } ?? "unnamed"), not “\(name)”"))
    }
    transaction = nil
    if !isCommit {
      var results = open.results
      for place in results.indices { results[place].status = .rolledBack }
      try answers.tell(results + [result])
    } else if let fault = open.fault {
      sawRollback = true
      try answers.tell([rolledBack(result, fault)])
    } else if open.isReplay {
      if let problem = missing(from: open) {
        sawBadScript = true
        return try fail(result, problem)
      }
      try answers.tell([result.replayed(nil)])
    } else {
      try commit(open, answer: result)
    }
  }

  /// What is wrong when the journal has more of a finished transaction than the script.
  func missing(from open: ScriptTransaction) -> Problem? {
    guard let entry = answers.journal?.companion(of: open.replayed) else { return nil }
    return Problem(
      code: "changed_line",
      message: "the journal has this transaction as finished, with \(entry.name) "
        + "(\(entry.operation)) in it, which the script has not; put that line back, or give the "
        + "transaction another id")
  }

  /// One commit for all operations; `answer` is the `commit` line's own result.
  func commit(_ open: ScriptTransaction, answer: CommandResult?) throws(Stop) {
    var receipt = CommitReceipt(token: nil, outcomes: [])
    do {
      if let simulation {
        var outcomes: [Outcome] = []
        for operation in open.operations {
          outcomes.append(try simulation.outcome(of: operation, session))
        }
        receipt = CommitReceipt(token: nil, outcomes: outcomes)
      } else if !open.operations.isEmpty {
        receipt = try session.commit(open.operations, to: manager)
      }
    } catch {
      let problem = error.problem ?? .unanswered
      sawRollback = true
      try answers.tell(
        (open.results + (answer.map { [$0] } ?? [])).map {
          $0.failed(problem, status: .rolledBack)
        })
      // Refused for the sake of one operation: the store is well, and the next lines are taken.
      if error.refusal != nil { return }
      session.noteResume(line: open.results.first?.line)
      throw error
    }
    var results = zip(open.results, receipt.outcomes).map { result, outcome in
      self.result(result, outcome, revision: receipt.token?.revision)
    }
    if var answer {
      answer.isChanged = receipt.outcomes.contains(where: \.isChange)
      answer.count = open.operations.count
      answer.revision = receipt.token?.revision
      results.append(answer)
    }
    try answers.tell(results, asOne: true, with: open.begin)
  }

  /// Answers everything that waits; nothing of it was written.
  func rollBack(_ problem: Problem) throws(Stop) {
    let open = transaction
    transaction = nil
    sawRollback = true
    try answers.tell((open?.results ?? []).map { rolledBack($0, problem) })
  }

  func rolledBack(_ result: CommandResult, _ problem: Problem) -> CommandResult {
    result.failed(
      Problem(code: "rolled_back", message: "rolled back: \(problem.message)"),
      status: .rolledBack)
  }

  /// Makes the open transaction fail: what it holds is answered at once, and all up to its end as
  /// it comes.
  func spoil(_ problem: Problem) throws(Stop) {
    guard transaction != nil, transaction?.fault == nil else { return }
    transaction?.fault = problem
    let results = transaction?.results ?? []
    transaction?.results = []
    transaction?.operations = []
    try answers.tell(results.map { rolledBack($0, problem) })
  }
}

extension CommandResult {
  /// The same command, finished in an earlier run.
  func replayed(_ entry: ScriptJournal.Entry?) -> CommandResult {
    var result = self
    result.status = .replayed
    result.outcome = entry?.outcome
    return result
  }
}
