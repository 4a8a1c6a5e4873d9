import Dispatch
import Freshet
import FreshetStore

/// Runs a script: takes its lines one by one while a job slot is free, and answers every command
/// exactly once, whatever happens.
///
/// Used by the main thread. Operations on the store are done there, many lines in one commit where
/// they are there already; downloads and searches are jobs. Commands that touch the same item are done
/// in the order of their lines.
final class ScriptRunner {
  /// How a script is run.
  struct Options {
    var isAtomic = false
    var isFailFast = false
    var isOrdered = false
    var isDry = false
    var jobs = 4
  }

  let manager: DatabaseManager
  let session: Session
  let options: Options
  let answers: ScriptAnswers
  let jobs: ScriptJobs
  let screens: ScriptScreens
  let catalogs: ScriptCatalogs
  /// What a dry run would have done so far.
  let simulation: DrySimulation?
  var writes = ScriptWrites()
  var transaction: ScriptTransaction?
  var usedIDs: Set<String> = []
  var sawBadScript = false
  var sawRollback = false

  /// A command that was taken and waits for others.
  private var next: (command: ScriptCommand, result: CommandResult)?
  private var lines: ArraySlice<LineSplitter.Line> = []

  /// So many results may wait for one before them, with `--ordered`.
  private static let heldLimit = 4096
  /// Jobs that are told to end have so long; the signal handler ends the process after two seconds.
  private static let farewell = 1.5
  /// A view that is silent for so long after the last line has told all there is.
  private static let silence = Duration.milliseconds(250)

  var isAtomic: Bool { options.isAtomic }

  init(
    _ invocation: Invocation, manager: DatabaseManager, session: Session, options: Options,
    journal: ScriptJournal?
  ) {
    self.manager = manager
    self.session = session
    self.options = options
    answers = ScriptAnswers(session, isOrdered: options.isOrdered, journal: journal)
    jobs = ScriptJobs(session)
    simulation = options.isDry ? DrySimulation(manager) : nil
    screens = ScriptScreens(session, manager, simulation)
    catalogs = ScriptCatalogs(invocation, session, manager)
    if options.isAtomic { transaction = ScriptTransaction(name: nil) }
  }

  /// Runs the whole script.
  /// - Throws: ``Stop``, after every command that was taken is answered.
  func run(_ input: Input) throws(Stop) -> Finish {
    do {
      try takeAll(input)
      return try finish()
    } catch {
      abandon(error)
      throw error
    }
  }

  // MARK: Lines

  private func takeAll(_ input: Input) throws(Stop) {
    var splitter = LineSplitter()
    var isAtEnd = false
    while true {
      try session.waiter.checkSignal()
      try hearJobs()
      if let (command, result) = next {
        if isBlocked(command) {
          try flushWrites()
          if isBlocked(command) { try pause() }
          continue
        }
        next = nil
        try start(command, result)
        continue
      }
      if options.isFailFast, hasFailed { return }
      if mustNotTake {
        try flushWrites()
        try pause()
      } else if let line = lines.popFirst() {
        try take(line)
      } else if isAtEnd {
        return
      } else {
        try flushWrites()
        switch try input.next(until: nil, orCall: true) {
        case .called, .nothing: continue
        case .bytes(let bytes): lines = splitter.feed(bytes)[...]
        case .end:
          isAtEnd = true
          if let last = splitter.finish() { lines = [last] }
        }
      }
    }
  }

  /// Whether no line may be taken now: every slot is taken, a view is not followed yet though it would
  /// tell what the next line changes, or too many results wait for a job.
  private var mustNotTake: Bool {
    if jobs.slots >= options.jobs || jobs.isStartingToFollow { return true }
    return answers.heldCount >= Self.heldLimit && jobs.open[answers.headTicket] != nil
  }

  private var hasFailed: Bool { answers.failures > 0 || sawRollback }

  private func pause() throws(Stop) {
    try session.output.flush()
    // A view that says nothing when it begins is not waited for without end.
    _ = try session.waiter.wait(timeout: jobs.isStartingToFollow ? ScriptJobs.beginning : nil)
  }

