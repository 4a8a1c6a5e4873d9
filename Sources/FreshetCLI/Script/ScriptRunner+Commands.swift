import Freshet
import FreshetCatalog
import FreshetModels
import FreshetStore

extension ScriptRunner {
  /// Whether a command has to wait for another one's end.
  func isBlocked(_ command: ScriptCommand) -> Bool {
    switch command.action {
    case .wait(let id?):
      if case .open(let ticket) = answers.standing(of: id) { return mayEnd(ticket) }
      return false
    case .wait(nil):
      return !writes.isEmpty || jobs.open.values.contains { !$0.endsWithScript }
    default: return jobs.blocks(touch(of: command))
    }
  }

  /// Whether a command that is not answered will be, without lines to come.
  private func mayEnd(_ ticket: Int) -> Bool {
    if let job = jobs.open[ticket] { return !job.endsWithScript }
    return !(transaction?.results.contains { $0.ticket == ticket } ?? false)
  }

  private func touch(of command: ScriptCommand) -> ScriptTouch {
    switch command.action {
    case .save(let id, _), .delete(let id), .restore(let id): .items([id])
    case .deleteAll, .list: .everyItem
    case .screen(let action): screens.touch(of: action)
    case .catalog(let action): catalogs.touch(of: action)
    case .commit: transaction?.touch ?? .nothing
    case .watch, .wait, .begin, .rollback: .nothing
    }
  }

  /// Does a command, or begins it.
  func start(_ command: ScriptCommand, _ result: CommandResult) throws(Stop) {
    switch command.action {
    case .save(let id, let body): return try perform(.save(id: id, body: body), result)
    case .delete(let id): return try perform(.delete(id: id), result)
    case .restore(let id): return try perform(.restore(id: id), result)
    case .deleteAll:
      if transaction == nil { try flushWrites() }
      return try perform(.deleteAll, result)
    default: break
    }
    try flushWrites()
    do {
      try startOther(command, result)
    } catch {
      guard let ticket = result.ticket, answers.isOpen(ticket) else { throw error }
      switch error {
      case .usage(let problem):
        sawBadScript = true
        try fail(result, problem)
      case .credentials(let problem):
        session.noteRefusedKey()
        try fail(result, problem)
      default:
        try answers.tell([error.problem.map { result.failed($0) } ?? result.canceled])
        throw error
      }
    }
  }

  private func perform(_ operation: Operation, _ result: CommandResult) throws(Stop) {
    if let fault = transaction?.fault { return try answers.tell([rolledBack(result, fault)]) }
    if transaction != nil { return try queue(operation, result) }
    try write(operation, result)
  }

  private func startOther(_ command: ScriptCommand, _ result: CommandResult) throws(Stop) {
    switch command.action {
    case .save, .delete, .restore, .deleteAll: break
    case .list(let kind, let limit):
      if let fault = transaction?.fault { return try answers.tell([rolledBack(result, fault)]) }
      _ = try ListCommand.show(
        manager, session, kind: kind, limit: limit, correlation: result.correlation,
        after: simulation)
      try answers.tell([result])
    case .screen(let action):
      if try refuseInTransaction(command, result) { return }
      try startScreen(action, result)
    case .catalog(let action):
      if try refuseInTransaction(command, result) { return }
      try startCatalog(action, result)
    case .watch(let action):
      if try refuseInTransaction(command, result) { return }
      try startWatch(action, result)
    case .wait(let id): try wait(id, result)
    case .begin: try begin(command, result, isReplay: false)
    case .commit: try end(command, result, isCommit: true)
    case .rollback: try end(command, result, isCommit: false)
    }
  }

  /// Refuses, inside a transaction, what cannot be rolled back; true when it was answered.
  private func refuseInTransaction(
    _ command: ScriptCommand, _ result: CommandResult
  ) throws(Stop) -> Bool {
    guard let open = transaction else { return false }
    if let fault = open.fault {
      try answers.tell([rolledBack(result, fault)])
      return true
    }
    sawBadScript = true
    try fail(
      result,
      Problem(
        code: "not_in_transaction",
        message: "\(command.operation) cannot be part of a transaction"))
    return true
  }

  // MARK: Jobs

  private func startScreen(_ action: ScreenAction, _ result: CommandResult) throws(Stop) {
    guard screens.touch(of: action) == .guidances, screens.asksServer else {
      return try answers.tell([try screens.run(action, result)])
    }
    // Somebody else's machine answers: others need not wait for it.
    let lane = try screens.lane(jobs)
    start(result, .guidances, lane.session) { (session) throws(Stop) in
      session.tell(try lane.screens.value.run(action, result))
    }
  }

