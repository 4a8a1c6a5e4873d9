import Freshet
import FreshetCatalog
import FreshetStore

/// `freshet restore`: deleted items back to their old place.
enum RestoreCommand {
  static let spec = CommandSpec(
    name: "restore",
    summary: "Bring deleted items back.",
    arguments: [ArgumentSpec(name: "ID", help: "the items' ids", count: 0...Int.max)],
    options: [
      .value("file", "FILE", short: "f", "read ids from FILE, one a line, - for standard input")
    ],
    examples: [
      .init(line: "freshet restore film:tmdb:movie:603", meaning: "undo a delete"),
      .init(line: "freshet restore -f ids.txt", meaning: "undo the deletes of a list"),
    ],
    notes: [
      "An item that is not deleted is no failure; one that is not known, or no longer, is. The ids "
        + "of one command line are one commit; of a file, what is read at a time."
    ],
    run: { (invocation, session) throws(Stop) in
      guard invocation.arguments.isEmpty == invocation.has("file") else {
        throw .usage("bad_arguments", "restore needs either ids, or -f FILE")
      }
      let manager = try session.openStore(command: "restore")
      let batch = IDBatch(
        operation: "restore", isDry: false, missingFails: true, manager: manager, session: session)
      if let file = invocation.value("file") {
        try batch.run(file: file)
      } else {
        try batch.run(invocation.arguments.enumerated().map { (nil, $1, "s1:A\($0 + 1)") })
      }
      return session.counted("failed") == 0 ? .done : .someFailed
    })
}

/// What operations would do, told from the store as it is.
enum DryRun {
  static func outcome(
    of operation: Operation, _ manager: DatabaseManager, _ session: Session
  ) throws(Stop) -> Outcome {
    switch operation {
    case .save(let id, let body):
      guard let record = try session.wait(for: manager.fetch(id: id)), !record.isDeleted else {
        return .saved
      }
      return record.body == body ? .unchanged : .replaced
    case .delete(let id):
      let record = try session.wait(for: manager.fetch(id: id))
      return record.map { !$0.isDeleted } ?? false ? .deleted : .notFound
    case .restore(let id):
      guard let record = try session.wait(for: manager.fetch(id: id, includingDeleted: true)) else {
        return .notFound
      }
      return record.isDeleted ? .restored : .notDeleted
    case .deleteAll:
      return .deletedAll(try session.wait(for: manager.contentDeletion()).count)
    case .expect(let id, let expectation):
      let revision = try session.wait(for: manager.fetch(id: id))?.revision
      return expectation.isMet(by: revision) ? .met : .conflict(revision)
    }
  }
}
