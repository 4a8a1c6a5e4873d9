import FreshetCatalog
import FreshetStore

extension StoreCommand {
  static func importItems(_ files: [String], _ session: Session) throws(Stop) -> Finish {
    try takes(1...1, files, "store import needs a file, or - for standard input")
    let manager = try session.openStore(command: "store")
    let input = try Input(files[0], session: session)
    var items = ItemImport(manager: manager, session: session, name: input.name)
    var splitter = DocumentSplitter(mixesForms: true, limit: ExportedItem.lineLimitBytes)
    do throws(Stop) {
      while !items.isOver, let bytes = try input.next() {
        for piece in splitter.feed(bytes) { try items.take(piece) }
      }
      if !items.isOver {
        for piece in splitter.finish() { try items.take(piece) }
      }
      return try items.finish()
    } catch {
      if case .signal = error { items.tellCanceled() }
      throw error
    }
  }
}

/// Items of an export into the store: gathers them into commits, and tells which are refused.
private struct ItemImport {
  /// How many bytes of items one commit takes; the store takes 16 MiB.
  private static let commitBytes = 4 << 20

  private let manager: DatabaseManager
  private let session: Session
  /// How messages call the input.
  private let name: String
  /// Whether the rest of the input cannot be told apart.
  private(set) var isOver = false
  private var items = 0
  private var changed = 0
  private var refused = 0
  /// How many of the items wait for their commit.
  private var pending = 0
  private var operations: [Operation] = []
  private var size = 0

  init(manager: DatabaseManager, session: Session, name: String) {
    self.manager = manager
    self.session = session
    self.name = name
  }

  /// Where something stands in the input.
  private struct Position {
    var line: Int
    var row: Int?
    var column: Int?
  }

  mutating func take(_ piece: DocumentSplitter.Piece) throws(Stop) {
    if isOver { return }
    switch piece {
    case .tooLarge(let line):
      refuse(
        Position(line: line),
        Problem(
          code: "too_large",
          message: "it has more than 1 MiB, which no item has; is a newline missing?"))
    case .broken(let line, let reason, let isFatal):
      isOver = isFatal
      refuse(
        Position(line: line),
        Problem(
          code: "invalid_json",
          message: "broken JSON: \(reason); mend it and import the file again"))
    case .document(let line, let row, let column, let bytes):
      try take(bytes, Position(line: line, row: row, column: column))
    }
  }

  private mutating func take(_ bytes: [UInt8], _ place: Position) throws(Stop) {
    let item: ExportedItem
    do throws(Refusal) {
      item = try Self.checked(bytes)
    } catch {
      var place = place
      if let (line, column) = error.place {
        place.column = line > 1 ? column : place.column.map { $0 + column - 1 }
        place.line += line - 1
      } else {
        place.column = nil
      }
      return refuse(place, error.problem)
    }
    if item.isDeleted {
      // Saving it again would move it to the end of the list.
      let present = try session.wait(for: manager.fetch(id: item.id, includingDeleted: true))
      if let present, present.isDeleted, present.body == item.body {
        items += 1
        return
      }
    }
    operations += item.operations
    size += item.body.count
    items += 1
    pending += 1
    if size >= Self.commitBytes { try commit() }
  }

  private mutating func refuse(_ place: Position, _ problem: Problem) {
    refused += 1
    var result = CommandResult(
      "store.import", line: place.line,
      correlation: "s1:L\(place.line)" + (place.row.map { ".\($0)" } ?? ""))
    result.row = place.row
    result.file = name
    result.column = place.column
    session.tell(result.failed(problem))
  }

  private mutating func commit() throws(Stop) {
    if operations.isEmpty { return }
    let receipt = try session.wait(for: manager.apply(operations))
    changed += receipt.outcomes.count { $0 == .saved || $0 == .replaced }
    operations = []
    pending = 0
    size = 0
  }

  /// Tells how far it came when a signal ended it.
  func tellCanceled() {
    let committed = items - pending
    var result = CommandResult("store.import", correlation: "s1:A1")
    result.isChanged = changed > 0
    result.tell("items", committed)
    result.tell("changed", changed)
    result.tell("refused", refused)
    session.tell(
      result.failed(
        Problem(
          code: "canceled",
          message: "\(name): a signal ended the import; \(committed) items are in the store. "
            + "Import the file again: what is there already stays as it is"),
        status: .canceled))
  }

  /// Commits what is left, and tells how it went.
  mutating func finish() throws(Stop) -> Finish {
    try commit()
    var result = CommandResult("store.import", correlation: "s1:A1")
    result.isChanged = changed > 0
    result.tell("items", items)
    result.tell("changed", changed)
    result.tell("refused", refused)
    result.reason = "\(items) items, \(changed) of them new or changed"
    if refused > 0 {
      let rest = isOver ? ", and what follows the last of them was not read" : ""
      result = result.failed(
        Problem(
          code: "refused",
          message: "\(name): \(refused) refused\(rest); the other \(items) items are in the store. "
            + "Mend those and import the file again: what is there already stays as it is"))
    }
    session.tell(result)
    return refused > 0 ? .someFailed : .done
  }