  private func startCatalog(_ action: CatalogAction, _ result: CommandResult) throws(Stop) {
    if let simulation, case .download(let id) = action {
      switch try simulation.download(id, try catalogs.catalogs(), session) {
      case .success(let outcome):
        return try answers.tell([self.result(result, outcome, revision: nil)])
      case .failure(let problem): return try fail(result, problem)
      }
    }
    guard let work = try catalogs.work(action, result, jobs) else {
      return try fail(
        result, Problem(code: "no_search", message: "there is no search to go on with"))
    }
    var touch = catalogs.touch(of: action)
    if case .search = action { touch = catalogs.searchTouch }
    start(result, touch, work.session, work.run)
  }

  private func startWatch(_ action: WatchAction, _ result: CommandResult) throws(Stop) {
    guard jobs.watches < WatchAction.limit else {
      return try fail(
        result,
        Problem(
          code: "too_many",
          message: "a script follows at most \(WatchAction.limit) views at a time"))
    }
    let session = try jobs.makeSession(correlation: result.correlation)
    if !action.hasBound, let ticket = result.ticket { answers.letOthersPass(ticket) }
    start(
      result, .nothing, session, takesSlot: false, endsWithScript: !action.hasBound
    ) { (session) throws(Stop) in
      var result = result
      do throws(Stop) {
        let finish = try action.invocation.command.run(action.invocation, session)
        result.reason = finish.reason
        if finish.exit == ExitCode.credentials { session.noteRefusedKey() }
        if finish.exit != ExitCode.done {
          result = result.failed(
            Problem(code: finish.reason, message: "the watch ended: \(finish.reason)"))
        }
      } catch {
        // The script is over, and so is what follows it.
        guard case .signal(0) = error, !action.hasBound else { throw error }
        result.reason = "input_end"
      }
      session.tell(result)
    }
  }

  private func start(
    _ result: CommandResult, _ touch: ScriptTouch, _ session: Session, takesSlot: Bool = true,
    endsWithScript: Bool = false, _ work: @escaping @Sendable (Session) throws(Stop) -> Void
  ) {
    guard let ticket = result.ticket else { return }
    jobs.start(
      ScriptJobs.Job(
        ticket: ticket, touch: touch, session: session, result: result, takesSlot: takesSlot,
        endsWithScript: endsWithScript), work)
  }

  // MARK: Waiting

  private func wait(_ id: String?, _ result: CommandResult) throws(Stop) {
    guard let id else { return try answers.tell([result]) }
    switch answers.standing(of: id) {
    case .well: try answers.tell([result])
    case .failed(let problem):
      try answers.tell([
        result.failed(
          Problem(
            code: "wait_failed", message: "\(id) failed: \(problem.message)",
            retryable: problem.retryable))
      ])
    case .open:
      sawBadScript = true
      try fail(
        result,
        Problem(
          code: "endless_wait",
          message: transaction == nil
            ? "\(id) has no end of its own, so a wait for it would never end"
            : "\(id) is answered by the commit of the open transaction, so a wait for it would "
              + "never end"))
    case .unknown:
      sawBadScript = true
      try fail(
        result,
        Problem(
          code: "unknown_id", message: "no line before this one has the id “\(id.prefix(80))”"))
    }
  }
}

extension ScriptCommand {
  /// Whether its id is its own; `commit`, `rollback` and `wait` name somebody else's.
  var claimsID: Bool {
    switch action {
    case .commit, .rollback, .wait: false
    default: true
    }
  }

  /// Whether its id stands in its results; a transaction's end goes by the transaction's id.
  var namesItself: Bool {
    if case .wait = action { false } else { true }
  }

  var isBegin: Bool {
    if case .begin = action { true } else { false }
  }

  /// Whether the journal keeps it: what changes something, as the rest is done again in a rerun.
  var isKept: Bool {
    switch action {
    case .save, .delete, .restore, .deleteAll: true
    case .catalog(.download): true
    case .screen(.fold), .screen(.select), .screen(.change): true
    default: false
    }
  }

  /// The item it is about.
  var itemID: String? {
    switch action {
    case .save(let id, _), .delete(let id), .restore(let id): id
    case .catalog(.download(let id)): id.text
    default: nil
    }
  }
}
