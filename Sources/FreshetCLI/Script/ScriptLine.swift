import FreshetCatalog
import FreshetStore

/// One command of a script.
struct ScriptCommand {
  /// What to do.
  enum Action {
    case save(id: String, body: [UInt8])
    case delete(String)
    case restore(String)
    case deleteAll
    case list(kind: String?, limit: Int?)
    case screen(ScreenAction)
    case catalog(CatalogAction)
    case watch(WatchAction)
    /// Waits for the answer of the command with this id; without one, for all that are open.
    case wait(String?)
    case begin
    case commit
    case rollback
  }

  let line: Int
  /// The operation as it is named in results; nil when the line has none.
  let operation: String
  /// The command's own id, or for `commit` and `rollback` the transaction's.
  let ownID: String?
  let action: Action
  /// Of its line, for the journal; empty without one.
  var hash = ""
}

/// A line that is no command.
struct ScriptFault: Error {
  var operation: String?
  var ownID: String?
  let problem: Problem
  /// Whether the script is wrong, rather than a record in it.
  var isSyntax = true
}

/// Reads script lines: JSON when they begin with `{`, else words as a shell would split them.
enum ScriptParser {
  static let operations =
    [
      "save", "delete", "deleteAll", "restore", "list", "watch", "wait", "begin", "commit",
      "rollback",
    ] + ScreenAction.operations + CatalogAction.operations