  private func take(_ line: LineSplitter.Line) throws(Stop) {
    var command: ScriptCommand
    do throws(ScriptFault) {
      guard let found = try ScriptParser.command(in: line) else { return }
      command = found
    } catch {
      return try refuse(error, line)
    }
    if answers.journal != nil { command.hash = ScriptJournal.hash(of: line.bytes ?? []) }
    var result = CommandResult(
      command.operation, line: command.line,
      correlation: "s1:" + (command.namesItself ? command.ownID : nil).orLine(command.line))
    result.isDry = options.isDry
    result.id = command.itemID
    let name = command.ownID.orLine(command.line)
    let mayClaim = command.claimsID && (command.ownID.map { !usedIDs.contains($0) } ?? true)
    result = answers.take(
      result, ownID: mayClaim ? command.ownID : nil,
      journalName: mayClaim && command.isKept ? name : nil, hash: command.hash)
    if command.claimsID, let id = command.ownID, !usedIDs.insert(id).inserted {
      sawBadScript = true
      return try fail(
        result, Problem(code: "duplicate_id", message: "the id \(id) was used before"))
    }
    if try passOver(command, result, name) { return }
    next = (command, result)
  }

  /// Answers a line that is no command.
  private func refuse(_ fault: ScriptFault, _ line: LineSplitter.Line) throws(Stop) {
    if fault.isSyntax { sawBadScript = true }
    var result = CommandResult(
      fault.operation ?? "", line: line.number,
      correlation: "s1:" + fault.ownID.orLine(line.number))
    result.isDry = options.isDry
    var ownID = fault.ownID
    if let id = ownID, !usedIDs.insert(id).inserted { ownID = nil }
    result = answers.take(result, ownID: ownID, journalName: nil, hash: "")
    try fail(result, fault.problem)
  }

  /// Answers what an earlier run finished; false for what is to be done.
  private func passOver(
    _ command: ScriptCommand, _ result: CommandResult, _ name: String
  ) throws(Stop) -> Bool {
    guard let journal = answers.journal, command.isKept || command.isBegin else { return false }
    guard let entry = journal[name] else {
      guard transaction?.isReplay ?? false else { return false }
      sawBadScript = true
      try fail(
        result,
        Problem(
          code: "changed_line",
          message: "the journal has this transaction as finished, without this line; give the "
            + "transaction another id"))
      return true
    }
    guard entry.hash == command.hash else {
      sawBadScript = true
      try fail(
        result,
        Problem(
          code: "changed_line",
          message: "the journal has \(name) as finished, but of another line (\(entry.operation)); "
            + (command.ownID == nil
              ? "give commands ids of their own, so that lines can move"
              : "give a new command a new id")))
      return true
    }
    if command.isBegin {
      try flushWrites()
      try begin(command, result, isReplay: true)
      return true
    }
    transaction?.replayed.insert(name)
    if let fault = transaction?.fault {
      try answers.tell([rolledBack(result, fault)])
    } else {
      try settle(result.replayed(entry))
    }
    return true
  }

  // MARK: Failing

  /// Answers a command that failed; within a transaction that is the transaction's end.
  func fail(_ result: CommandResult, _ problem: Problem) throws(Stop) {
    try settle(result.failed(problem))
    try spoil(problem)
  }

  /// Tells a result after those of the lines before it that wait for their commit.
  func settle(_ result: CommandResult) throws(Stop) {
    if writes.isEmpty { return try answers.tell([result]) }
    writes.add(result)
    if options.isFailFast, !result.isOK { try flushWrites() }
  }

  // MARK: Jobs

  /// Tells what jobs have said.
  private func hearJobs() throws(Stop) {
    for (event, job) in jobs.take() { try hear(event, job) }
    if session.output.isFlushWanted || session.output.waitingBytes >= Output.highWaterBytes {
      try session.output.flush()
    }
  }

  private func hear(_ event: ScriptJobs.Event, _ job: ScriptJobs.Job?) throws(Stop) {
    switch event {
    case .answer(let result): try answers.tell([result])
    case .ended(let ticket, let stop):
      guard let job, answers.isOpen(ticket) else { return }
      switch stop {
      case .signal?:
        try answers.tell([job.result.canceled])
      case .usage(let problem)?:
        sawBadScript = true
        try answers.tell([job.result.failed(problem)])
      case .credentials(let problem)?:
        session.noteRefusedKey()
        try answers.tell([job.result.failed(problem)])
      default:
        try answers.tell([job.result.failed(stop?.problem ?? .unanswered)])
      }
    }
  }

