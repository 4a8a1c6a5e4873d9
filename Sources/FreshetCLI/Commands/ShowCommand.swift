import Freshet
import FreshetStore

/// `freshet show`: one saved item.
enum ShowCommand {
  static let spec = CommandSpec(
    name: "show",
    summary: "Show one saved item.",
    arguments: [ArgumentSpec(name: "ID", help: "the item's id", count: 1...1)],
    examples: [.init(line: "freshet show film:tmdb:movie:603", meaning: "one film")],
    notes: [
      "An id that is not saved is exit code 1.", "There must be a store; freshet save makes one.",
    ],
    later: ["fold", "unfold", "toggle-fold"],
    run: run)

  private static func run(_ invocation: Invocation, _ session: Session) throws(Stop) -> Finish {
    let id = invocation.arguments[0]
    let manager = try session.openStore(command: "show", mustExist: true)
    guard let record = try session.wait(for: manager.fetch(id: id)), !record.isDeleted else {
      let result = CommandResult("show", id: id, correlation: "s1:A1")
      session.tell(
        result.failed(Problem(code: "not_found", message: "no item \(id) is saved")))
      return .someFailed
    }
    var head = EventHead("snapshot.item")
    head.revision = record.revision
    head.view = "downloads"
    head.id = record.id
    session.output.emit(head, text: ItemText.row(record.id, record.body)) { data in
      data.int("index", 0)
      data.body("item", record.body)
    }
    session.count("items")
    return .done
  }
}