  /// The command on a line, nil for a blank line or a comment.
  static func command(in line: LineSplitter.Line) throws(ScriptFault) -> ScriptCommand? {
    if line.isBlank { return nil }
    guard let bytes = line.bytes else {
      throw fault("too_large", "the line is longer than 1 MiB")
    }
    let first = bytes.first { $0 != 0x20 && $0 != 0x09 }
    if first == UInt8(ascii: "#") { return nil }
    if first == UInt8(ascii: "{") { return try jsonCommand(bytes, line.number) }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw fault("invalid_utf8", "the line is not UTF-8")
    }
    return try wordCommand(text, line.number)
  }

  // MARK: JSON

  private static func jsonCommand(
    _ bytes: [UInt8], _ line: Int
  ) throws(ScriptFault) -> ScriptCommand {
    let value: JSONValue
    do {
      value = try JSONValue(parsing: bytes)
    } catch {
      throw ScriptFault(problem: Problem(error), isSyntax: error.reason != .tooDeep)
    }
    let object = value.objectValue ?? JSONObject()
    let ownID = try ownID(of: object, line)
    do throws(ScriptFault) {
      guard let operation = try text("op", in: object) else {
        throw fault("missing_op", "the command has no op")
      }
      try checkName(operation)
      let action = try action(operation, object)
      return ScriptCommand(line: line, operation: operation, ownID: ownID, action: action)
    } catch {
      var error = error
      error.ownID = ownID
      error.operation = error.operation ?? object["op"]?.stringValue
      throw error
    }
  }

  /// The command's own id.
  ///
  /// `L5` is how line 5 is called where it has none, so no other line can have it.
  private static func ownID(of object: JSONObject, _ line: Int) throws(ScriptFault) -> String? {
    guard let id = try text("id", in: object) else { return nil }
    if id.isEmpty || id.utf8.count > 256 {
      throw fault("bad_value", "an id has 1 to 256 bytes, not \(id.utf8.count)")
    }
    let digits = id.dropFirst()
    if id.first == "L", !digits.isEmpty, digits.allSatisfy(\.isASCIIDigit), digits != "\(line)" {
      throw fault("bad_value", "the id \(id) is the name of line \(digits); choose another")
    }
    return id
  }

  private static func action(
    _ operation: String, _ object: JSONObject
  ) throws(ScriptFault) -> ScriptCommand.Action {
    if operation == "watch" { return .watch(try WatchAction(object)) }
    if operation == "wait" {
      try checkFields(of: object, operation, [])
      return .wait(try text("id", in: object))
    }
    if let screen = try ScreenAction.ofObject(operation, object) { return .screen(screen) }
    if let catalog = try CatalogAction.ofObject(operation, object) { return .catalog(catalog) }
    let allowed: [String]
    let action: ScriptCommand.Action
    switch operation {
    case "save":
      allowed = ["record"]
      guard let record = object["record"], !record.isNull else {
        throw fault("missing_record", "save needs a record: {\"op\":\"save\",\"record\":{…}}")
      }
      action = try save(record)
    case "delete", "restore":
      allowed = ["item"]
      guard let id = try text("item", in: object) else {
        throw fault(
          "missing_item", "\(operation) needs an item: {\"op\":\"\(operation)\",\"item\":\"ID\"}")
      }
      let item = try checked(id).text
      action = operation == "delete" ? .delete(item) : .restore(item)
    case "list":
      allowed = ["kind", "limit"]
      action = try list(
        kind: try text("kind", in: object),
        limit: object["limit"].flatMap { $0.isNull ? nil : $0.jsonText })
    default:
      allowed = []
      action = plainAction(operation)
    }
    try checkFields(of: object, operation, allowed)
    return action
  }

  static func checkFields(
    of object: JSONObject, _ operation: String, _ allowed: [String]
  ) throws(ScriptFault) {
    for key in object.keys where !(["op", "id"] + allowed).contains(key) {
      let near = NearestMatch.of(key, among: allowed).map { "; did you mean \($0)?" } ?? ""
      throw fault("unknown_field", "\(operation) has no field “\(key.prefix(80))”\(near)")
    }
  }

  private static func plainAction(_ operation: String) -> ScriptCommand.Action {
    switch operation {
    case "begin": .begin
    case "commit": .commit
    case "rollback": .rollback
    default: .deleteAll
    }
  }

  static func text(
    _ key: String, in object: JSONObject
  ) throws(ScriptFault) -> String? {
    guard let value = object[key], !value.isNull else { return nil }
    guard let text = value.stringValue else {
      throw fault("wrong_type", "\(key) must be a string, found \(value.kindName)")
    }
    return text
  }

  // MARK: Words

  private static func wordCommand(
    _ text: String, _ line: Int
  ) throws(ScriptFault) -> ScriptCommand {
    let words: [String]
    do {
      words = try WordSplitter.words(of: text)
    } catch {
      throw fault("bad_words", error.rawValue)
    }
    let operation = words.first ?? ""
    do throws(ScriptFault) {
      try checkName(operation)
      let (action, ownID) = try action(operation, Array(words.dropFirst()))
      return ScriptCommand(line: line, operation: operation, ownID: ownID, action: action)
    } catch {
      var error = error
      error.operation = error.operation ?? operation
      throw error
    }
  }

  private static func action(
    _ operation: String, _ words: [String]
  ) throws(ScriptFault) -> (ScriptCommand.Action, String?) {
    if operation == "watch" { return (.watch(try WatchAction(words: words)), nil) }
    if operation == "wait" {
      guard words.count <= 1 else { throw fault("bad_words", "wait takes at most one id") }
      return (.wait(words.first), nil)
    }
    if let screen = try ScreenAction.ofWords(operation, words) { return (.screen(screen), nil) }
    if let catalog = try CatalogAction.ofWords(operation, words) {
      return (.catalog(catalog), nil)
    }
    switch operation {
    case "save":
      let text = try only(words, "save needs one record: save '{\"id\":…}'")
      do {
        return (try save(try JSONValue(parsing: text)), nil)
      } catch let error as JSONError {
        throw ScriptFault(problem: Problem(error), isSyntax: error.reason != .tooDeep)
      } catch let error as ScriptFault {
        throw error
      } catch {
        throw fault("internal", "\(error)")
      }
    case "delete", "restore":
      let id = try checked(try only(words, "\(operation) needs one id")).text
      return (operation == "delete" ? .delete(id) : .restore(id), nil)
    case "list":
      return (try listAction(words), nil)
    case "deleteAll":
      guard words.isEmpty else { throw fault("bad_words", "deleteAll takes nothing more") }
      return (.deleteAll, nil)
    default:
      guard words.count <= 1 else { throw fault("bad_words", "\(operation) takes at most one id") }
      return (plainAction(operation), words.first)
    }
  }

  private static func only(_ words: [String], _ message: String) throws(ScriptFault) -> String {
    guard words.count == 1 else { throw fault("bad_words", message) }
    return words[0]
  }

  private static func listAction(_ words: [String]) throws(ScriptFault) -> ScriptCommand.Action {
    let read = try ScriptWords.read(
      "list", words, ListCommand.spec.options(["kind", "limit"]) + [ScreenAction.viewOption])
    guard let view = read.value("view") else {
      return try list(kind: read.value("kind"), limit: read.value("limit"))
    }
    if let option = ["kind", "limit"].first(where: read.has) {
      throw fault("bad_words", "list --view \(view.prefix(40)) takes no --\(option)")
    }
    return .screen(try ScreenAction.list(view))
  }

  // MARK: Pieces

  private static func list(
    kind: String?, limit: String?
  ) throws(ScriptFault) -> ScriptCommand.Action {
    if let kind, ItemID.Kind(rawValue: kind) == nil {
      throw fault("bad_value", "kind must be film or book, not “\(kind.prefix(80))”")
    }
    guard let limit else { return .list(kind: kind, limit: nil) }
    guard let number = Int(limit), number >= 0 else {
      throw fault("bad_value", "limit must be a whole number, not “\(limit.prefix(80))”")
    }
    return .list(kind: kind, limit: number)
  }

  private static func checkName(_ operation: String) throws(ScriptFault) {
    if operations.contains(operation) { return }
    let near = NearestMatch.of(operation, among: operations).map { "; did you mean \($0)?" }
    throw fault(
      "unknown_op",
      "unknown operation “\(operation.prefix(80))”"
        + (near ?? "; there are \(operations.joined(separator: ", "))"))
  }

  private static func save(_ record: JSONValue) throws(ScriptFault) -> ScriptCommand.Action {
    let item: ContentItem
    do {
      item = try ContentItem(record)
    } catch {
      throw ScriptFault(operation: "save", problem: Problem(error), isSyntax: false)
    }
    let body = item.jsonBytes
    if RecordDepth.exceeds(body) {
      throw ScriptFault(operation: "save", problem: RecordDepth.problem, isSyntax: false)
    }
    return .save(id: item.id.text, body: body)
  }

  static func checked(_ id: String) throws(ScriptFault) -> ItemID {
    do {
      return try ItemID(id)
    } catch {
      throw ScriptFault(problem: Problem(error), isSyntax: false)
    }
  }

  static func fault(_ code: String, _ message: String) -> ScriptFault {
    ScriptFault(problem: Problem(code: code, message: message))
  }
}

extension Character {
  /// Whether it is one of 0 to 9.
  var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}
