import Freshet
import FreshetCatalog
import FreshetModels
import FreshetStore

/// The screen of one item, opened for each intent, every step told.
///
/// Commands and scripts use it alike; it is used by the main thread.
struct DetailScreen {
  private let session: Session
  private let manager: DatabaseManager

  init(_ session: Session, _ manager: DatabaseManager) {
    self.session = session
    self.manager = manager
  }

  /// Folds or unfolds an item's text.
  func fold(_ id: ItemID, _ wish: FoldWish, _ result: CommandResult) throws(Stop) -> CommandResult {
    let model = DetailModel(id: id, manager: manager)
    let teller = ViewTeller(session.output, .detail)
    teller.begin(result.correlation)
    let tokens = teller.follow(model.transitions, model.notices)
    defer {
      for token in tokens { token.dispose() }
      model.close()
    }
    model.open()
    var state = try session.settled(model.settled())
    if let problem = Self.problem(state) { return result.failed(problem) }
    let before = state.overview.fold
    switch wish {
    case .fold: model.fold()
    case .unfold: model.unfold()
    case .toggle: model.toggleFold()
    }
    state = try session.settled(model.settled())
    return result.folded(before, state.overview.fold, teller.lastNotice)
  }

  /// Prints an item, with its text as far as it is shown.
  func show(_ id: ItemID) throws(Stop) {
    guard let record = try session.wait(for: manager.fetch(id: id.text)), !record.isDeleted else {
      let result = CommandResult("show", id: id.text, correlation: "s1:A1")
      return session.tell(
        result.failed(Problem(code: "not_found", message: "no item \(id.text) is saved")))
    }
    let isFolded = try session.wait(for: FoldStore(manager: manager).isFolded(id.text))
    let item = try? ContentItem(parsing: record.body)
    let overview = item?.overview
    let posters = try PosterFiles(of: manager, session.settings)
    let address = item.flatMap { posters.address(of: $0) }
    let poster = address.flatMap { posters.kept.path(of: $0) }
    var head = EventHead("snapshot.item")
    head.revision = record.revision
    head.view = View.downloads.name
    head.id = record.id
    session.output.emit(head, text: Self.text(record, overview, isFolded, poster)) { data in
      data.int("index", 0)
      data.body("item", record.body)
      if let overview {
        data.summary(
          of: overview, TextFold(of: overview, isFolded: isFolded), beside: record.body.count)
      }
      guard let address else { return }
      data.string("poster", poster)
      if poster == nil, let part = posters.kept.unfinished(of: address) {
        data.object("poster_part") { object in
          object.int("done", part.doneBytes)
          object.int("total", part.totalBytes.map(Int64.init))
        }
      }
    }
    session.count("items")
  }

  private static func text(
    _ record: Record, _ overview: String?, _ isFolded: Bool, _ poster: String?
  ) -> String {
    let row =
      ItemText.card(record.id, record.body)
      + (poster.map { "\n" + TextRow.line(["picture", $0], dim: [0]) } ?? "")
    guard let overview, !overview.isEmpty else { return row }
    let fold = TextFold(of: overview, isFolded: isFolded)
    return row + "\n\n" + TextLine.clean(fold.shown(of: overview))
      + (fold.button.map { "\n[\($0)]" } ?? "")
  }

  private static func problem(_ state: DetailModel.State) -> Problem? {
    switch state.phase {
    case .missing: Problem(code: "not_found", message: "no item \(state.id.text) is saved")
    case .failed(let error): Problem(error)
    case .idle, .loading, .shown, .saving, .deleting, .dismissed: nil
    }
  }
}

extension ObjectWriter {
  /// A text as far as it is shown; null in place of a text that would not fit into the line beside an
  /// item of so many bytes, which has it whole.
  mutating func summary(of text: String, _ fold: TextFold, beside itemBytes: Int) {
    var summary = fold.summary(of: text)
    let size = JSONValue.object(summary).jsonBytes.count
    if itemBytes + size > ContentItem.sizeLimitBytes { summary["text"] = .null }
    value("summary", .object(summary))
  }
}
