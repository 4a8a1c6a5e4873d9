import Freshet
import FreshetCatalog
import FreshetModels
import FreshetStore

/// `freshet show`: one saved item.
enum ShowCommand {
  static let spec = CommandSpec(
    name: "show",
    summary: "Show one saved item.",
    arguments: [ArgumentSpec(name: "ID", help: "the item's id", count: 1...1)],
    options: [
      .flag("fold", "fold its text first"),
      .flag("unfold", "unfold its text first"),
      .flag("toggle-fold", "fold its text when it is unfolded, and the other way round"),
    ],
    examples: [
      .init(line: "freshet show film:tmdb:movie:603", meaning: "one film"),
      .init(line: "freshet show book:local:1 --fold", meaning: "a book, its text folded"),
    ],
    notes: [
      "A text of \(TextFold.limit) characters or more can be folded; that is kept for the item.",
      "An id that is not saved is exit code 1.", "There must be a store; freshet save makes one.",
    ],
    run: { (invocation, session) throws(Stop) in
      let wish = try FoldWish.of(invocation)
      let manager = try session.openStore(command: "show", mustExist: wish == nil)
      let id: ItemID
      do throws(ContentItemError) {
        id = try ItemID(invocation.arguments[0])
      } catch {
        let result = CommandResult("show", id: invocation.arguments[0], correlation: "s1:A1")
        session.tell(result.failed(Problem(error)))
        return .someFailed
      }
      let screen = DetailScreen(session, manager)
      if let wish {
        let result = CommandResult(wish.operation, id: id.text, correlation: "s1:A1")
        let answer = try screen.fold(id, wish, result)
        session.tell(answer)
        if !answer.isOK { return .someFailed }
      }
      try screen.show(id)
      return session.counted("failed") == 0 ? .done : .someFailed
    })
}
