import Freshet
import FreshetCatalog
import FreshetModels
import FreshetStore

/// `freshet books`: the books of a series, one of them shown.
enum BooksCommand {
  static let actions = ["load", "list", "select", "show"]

  static let spec = CommandSpec(
    name: "books",
    summary: "Load a series of books, choose one, fold its summary.",
    arguments: [
      ArgumentSpec(
        name: "ACTION", help: actions.joined(separator: ", "), count: 1...1, choices: actions),
      ArgumentSpec(name: "WORD", help: "load FILE; select N, from 1", count: 0...1),
    ],
    options: [
      .flag("fold", "show: fold the summary first"),
      .flag("unfold", "show: unfold the summary first"),
      .flag("toggle-fold", "show: fold the summary when it is unfolded, and the other way round"),
    ],
    examples: [
      .init(line: "freshet books load series.json", meaning: "keep the books of a file"),
      .init(line: "freshet books select 2", meaning: "show the second one from here on"),
      .init(line: "freshet books show --toggle-fold", meaning: "the chosen book"),
    ],
    notes: [
      "A file holds {\"data\":[{\"attributes\":{\"title\":…,\"summary\":…}}]}; only the title must "
        + "be there. A file takes the place of the one before.",
      "A summary of \(TextFold.limit) characters or more can be folded. That is kept per book, under "
        + "the book's id, or its title where it has none.",
    ],
    run: { (invocation, session) throws(Stop) in
      try BooksRun(invocation, session).run()
    })
}

/// What is done to a text's fold.
enum FoldWish: String, CaseIterable {
  case fold
  case unfold
  case toggle = "toggle-fold"

  /// The wish of a command line, nil for none.
  /// - Throws: ``Stop/usage(_:)`` for more than one.
  static func of(_ invocation: Invocation) throws(Stop) -> FoldWish? {
    let given = allCases.filter { invocation.has($0.rawValue) }
    if given.count > 1 {
      throw .usage(
        "bad_option", "options --\(given[0].rawValue) and --\(given[1].rawValue) exclude each other"
      )
    }
    return given.first
  }

  /// The name in results.
  var operation: String { self == .toggle ? "toggleFold" : rawValue }
}

/// One run of `books`.
private struct BooksRun {
  private let action: String
  private let word: String?
  private let wish: FoldWish?
  private let session: Session

  init(_ invocation: Invocation, _ session: Session) throws(Stop) {
    self.session = session
    action = invocation.arguments[0]
    word = invocation.arguments.dropFirst().first
    wish = try FoldWish.of(invocation)
    if let wish, action != "show" {
      throw .usage("bad_option", "option --\(wish.rawValue) is for books show alone")
    }
    switch (action, word) {
    case ("load", nil): throw .usage("bad_arguments", "books load needs a FILE")
    case ("select", nil): throw .usage("bad_arguments", "books select needs a number, from 1")
    case ("list", let word?), ("show", let word?):
      throw .usage("bad_arguments", "books \(action) does not take “\(word.prefix(80))”")
    default: break
    }
  }

  func run() throws(Stop) -> Finish {
    let isReading = action == "list" || action == "show" && wish == nil
    let manager = try session.openStore(command: "books", mustExist: isReading)
    let screen = BooksScreen(session, manager)
    switch action {
    case "load": try load(screen)
    case "list": if try screen.read("s1:A1") { try screen.showBooks(nil) }
    case "select":
      if try screen.read("s1:A1") {
        session.tell(try screen.select(word ?? "", CommandResult("select", correlation: "s1:A1")))
      }
    default: if try screen.read("s1:A1") { try screen.showBook(wish, "s1:A1") }
    }
    return session.counted("failed") == 0 ? .done : .someFailed
  }

  private func load(_ screen: BooksScreen) throws(Stop) {
    let books = try BooksFile.read(word ?? "", session)
    session.tell(try screen.load(books, CommandResult("load", correlation: "s1:A1")))
  }
}

/// A file of books as the screen's source.
enum BooksFile {
  /// How large a file may be.
  static let limitBytes = 16 << 20

  /// The file's books, or why there are none.
  /// - Throws: ``Stop/usage(_:)`` for a file that cannot be opened, ``Stop/input(_:)`` for one that
  ///   cannot be read to its end, ``Stop/signal(_:)``.
  static func read(
    _ file: String, _ session: Session
  ) throws(Stop) -> Single<BookSeries, BookFileError> {
    let input = try Input(file, session: session)
    var all: [UInt8] = []
    while let bytes = try input.next() {
      all += bytes
      if all.count > limitBytes {
        return .fail(
          BookFileError(.badJSON, "\(input.name) is larger than \(limitBytes >> 20) MiB"))
      }
    }
    let bytes = all
    return Single(calling: { () throws(BookFileError) in try series(bytes) })
  }

  /// A series whose books fit into records.
  private static func series(_ bytes: [UInt8]) throws(BookFileError) -> BookSeries {
    let series = try BookSeries(parsing: bytes)
    for (index, book) in series.books.enumerated()
    where RecordDepth.exceeds(JSONValue.object(book.row).jsonBytes) {
      throw BookFileError(
        .badRecord,
        "book \(index + 1) of the file nests deeper than \(RecordDepth.limit) levels", index: index)
    }
    return series
  }
}
