import Freshet
import FreshetModels
import FreshetStore

/// The screens that events tell of.
enum View: String, Sendable, CaseIterable {
  case downloads
  case saved
  case search
  case detail
  case books
  case summary
  case guidance
  case register

  /// The name in the envelope.
  var name: StaticString {
    switch self {
    case .downloads: "downloads"
    case .saved: "saved"
    case .search: "search"
    case .detail: "detail"
    case .books: "books"
    case .summary: "summary"
    case .guidance: "guidance"
    case .register: "register"
    }
  }

  /// Whether the screen shows a list, whose differences are told.
  var hasList: Bool {
    switch self {
    case .downloads, .saved, .search, .books, .guidance: true
    case .detail, .summary, .register: false
    }
  }
}

/// One step of a screen as it is told, whichever screen it is.
struct ViewTransition: Sendable {
  let view: View
  let from: String
  let to: String
  let cause: String
  let state: JSONObject
  let diff: ListDiff

  private init(
    _ view: View, from: String, to: String, cause: String, state: JSONObject, diff: ListDiff
  ) {
    self.view = view
    self.from = from
    self.to = to
    self.cause = cause
    self.state = state
    self.diff = diff
  }

  /// The state after it once more, for whoever missed how it came to be.
  func again(cause: String) -> ViewTransition {
    ViewTransition(view, from: to, to: to, cause: cause, state: state, diff: ListDiff())
  }

  /// The state for a line that it would be too long for: its long texts are cut.
  fileprivate var tightState: JSONObject {
    var tight = state
    for member in state.members {
      guard let text = member.value.stringValue else { continue }
      tight[member.key] = .string(text.cut(toBytes: ObjectWriter.tightTextBytes))
    }
    return tight
  }

  init<S: Screen>(_ view: View, _ transition: Transition<S>) {
    self.view = view
    from = transition.from.name
    to = transition.to.name
    cause = transition.cause.rawValue
    state = transition.state.summary
    diff = transition.diff
  }
}

/// One commit as a screen goes through it, ready to be told.
struct ViewStep: Sendable {
  /// One row of a first state.
  struct Row: Sendable {
    let id: String
    /// The commit that last wrote it; nil for one that is only simulated.
    let revision: Int64?
    let body: [UInt8]
    let text: String
  }

  let view: View
  let list: LiveList
  let transitions: [ViewTransition]
  /// Whether the commit's changes are told as `item.*`, as the screen holds the items themselves.
  let tellsItems: Bool
  /// The rows of a first state where they are not the records of the list.
  var rows: [Row]?
  /// Where the picture of an item lies; nil where pictures are not told of.
  var poster: (@Sendable ([UInt8]) -> String?)?

  /// How many rows a first state has.
  var rowCount: Int { rows?.count ?? list.rows.count }

  /// A row of a first state.
  func row(_ index: Int) -> Row {
    if let rows { return rows[index] }
    let record = list.rows[index]
    return Row(
      id: record.id, revision: record.revision, body: record.body,
      text: ItemText.row(record.id, record.body))
  }
}

extension Output.Batch {
  /// One step of a screen.
  mutating func emitTransition(
    _ transition: ViewTransition, revision: Int64? = nil, index: Int? = nil, count: Int? = nil,
    time: Int64? = nil, cursor: String? = nil, correlation: String? = nil
  ) {
    var head = EventHead("view.changed")
    head.revision = revision
    head.index = index
    head.count = count
    head.time = time
    head.view = transition.view.name
    head.cursor = cursor
    head.correlation = correlation
    emit(head) { data in
      data.string("from", transition.from)
      data.string("to", transition.to)
      data.string("cause", transition.cause)
      data.value("state", .object(data.isTight ? transition.tightState : transition.state))
      if transition.view.hasList { data.writeDiff(transition.diff) }
    }
  }

  /// What a screen says beside its states.
  mutating func emitNotice(_ view: View, _ notice: some ScreenNotice, correlation: String? = nil) {
    var head = EventHead("view.notice")
    head.view = view.name
    head.correlation = correlation
    emit(head) { data in
      data.string("notice", notice.name)
      for member in notice.details.members { data.value(named: member.key, member.value) }
    }
  }
}

extension ObjectWriter {
  /// A list's difference; null, with the number of rows, when it would not fit into a line.
  ///
  /// The commit's `item.*` events tell the same.
  mutating func writeDiff(_ diff: ListDiff) {
    guard !isTight, diff.sizeBytes < 900_000 else {
      null("diff")
      int("diff_rows", diff.rowCount)
      return
    }
    object("diff") { object in
      object.objects("inserted", diff.inserted) { $0.writeRow($1) }
      object.objects("removed", diff.removed) { $0.writeRow($1) }
      object.objects("moved", diff.moved) { row, move in
        row.string("id", move.id)
        row.int("from", move.from)
        row.int("to", move.to)
      }
      object.strings("updated", diff.updated)
    }
  }

  private mutating func writeRow(_ row: ListDiff.Row) {
    string("id", row.id)
    int("index", row.index)
  }
}

extension ListDiff {
  fileprivate var rowCount: Int { inserted.count + removed.count + moved.count + updated.count }

  /// At most this many bytes as JSON; ids could need escapes of six bytes a byte.
  fileprivate var sizeBytes: Int {
    let ids = inserted.map(\.id) + removed.map(\.id) + moved.map(\.id) + updated
    return ids.reduce(0) { sum, id in
      let isPlain = id.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x5C }
      return sum + id.utf8.count * (isPlain ? 1 : 6) + 64
    }
  }
}
