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
        operation: "restore", missingFails: true, manager: manager, session: session)
      if let file = invocation.value("file") {
        try batch.run(file: file)
      } else {
        try batch.run(invocation.arguments.enumerated().map { (nil, $1, "s1:A\($0 + 1)") })
      }
      return session.counted("failed") == 0 ? .done : .someFailed
    })
}
