import Freshet
import FreshetCatalog
import FreshetStore

/// `freshet list`: the saved items, in the order of their insertion.
enum ListCommand {
  static let spec = CommandSpec(
    name: "list",
    summary: "List the saved items.",
    options: [
      .value("kind", "KIND", choices: ["film", "book"], "only items of this kind"),
      .value("limit", "N", "at most N items"),
    ],
    examples: [
      .init(line: "freshet list --kind film", meaning: "the films and series"),
      .init(
        line: "freshet list | jq -c 'select(.type==\"snapshot.item\").data.item'",
        meaning: "the records alone, as save takes them"),
    ],
    notes: ["There must be a store; freshet save makes one."],
    run: run)

  private static func run(_ invocation: Invocation, _ session: Session) throws(Stop) -> Finish {
    let limit = try invocation.wholeNumber("limit", atLeast: 0)
    let kind = invocation.value("kind")
    let manager = try session.openStore(command: "list", mustExist: true)
    let isCut = try show(manager, session, kind: kind, limit: limit, correlation: nil)
    return isCut ? Finish(reason: "limit", exit: ExitCode.done) : .done
  }

  /// Prints the list as one snapshot; true when the limit cut it, and then it has no bookmark.
  ///
  /// - Parameter simulation: What a dry run would have done before.
  static func show(
    _ manager: DatabaseManager, _ session: Session, kind: String?, limit: Int?,
    correlation: String?, after simulation: DrySimulation? = nil
  ) throws(Stop) -> Bool {
    let query = kind.map { Query.ids(startingWith: "\($0):") } ?? .contents
    let list = try session.wait(for: manager.observe(query, from: .snapshot).take(1))
    let step = ViewStep(
      view: .downloads, list: list, transitions: [], tellsItems: true,
      rows: try simulation?.rows(of: list.rows, query, session))
    try session.showSnapshot(
      step, limit: limit ?? .max,
      cursor: Cursor(token: list.token, filter: Cursor.Filter(kind: kind)).text,
      correlation: correlation)
    return limit.map { $0 < step.rowCount } ?? false
  }
}

extension Session {
  /// Prints a state: `snapshot.begin`, the rows, and the bookmark that closes it.
  ///
  /// - Parameters:
  ///   - step: The first step of a screen.
  ///   - filter: Which rows and steps are told.
  ///   - limit: How many rows are printed at most; a list that is cut has no bookmark.
  ///   - cursor: The place of the state; nil for a state without a bookmark of its own.
  func showSnapshot(
    _ step: ViewStep, _ filter: RecordFilter = .all, limit: Int = .max, cursor: String?,
    correlation: String? = nil
  ) throws(Stop) {
    var head = EventHead("snapshot.begin")
    head.revision = step.list.token.revision
    head.view = step.view.name
    head.correlation = correlation
    output.emit(head) { $0.int("count", step.rowCount) }
    let revision = step.list.token.revision
    if let first = step.transitions.first, filter.admits(first) {
      output.batch { $0.emitTransition(first, revision: revision) }
    }
    let count = min(limit, step.rowCount)
    var told = 0
    for index in 0..<count {
      let row = step.row(index)
      guard filter.admits(row, of: step.view) else { continue }
      told += 1
      var head = EventHead("snapshot.item")
      head.revision = row.revision
      head.view = step.view.name
      head.id = row.id
      head.correlation = correlation
      let waiting = output.emit(head, text: row.text) { data in
        data.int("index", index)
        data.body("item", row.body)
        if let poster = step.poster { data.string("poster", poster(row.body)) }
      }
      if waiting >= Output.highWaterBytes { try output.flush() }
    }
    self.count("items", told)
    for transition in step.transitions.dropFirst() where filter.admits(transition) {
      output.batch { $0.emitTransition(transition, revision: revision) }
    }
    guard let cursor, count == step.rowCount else { return }
    sayBookmark(
      cursor, revision: revision, view: step.view, isInitial: true, correlation: correlation)
  }

  /// A place to resume at; the initial one closes a snapshot.
  func sayBookmark(
    _ cursor: String, revision: Int64, view: View?, isInitial: Bool, correlation: String? = nil
  ) {
    var head = EventHead("stream.bookmark")
    head.revision = revision
    head.cursor = cursor
    head.view = view?.name
    head.correlation = correlation
    output.emit(head) { $0.bool("initial", isInitial) }
  }
}

/// Items as people read them.
enum ItemText {
  /// Id, title, date and authors, each a cell.
  static func row(_ id: String, _ body: [UInt8]?) -> String {
    guard let body, let value = try? JSONValue(parsing: body), let object = value.objectValue else {
      return TextRow.line([id, "", "", ""], dim: [0])
    }
    let authors = object["authors"]?.arrayValue?.compactMap(\.stringValue) ?? []
    return TextRow.line(
      [
        id, object["title"]?.stringValue ?? "(no title)",
        object["release_date"]?.stringValue ?? "", authors.joined(separator: ", "),
      ], dim: [0])
  }

  /// What an item says of itself, a line for each thing.
  static func card(_ id: String, _ body: [UInt8]) -> String {
    let object = (try? JSONValue(parsing: body))?.objectValue ?? JSONObject()
    var rows = [("id", id)]
    for name in cardFields {
      guard let value = object[name], !value.isNull else { continue }
      let texts = value.arrayValue?.compactMap(\.stringValue)
      let text = texts?.joined(separator: ", ") ?? value.stringValue ?? value.jsonText
      if !text.isEmpty { rows.append((name.replacing("_", with: " "), text)) }
    }
    return rows.map { TextRow.line([$0.0, $0.1], dim: [0]) }.joined(separator: "\n")
  }

  private static let cardFields = [
    "title", "original_title", "authors", "publisher", "release_date", "vote_average", "price",
    "sale_price", "link",
  ]
}

extension Invocation {
  /// A whole number given as an option's value.
  /// - Throws: ``Stop/usage(_:)`` when it is none, or too small.
  func wholeNumber(_ name: String, atLeast least: Int) throws(Stop) -> Int? {
    guard let text = value(name) else { return nil }
    guard let number = Int(text), number >= least else {
      throw .usage(
        "bad_option",
        "option --\(name) needs a whole number of at least \(least), not “\(text.prefix(80))”")
    }
    return number
  }

  /// The same, within bounds.
  func wholeNumber(_ name: String, in bounds: ClosedRange<Int>) throws(Stop) -> Int? {
    let number = try wholeNumber(name, atLeast: bounds.lowerBound)
    guard let number, number > bounds.upperBound else { return number }
    throw .usage("bad_option", "option --\(name) can be \(bounds.upperBound) at most")
  }

  /// A span of time given as an option's value.
  /// - Throws: ``Stop/usage(_:)`` when it is none.
  func duration(_ name: String) throws(Stop) -> Duration? {
    guard let text = value(name) else { return nil }
    guard let duration = DurationText.parse(text), duration > .zero else {
      throw .usage(
        "bad_option",
        "option --\(name) needs a number and a unit, ms, s, m or h, such as 250ms or 15s, "
          + "not “\(text.prefix(80))”")
    }
    return duration
  }
}
