import FreshetStore

/// Answers the commands of a script: each once, in the order in which they are done or, with
/// `--ordered`, of their lines; what is finished is in the journal first.
final class ScriptAnswers {
  /// A command that waits for its answer.
  private struct Open {
    /// The answer it gets when the run ends before it is done.
    let result: CommandResult
    let ownID: String?
    /// Under which name the journal keeps it; nil for what is done again in a rerun.
    let journalName: String?
    let hash: String
  }

  private let session: Session
  private let isOrdered: Bool
  let journal: ScriptJournal?
  private var open: [Int: Open] = [:]
  private var lastTicket = 0
  /// Results that wait for those before them, and the ticket that is told next.
  private var held: [Int: CommandResult] = [:]
  private var nextTicket = 1
  /// How the commands with an id of their own ended: nil when well, else why not.
  private var outcomes: [String: Problem?] = [:]
  private var openIDs: [String: Int] = [:]
  /// Commands that end with the script; nobody waits for their answers.
  private var late: Set<Int> = []
  /// Why the journal takes nothing any more.
  private var journalFailure: System.Failure?
  /// Whether the run ends already: a journal that cannot be written is then told by the results alone.
  var isEnding = false
  /// How many commands failed, told or not yet.
  private(set) var failures = 0

  /// How many results wait for others before they are told.
  var heldCount: Int { held.count }
  /// The command whose answer `--ordered` waits for.
  var headTicket: Int { nextTicket }

  init(_ session: Session, isOrdered: Bool, journal: ScriptJournal?) {
    self.session = session
    self.isOrdered = isOrdered
    self.journal = journal
  }

  /// Takes note of a command: the answer to its ticket is due from now on.
  ///
  /// - Parameters:
  ///   - ownID: The id that others can wait for.
  ///   - journalName: Under which name it is finished, with the hash of its line.
  /// - Returns: The result with its ticket.
  func take(
    _ result: CommandResult, ownID: String?, journalName: String?, hash: String
  ) -> CommandResult {
    lastTicket += 1
    var result = result
    result.ticket = lastTicket
    open[lastTicket] = Open(result: result, ownID: ownID, journalName: journalName, hash: hash)
    if let ownID { openIDs[ownID] = lastTicket }
    return result
  }

  /// Lets others be told before a command that goes on to the end of the script.
  func letOthersPass(_ ticket: Int) { late.insert(ticket) }

  /// Answers all that is open: the run ended before it was done.
  func cancelRest() throws(Stop) {
    try tell(open.sorted { $0.key < $1.key }.map(\.value.result.canceled))
  }

  func isOpen(_ ticket: Int) -> Bool { open[ticket] != nil }

  /// What an id stands for.
  enum Standing {
    case unknown
    /// Not answered yet.
    case open(Int)
    case well
    case failed(Problem)
  }

  func standing(of id: String) -> Standing {
    if let ticket = openIDs[id] { return .open(ticket) }
    switch outcomes[id] {
    case nil: return .unknown
    case .some(nil): return .well
    case .some(.some(let problem)): return .failed(problem)
    }
  }

  /// Tells results; those whose command was answered before are dropped.
  ///
  /// - Parameters:
  ///   - asOne: Whether they belong to one transaction.
  ///   - begin: The transaction's begin, which is finished with them.
  /// - Throws: ``Stop/journal(_:)`` when the journal cannot be written. What is in it is told as done
  ///   then, and what was done and is not in it as failed, with what the store did.
  func tell(
    _ results: [CommandResult], asOne: Bool = false, with begin: ScriptJournal.Entry? = nil
  ) throws(Stop) {
    var due: [(result: CommandResult, ownID: String?, place: Int?)] = []
    var finished = begin.map { [$0] } ?? []
    for result in results {
      guard let ticket = result.ticket, let entry = open.removeValue(forKey: ticket) else {
        continue
      }
      let isDone = result.isOK && result.status == .done
      if let name = entry.journalName, isDone {
        finished.append(
          ScriptJournal.Entry(
            name: name, hash: entry.hash, operation: result.operation, outcome: result.outcome))
      }
      let isJournalled = isDone && (entry.journalName != nil || asOne)
      due.append((result, entry.ownID, isJournalled ? finished.count - 1 : nil))
    }
    let wasBroken = journalFailure != nil
    let kept = keep(finished, asOne: asOne)
    for (result, ownID, place) in due {
      var result = result
      if let place, place >= kept { result = unkept(result) }
      if !result.isOK { failures += 1 }
      if let ownID {
        openIDs[ownID] = nil
        outcomes[ownID] = .some(
          result.isOK ? nil : result.problem ?? Problem(code: "failed", message: "failed"))
      }
      say(result)
    }
    if !wasBroken, !isEnding, let journal, let journalFailure {
      throw journal.stop(for: journalFailure)
    }
  }

  /// Writes into the journal what is finished; returns how many of them need no word of its failure.
  private func keep(_ finished: [ScriptJournal.Entry], asOne: Bool) -> Int {
    guard let journal else { return .max }
    if journalFailure != nil { return 0 }
    do throws(ScriptJournal.Shortfall) {
      try journal.finish(finished, asOne: asOne)
      return .max
    } catch {
      journalFailure = error.failure
      return asOne ? 0 : error.kept
    }
  }

  /// A command that was done, and that the journal does not have.
  private func unkept(_ result: CommandResult) -> CommandResult {
    guard let journal, let journalFailure else { return result }
    var answer = result.failed(
      Problem(
        code: "journal_not_written",
        message: "it is done, but the journal \(journal.path) does not have it "
          + "(\(journalFailure.words)), so that a rerun does it again",
        retryable: journalFailure.isForWantOfRoom))
    answer.isChanged = result.isChanged
    answer.outcome = result.outcome
    return answer
  }

  private func say(_ result: CommandResult) {
    guard isOrdered, let ticket = result.ticket, !late.contains(ticket) else {
      return session.tell(result)
    }
    held[ticket] = result
    while true {
      if let next = held.removeValue(forKey: nextTicket) {
        session.tell(next)
      } else if !late.contains(nextTicket) {
        return
      }
      nextTicket += 1
    }
  }
}