  // MARK: Checks

  /// Why something of the input is no item.
  private struct Refusal: Error {
    let problem: Problem
    /// Line and column in the document, from 1.
    var place: (line: Int, column: Int)?
  }

  private static let knownFields = Set(ContentItem.fieldNames)

  /// The item, when the store takes it; a film or book with the checks of `save`, but that it may be as
  /// large and as deep as a program can have saved it.
  private static func checked(_ bytes: [UInt8]) throws(Refusal) -> ExportedItem {
    let item: ExportedItem
    do throws(ExportedItem.Fault) {
      item = try ExportedItem(parsing: bytes)
    } catch {
      throw Refusal(problem: Problem(error), place: (error.line, error.column))
    }
    do throws(StoreError) {
      try item.validate()
    } catch {
      throw Refusal(problem: Problem(error))
    }
    return Query.contents.matches(item.id) ? try content(of: item) : item
  }

  /// A film or book: its body must be such an item of that id, and goes in with the fields that `save`
  /// would write; where those are not its own, as `save` writes it, if `save` would take it then.
  private static func content(of item: ExportedItem) throws(Refusal) -> ExportedItem {
    let content: ContentItem
    let isAsSaved: Bool
    do {
      let value = try JSONValue(parsing: item.body, depthLimit: Limits.bodyLevels)
      guard let read = try Self.content(value, of: try ItemID(item.id)) else { return item }
      content = read
      let fields = value.objectValue ?? [:]
      isAsSaved =
        item.body.count <= ContentItem.sizeLimitBytes
        && ["kind", "source"].allSatisfy { fields[$0]?.stringValue != nil }
        && fields.keys.allSatisfy(knownFields.contains)
    } catch let error as ContentItemError {
      var problem = Problem(error)
      if error.code == .missingID {
        problem = Problem(
          code: problem.code,
          message: "the body has no id; write \"id\":\"\(item.id)\" into it")
      }
      throw Refusal(problem: problem)
    } catch let error as JSONError {
      throw Refusal(problem: Problem(error))
    } catch let error as Refusal {
      throw error
    } catch {
      throw Refusal(problem: Problem(code: "invalid_body", message: "\(error)"))
    }
    if isAsSaved { return item }
    // Filters and readers of events look for the fields where `save` writes them.
    let body = content.jsonBytes
    if RecordDepth.exceeds(body) { return item }
    return ExportedItem(id: item.id, isDeleted: item.isDeleted, body: body)
  }

  /// The record that a body is; nil for one that is fine but for its size, which only a program saves.
  private static func content(_ value: JSONValue, of id: ItemID) throws -> ContentItem? {
    let content: ContentItem?
    let own: ItemID
    do throws(ContentItemError) {
      let read = try ContentItem(value)
      (content, own) = (read, read.id)
    } catch {
      // The size is looked at last.
      guard error.code == .tooLarge, let text = value.objectValue?["id"]?.stringValue else {
        throw error
      }
      (content, own) = (nil, try ItemID(text))
    }
    if own != id {
      throw Refusal(
        problem: Problem(
          code: "conflicting_fields",
          message: "the id beside the body is \(id), and the one in it \(own); make them "
            + "the same"))
    }
    return content
  }
}

extension Problem {
  /// A document that is no exported item.
  fileprivate init(_ fault: ExportedItem.Fault) {
    let wanted = #"write {"id":"…","body":{…}}"#
    let (code, advice): (String, String)
    switch fault.kind {
    case .json(.tooDeep):
      self.init(
        code: "too_deep",
        message:
          "the body nests deeper than the \(Limits.bodyLevels) levels that a store keeps; nest "
          + "it less deep")
      return
    case .json(.invalidUTF8): (code, advice) = ("invalid_utf8", "write the file as UTF-8")
    case .json: (code, advice) = ("invalid_json", wanted)
    case .notAnObject: (code, advice) = ("not_an_object", wanted)
    case .missing("id"): (code, advice) = ("missing_id", wanted)
    case .missing, .unknown:
      (code, advice) = (
        "invalid_body", wanted + "; records without a body around them go in with freshet save -f"
      )
    case .twice: (code, advice) = ("invalid_body", "leave one of them")
    case .wrongType("id"): (code, advice) = ("wrong_type", "write it in quotes")
    case .wrongType("deleted"): (code, advice) = ("wrong_type", "write it without quotes")
    case .wrongType: (code, advice) = ("invalid_body", wanted)
    }
    self.init(code: code, message: "\(fault.message); \(advice)")
  }
}
