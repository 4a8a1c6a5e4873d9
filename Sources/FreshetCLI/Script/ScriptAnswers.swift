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
  private var isJournalBroken = false
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
  /// - Throws: ``Stop/input(_:)`` when the journal cannot be written; they are told all the same.
  func tell(
    _ results: [CommandResult], asOne: Bool = false, with begin: ScriptJournal.Entry? = nil
  ) throws(Stop) {
    var due: [CommandResult] = []
    var finished = begin.map { [$0] } ?? []
    for result in results {
      guard let ticket = result.ticket, let entry = open.removeValue(forKey: ticket) else {
        continue
      }
      due.append(result)
      if !result.isOK { failures += 1 }
      if let id = entry.ownID {
        openIDs[id] = nil
        outcomes[id] = .some(
          result.isOK ? nil : result.problem ?? Problem(code: "failed", message: "failed"))
      }
      if let name = entry.journalName, result.isOK, result.status == .done {
        finished.append(
          ScriptJournal.Entry(
            name: name, hash: entry.hash, operation: result.operation, outcome: result.outcome))
      }
    }
    var failure: Stop?
    if let journal, !isJournalBroken {
      do throws(Stop) {
        try journal.finish(finished, asOne: asOne)
      } catch {
        isJournalBroken = true
        failure = error
      }
    }
    for result in due { say(result) }
    if let failure { throw failure }
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
