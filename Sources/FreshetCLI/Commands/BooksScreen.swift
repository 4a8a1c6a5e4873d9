import Freshet
import FreshetCatalog
import FreshetModels
import FreshetStore

/// The screen of a series and the summary of its book, run intent by intent, every step told.
///
/// Commands and scripts use it alike; it is used by the main thread.
final class BooksScreen {
  private let session: Session
  private let manager: DatabaseManager
  private let store: SeriesStore
  private var model: BooksModel?
  private let teller: ViewTeller
  private var tokens: [Disposable] = []

  init(_ session: Session, _ manager: DatabaseManager) {
    self.session = session
    self.manager = manager
    store = SeriesStore(manager: manager)
    teller = ViewTeller(session.output, .books)
  }

  deinit { model?.close() }

  private func start(_ source: Single<BookSeries, BookFileError>, keeps: Bool) -> BooksModel {
    model?.close()
    let model = BooksModel(source: source, store: store, keepsBooks: keeps)
    tokens = teller.follow(model.transitions, model.notices)
    self.model = model
    return model
  }

  /// Reads the books that are kept; false when that failed, and that is told.
  func read(_ correlation: String) throws(Stop) -> Bool {
    guard let problem = try readQuietly(correlation) else { return true }
    session.tell(CommandResult("load", correlation: correlation).failed(problem))
    return false
  }

  /// Reads the books that are kept, and answers what was in the way.
  func readQuietly(_ correlation: String?) throws(Stop) -> Problem? {
    teller.begin(correlation)
    let model = start(store.series(), keeps: false)
    model.load()
    return Self.problem(try session.settled(model.settled()))
  }

  /// Loads books and keeps them.
  func load(
    _ source: Single<BookSeries, BookFileError>, _ result: CommandResult
  ) throws(Stop) -> CommandResult {
    teller.begin(result.correlation)
    let model = start(source, keeps: true)
    model.load()
    let state = try session.settled(model.settled())
    if let problem = Self.problem(state) ?? notPersisted { return result.failed(problem) }
    var result = result
    result.isChanged = true
    result.outcome = "loaded"
    result.count = state.books.count
    return result
  }

  /// Chooses a book by its number, from 1; the books must have been read.
  ///
  /// - Parameter simulation: What a dry run would have done so far; nil when it is done.
  func select(
    _ word: String, _ result: CommandResult, _ simulation: DrySimulation? = nil
  ) throws(Stop) -> CommandResult {
    guard let model, let number = Int(word) else {
      return result.failed(
        Problem(
          code: "bad_value",
          message: "select needs a whole number, from 1, not “\(word.prefix(40))”"
        ))
    }
    if let simulation, model.state.books.rows.indices.contains(number &- 1) {
      var result = result
      result.id = BookText.id(model.state.books.rows[number - 1])
      result.isChanged = number - 1 != simulation.selectedBook ?? model.state.selected
      simulation.selectedBook = number - 1
      result.outcome = result.isChanged ? "selected" : "unchanged"
      return result
    }
    teller.begin(result.correlation)
    model.select(number &- 1)
    let state = try session.settled(model.settled())
    var result = result
    switch teller.lastNotice?.name {
    case "invalidIndex":
      return result.failed(
        Problem(
          code: "invalid_index",
          message: "there is no book \(number); there are \(state.books.count)"
        ))
    case "alreadySelected": result.outcome = "unchanged"
    case "notPersisted": return result.failed(notPersisted ?? .unanswered)
    default:
      result.isChanged = true
      result.outcome = "selected"
    }
    result.id = state.book.map(BookText.id)
    return result
  }

  /// Prints the books.
  func showBooks(_ correlation: String?, _ simulation: DrySimulation? = nil) throws(Stop) {
    guard let model else { return }
    let state = model.state
    let selected = simulation?.selectedBook ?? state.selected
    var head = EventHead("snapshot.begin")
    head.view = View.books.name
    head.correlation = correlation
    session.output.emit(head) { $0.int("count", state.books.count) }
    for (index, book) in state.books.rows.enumerated() {
      let mark = index == selected ? "*" : ""
      let waiting = emit(
        book, index, correlation,
        text: TextRow.line([mark, "\(index + 1)"]) + TextRow.separator + BookText.row(book)
      ) {
        $0.bool("selected", index == selected)
      }
      if waiting >= Output.highWaterBytes { try session.output.flush() }
    }
    session.count("items", state.books.count)
  }

