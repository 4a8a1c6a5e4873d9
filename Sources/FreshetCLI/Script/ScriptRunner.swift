import Freshet
import FreshetStore

/// Runs the commands of a script one after another and answers every line exactly once.
struct ScriptRunner {
  private let manager: DatabaseManager
  private let session: Session
  private let isAtomic: Bool
  private let isFailFast: Bool
  private let isDry: Bool
  private let screens: ScriptScreens
  private let catalogs: ScriptCatalogs

  /// The open transaction: operations that wait for `commit`.
  private struct Transaction {
    let name: String?
    var operations: [Operation] = []
    /// The answers they will get, in the same order.
    var results: [CommandResult] = []
    var sizeBytes = 0
    /// What made it fail; everything up to its end is answered `rolled_back` then.
    var fault: Problem?
  }

  private var transaction: Transaction?
  private var usedIDs: Set<String> = []
  private var sawBadScript = false
  private var sawRollback = false

  init(
    manager: DatabaseManager, session: Session, catalogs: ScriptCatalogs, isAtomic: Bool,
    isFailFast: Bool, isDry: Bool
  ) {
    self.manager = manager
    self.session = session
    self.catalogs = catalogs
    self.isAtomic = isAtomic
    self.isFailFast = isFailFast
    self.isDry = isDry
    screens = ScriptScreens(session, manager, isDry: isDry)
    if isAtomic { transaction = Transaction(name: nil) }
  }

  /// Takes one line; false when no more lines are wanted.
  mutating func take(_ line: LineSplitter.Line) throws(Stop) -> Bool {
    do {
      guard let command = try ScriptParser.command(in: line) else { return true }
      try run(command)
    } catch let fault as ScriptFault {
      refuse(fault, line)
    } catch let stop as Stop {
      throw stop
    } catch {
      throw .store(Problem(code: "internal", message: "\(error)"))
    }
    return !(isFailFast && hasFailed)
  }

  private var hasFailed: Bool {
    session.counted("failed") > 0 || sawRollback || transaction?.fault != nil
  }

  /// The end of the script: what is still open is rolled back, or with `--atomic` committed.
  mutating func finish() throws(Stop) -> Finish {
    if isAtomic, let open = transaction, open.fault == nil {
      try commit(open, answer: nil)
    } else if transaction != nil {
      let fault = transaction?.fault
      rollBack(
        fault ?? Problem(code: "no_commit", message: "the script ended before its commit"))
    }
    if sawRollback { return Finish(reason: "rolled_back", exit: ExitCode.rolledBack) }
    if sawBadScript { return Finish(reason: "bad_script", exit: ExitCode.usage) }
    if session.counted("failed") == 0 { return .done }
    return session.hasRefusedKey ? .credentials : .someFailed
  }

  /// A signal or a lost store: nothing of the open transaction was written.
  mutating func abandon(_ stop: Stop) {
    guard transaction != nil else { return }
    let words =
      if case .signal = stop { "a signal ended the run before the commit" } else {
        "the run ended before the commit"
      }
    rollBack(Problem(code: "canceled", message: words))
  }

  // MARK: One command

  private mutating func run(_ command: ScriptCommand) throws(Stop) {
    var result = CommandResult(
      command.operation, line: command.line,
      correlation: "s1:" + (command.ownID ?? "L\(command.line)"))
    result.isDry = isDry
    switch command.action {
    case .commit, .rollback: break
    default:
      if let id = command.ownID, !usedIDs.insert(id).inserted {
        fail(result, Problem(code: "duplicate_id", message: "the id \(id) was used before"))
        sawBadScript = true
        return
      }
    }
    switch command.action {
    case .save(let id, let body):
      result.id = id
      try perform(.save(id: id, body: body), result)
    case .delete(let id):
      result.id = id
      try perform(.delete(id: id), result)
    case .restore(let id):
      result.id = id
      try perform(.restore(id: id), result)
    case .deleteAll: try perform(.deleteAll, result)
    case .list(let kind, let limit):
      if let fault = transaction?.fault { return answerRolledBack(result, fault) }
      _ = try ListCommand.show(
        manager, session, kind: kind, limit: limit, correlation: result.correlation)
      session.tell(result)
    case .screen(let action):
      if answerOutsideOnly(command, result) { return }
      session.tell(try screens.run(action, result))
    case .catalog(let action):
      if answerOutsideOnly(command, result) { return }
      try catalogs.run(action, result)
    case .begin: begin(command, result)
    case .commit: try end(command, result, isCommit: true)
    case .rollback: try end(command, result, isCommit: false)
    }
  }

  /// Refuses, inside a transaction, what cannot be rolled back; true when it was answered.
  private mutating func answerOutsideOnly(
    _ command: ScriptCommand, _ result: CommandResult
  ) -> Bool {
    guard transaction != nil else { return false }
    if let fault = transaction?.fault {
      answerRolledBack(result, fault)
      return true
    }
    sawBadScript = true
    fail(
      result,
      Problem(
        code: "not_in_transaction",
        message: "\(command.operation) cannot be part of a transaction"))
    return true
  }

  private mutating func perform(
    _ operation: Operation, _ result: CommandResult
  ) throws(Stop) {
    if let fault = transaction?.fault { return answerRolledBack(result, fault) }
    if transaction != nil { return try queue(operation, result) }
    if isDry {
      try answer(result, DryRun.outcome(of: operation, manager, session), revision: nil)
      return
    }
    let answers: [Session.Applied]
    do {
      answers = try session.apply([operation], to: manager)
    } catch {
      session.tell(result.failed(error.problem ?? .unanswered))
      throw error
    }
    switch answers.first {
    case .success(let done): try answer(result, done.outcome, revision: done.revision)
    case .failure(let problem): fail(result, problem)
    case nil: break
    }
  }