  // MARK: The end

  /// The end of the script: what is still open is rolled back, or with `--atomic` committed; jobs
  /// are waited for.
  private func finish() throws(Stop) -> Finish {
    try flushWrites()
    if let open = transaction {
      if isAtomic, open.fault == nil {
        if let problem = missing(from: open) {
          session.sayError(problem)
          session.diagnostics.error(problem.message)
          try rollBack(problem)
        } else {
          transaction = nil
          try commit(open, answer: nil)
        }
      } else {
        let problem = Problem(code: "no_commit", message: "the script ended before its commit")
        if open.fault == nil, open.results.isEmpty {
          // No command's answer says it.
          session.diagnostics.error("rolled back: \(problem.message)")
        }
        try rollBack(open.fault ?? problem)
      }
    }
    while jobs.open.values.contains(where: { !$0.endsWithScript }) {
      try pause()
      try hearJobs()
    }
    try endWatches()
    if sawRollback { return Finish(reason: "rolled_back", exit: ExitCode.rolledBack) }
    if sawBadScript { return Finish(reason: "bad_script", exit: ExitCode.usage) }
    if answers.failures == 0 { return .done }
    return session.hasRefusedKey ? .credentials : .someFailed
  }

  /// Ends the views that are followed to the script's end, once they have told its last commit.
  ///
  /// A view that the last commits do not concern tells nothing of them; silence is taken for that.
  private func endWatches() throws(Stop) {
    let last = manager.token.revision
    let clock = ContinuousClock()
    var heard = jobs.open.mapValues { ($0.session.output.jobProgress.records, clock.now) }
    while !jobs.open.isEmpty {
      for (ticket, job) in jobs.open {
        let (records, revision) = job.session.output.jobProgress
        if let before = heard[ticket], before.0 != records { heard[ticket] = (records, clock.now) }
        let silence = heard[ticket].map { $0.1.duration(to: clock.now) } ?? .zero
        if revision >= last || silence >= Self.silence { job.session.waiter.stop(.signal(0)) }
      }
      try session.output.flush()
      let last = heard.values.map(\.1).min() ?? clock.now
      let rest = clock.now.duration(to: last + Self.silence)
      _ = try session.waiter.wait(timeout: max(.milliseconds(10), rest))
      try hearJobs()
    }
  }

  /// A signal or a lost store: nothing of the open transaction was written, jobs are told to end, and
  /// every command that was taken is answered.
  private func abandon(_ stop: Stop) {
    var cause = stop
    switch stop {
    // Nobody hears the answers.
    case .readerGone, .writeError: return
    case .signal: break
    default: cause = .signal(0)
    }
    answers.isEnding = true
    for job in jobs.open.values { job.session.waiter.stop(cause) }
    do throws(Stop) {
      try answers.tell(writes.take().map(\.result).map { $0.isOK ? $0.canceled : $0 })
      if transaction != nil {
        var words = "the run ended before the commit"
        if case .signal = stop { words = "a signal ended the run before the commit" }
        try rollBack(Problem(code: "canceled", message: words))
      }
      let deadline = DispatchTime.now() + Self.farewell
      while !jobs.open.isEmpty {
        for (event, job) in jobs.take() { try hear(event, job) }
        try session.output.flush()
        if !jobs.open.isEmpty, !jobs.wait(until: deadline) { break }
      }
      try answers.cancelRest()
    } catch {
      // What cannot be written any more is told by the cause of the end.
      return
    }
  }
}

extension String? {
  /// A command's own id, or the name of its line.
  func orLine(_ line: Int) -> String { self ?? "L\(line)" }
}

extension CommandResult {
  /// The same command, ended with the run before it was done.
  var canceled: CommandResult {
    failed(
      Problem(code: "canceled", message: "the run ended before it was done"), status: .canceled)
  }
}