  /// Prints the chosen book, its summary as far as it is shown.
  func showBook(_ wish: FoldWish?, _ correlation: String) throws(Stop) {
    guard let book = model?.state.book, let index = model?.state.selected else {
      let problem = Problem(
        code: "not_found", message: "no books are loaded; freshet books load FILE loads some")
      session.tell(CommandResult("show", correlation: correlation).failed(problem))
      return
    }
    let summary = SummaryModel(folds: FoldStore(manager: manager))
    let foldTeller = ViewTeller(session.output, .summary)
    foldTeller.begin(correlation)
    let tokens = foldTeller.follow(summary.transitions, summary.notices)
    defer {
      for token in tokens { token.dispose() }
      summary.close()
    }
    summary.configure(key: book.key, text: book.summary)
    var state = try session.settled(summary.settled())
    if let wish {
      var result = CommandResult(wish.operation, id: BookText.id(book), correlation: correlation)
      foldTeller.begin(correlation)
      summary.obey(wish)
      let before = state.fold
      state = try session.settled(summary.settled())
      result = result.folded(before, state.fold, foldTeller.lastNotice)
      session.tell(result)
    }
    let fold = state.fold
    _ = emit(book, index, correlation, text: BookText.page(book, fold)) { data in
      data.summary(
        of: book.summary, fold, beside: JSONValue.object(book.row).jsonBytes.count)
      // A text that is no day can be as long as the book, which has it too.
      let release = book.releaseLine.flatMap { data.isTight && $0.utf8.count > 512 ? nil : $0 }
      data.string("release_line", release)
    }
    session.count("items")
  }

  private func emit(
    _ book: SeriesBook, _ index: Int, _ correlation: String?, text: String,
    _ more: (inout ObjectWriter) -> Void
  ) -> Int {
    var head = EventHead("snapshot.item")
    head.view = View.books.name
    head.id = BookText.id(book)
    head.correlation = correlation
    return session.output.emit(head, text: text) { data in
      data.int("index", index)
      data.value("item", .object(book.row))
      more(&data)
    }
  }

  private var notPersisted: Problem? {
    guard let notice = teller.lastNotice, notice.name == "notPersisted" else { return nil }
    return Problem(notice: notice.details)
  }

  private static func problem(_ state: BooksModel.State) -> Problem? {
    if case .failed(let error) = state.phase { Problem(error) } else { nil }
  }
}

extension Problem {
  /// The error that a notice carries.
  init(notice details: JSONObject) {
    let error = details["error"]?.objectValue
    self.init(
      code: error?["code"]?.stringValue ?? "not_persisted",
      message: error?["message"]?.stringValue ?? "it could not be kept",
      retryable: error?["retryable"]?.boolValue ?? false)
  }
}

extension SummaryModel {
  /// Does what is wished of the fold.
  func obey(_ wish: FoldWish) {
    switch wish {
    case .fold: fold()
    case .unfold: unfold()
    case .toggle: toggle()
    }
  }
}

extension CommandResult {
  /// The result of folding.
  func folded(
    _ before: TextFold, _ after: TextFold, _ notice: (name: String, details: JSONObject)?
  ) -> CommandResult {
    if let notice, notice.name == "notPersisted" {
      return failed(Problem(notice: notice.details))
    }
    var result = self
    result.isChanged = before != after
    result.outcome =
      result.isChanged ? after.name : notice?.name == "nothingToFold" ? "short" : "unchanged"
    return result
  }
}

extension BookText {
  /// A book as people read it.
  static func page(_ book: SeriesBook, _ fold: TextFold) -> String {
    var lines = [TextLine.clean(book.title)]
    if let author = book.author { lines.append(TextLine.clean(author)) }
    if let release = book.releaseLine { lines.append(TextLine.clean(release)) }
    if let dedication = book.dedication { lines += ["", TextLine.clean(dedication)] }
    if !book.summary.isEmpty { lines += ["", TextLine.clean(fold.shown(of: book.summary))] }
    if let button = fold.button { lines.append("[\(button)]") }
    if !book.chapters.isEmpty { lines.append("") }
    lines += book.chapters.map { TextLine.clean($0) }
    return lines.joined(separator: "\n")
  }
}