  private mutating func answer(
    _ result: CommandResult, _ outcome: Outcome, revision: Int64?
  ) throws(Stop) {
    if outcome == .notFound, result.operation == "restore" {
      fail(
        result, Problem(code: "not_found", message: "no item \(result.id ?? "") can be restored"))
    } else {
      session.tell(result.done(outcome, revision: revision))
    }
    if session.output.waitingBytes >= Output.highWaterBytes { try session.output.flush() }
  }

  // MARK: Transactions

  /// How many bytes of operations a transaction may hold; the store takes 16 MiB a commit.
  private static let transactionBytes = 15 << 20

  private mutating func begin(_ command: ScriptCommand, _ result: CommandResult) {
    if transaction != nil {
      let message =
        isAtomic
        ? "the whole script is one transaction already (--atomic)"
        : "a transaction is open already"
      sawBadScript = true
      return fail(result, Problem(code: "nested_transaction", message: message))
    }
    transaction = Transaction(name: command.ownID)
    session.tell(result)
  }

  /// Keeps an operation for the commit; a `cmd.accepted` says so.
  private mutating func queue(_ operation: Operation, _ result: CommandResult) throws(Stop) {
    if case .restore(let id) = operation, try !canRestore(id) {
      return fail(result, Problem(code: "not_found", message: "no item \(id) can be restored"))
    }
    transaction?.sizeBytes += operation.sizeBytes
    if (transaction?.sizeBytes ?? 0) > Self.transactionBytes {
      return fail(
        result, Problem(code: "too_large", message: "the transaction is larger than 15 MiB"))
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
    return try session.wait(for: manager.fetch(id: id, includingDeleted: true)) != nil
  }

  private mutating func end(
    _ command: ScriptCommand, _ result: CommandResult, isCommit: Bool
  ) throws(Stop) {
    guard let open = transaction, !isAtomic else {
      let message =
        isAtomic ? "the whole script is one transaction (--atomic)" : "no transaction is open"
      sawBadScript = true
      return fail(result, Problem(code: "no_transaction", message: message))
    }
    if let name = command.ownID, name != open.name {
      sawBadScript = true
      return fail(
        result,
        Problem(
          code: "no_transaction",
          message:
            "the open transaction is \(open.name.map { "“\($0)”" } ?? "unnamed"), not “\(name)”"))
    }
    if !isCommit {
      transaction = nil
      for queued in open.results {
        var queued = queued
        queued.status = .rolledBack
        session.tell(queued)
      }
      session.tell(result)
    } else if let fault = open.fault {
      rollBack(fault)
      answerRolledBack(result, fault)
    } else {
      transaction = nil
      try commit(open, answer: result)
    }
  }

  /// One commit for all operations; `answer` is the `commit` line's own result.
  private mutating func commit(_ open: Transaction, answer: CommandResult?) throws(Stop) {
    transaction = nil
    var receipt = CommitReceipt(token: nil, outcomes: [])
    do {
      if isDry {
        var outcomes: [Outcome] = []
        for operation in open.operations {
          outcomes.append(try DryRun.outcome(of: operation, manager, session))
        }
        receipt = CommitReceipt(token: nil, outcomes: outcomes)
      } else if !open.operations.isEmpty {
        receipt = try session.commit(open.operations, to: manager)
      }
    } catch {
      let problem = error.problem ?? .unanswered
      for result in open.results + (answer.map { [$0] } ?? []) {
        session.tell(result.failed(problem, status: .rolledBack))
      }
      sawRollback = true
      // Refused for the sake of one operation: the store is well, and the next lines are taken.
      if error.refusal != nil { return }
      throw error
    }
    for (result, outcome) in zip(open.results, receipt.outcomes) {
      try self.answer(result, outcome, revision: receipt.token?.revision)
    }
    guard var answer else { return }
    answer.isChanged = receipt.outcomes.contains(where: \.isChange)
    answer.count = open.operations.count
    answer.revision = receipt.token?.revision
    session.tell(answer)
  }

  /// Answers everything that waits; nothing of it was written.
  private mutating func rollBack(_ problem: Problem) {
    let open = transaction
    transaction = nil
    sawRollback = true
    for result in open?.results ?? [] {
      answerRolledBack(result, problem)
    }
  }

  private func answerRolledBack(_ result: CommandResult, _ problem: Problem) {
    session.tell(
      result.failed(
        Problem(code: "rolled_back", message: "rolled back: \(problem.message)"),
        status: .rolledBack))
  }

  // MARK: Failing

  private mutating func refuse(_ fault: ScriptFault, _ line: LineSplitter.Line) {
    if fault.isSyntax { sawBadScript = true }
    var result = CommandResult(
      fault.operation ?? "", line: line.number,
      correlation: "s1:" + (fault.ownID ?? "L\(line.number)"))
    result.isDry = isDry
    fail(result, fault.problem)
  }

  /// Answers a command that failed; within a transaction that is the transaction's end.
  private mutating func fail(_ result: CommandResult, _ problem: Problem) {
    session.tell(result.failed(problem))
    if transaction != nil, transaction?.fault == nil { transaction?.fault = problem }
  }
}
