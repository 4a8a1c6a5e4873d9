import FreshetCatalog
import FreshetModels
import FreshetStore

/// What a script's line does to a screen: books, folds, guidances.
enum ScreenAction {
  case fold(ItemID, FoldWish)
  case select(String)
  case change(GuidanceChange, isConfirmed: Bool)
  case filter(name: String, grade: Int?, number: Int?)
  case listGuidances
  case listBooks

  static let operations = [
    "fold", "unfold", "toggleFold", "select", "register", "complete", "delay", "filter",
  ]

  /// The views that `list` can name in place of the saved items.
  private static let views = ["guidance", "books"]

  /// How `list` names one.
  static let viewOption = OptionSpec.value("view", "VIEW", "guidance or books")

  // MARK: JSON

  /// The action of a JSON line, nil for an operation that is none.
  static func ofObject(
    _ operation: String, _ object: JSONObject
  ) throws(ScriptFault) -> ScreenAction? {
    switch operation {
    case "fold", "unfold", "toggleFold":
      try ScriptParser.checkFields(of: object, operation, ["item"])
      return .fold(try item(object, operation), wish(operation))
    case "select":
      try ScriptParser.checkFields(of: object, operation, ["book"])
      guard let book = object["book"], !book.isNull else {
        throw ScriptParser.fault(
          "missing_item", "select needs a book: {\"op\":\"select\",\"book\":1}")
      }
      return .select(book.stringValue ?? book.jsonText)
    case "register":
      try ScriptParser.checkFields(of: object, operation, ["student", "reason", "detail"])
      var words = [try word("student", object, operation), try word("reason", object, operation)]
      if let detail = try ScriptParser.text("detail", in: object) { words.append(detail) }
      return try change(operation, words)
    case "complete":
      try ScriptParser.checkFields(of: object, operation, ["item"])
      return try change(operation, [try word("item", object, operation)])
    case "delay":
      try ScriptParser.checkFields(of: object, operation, ["item", "date"])
      return try change(
        operation, [try word("item", object, operation), try word("date", object, operation)])
    case "filter":
      try ScriptParser.checkFields(of: object, operation, ["filter", "grade", "class"])
      return try filter(
        [try word("filter", object, operation)], grade: try whole("grade", object),
        number: try whole("class", object))
    case "delete", "restore":
      guard let id = object["item"]?.stringValue, id.hasPrefix("guidance:") else { return nil }
      try ScriptParser.checkFields(of: object, operation, ["item", "yes"])
      return try change(operation, [id], isConfirmed: object["yes"]?.boolValue ?? false)
    case "list":
      guard let view = try ScriptParser.text("view", in: object) else { return nil }
      try ScriptParser.checkFields(of: object, operation, ["view"])
      return try list(view)
    default: return nil
    }
  }

  private static func word(
    _ key: String, _ object: JSONObject, _ operation: String
  ) throws(ScriptFault) -> String {
    guard let value = object[key], !value.isNull else {
      throw ScriptParser.fault("missing_item", "\(operation) needs \(key)")
    }
    if let number = value.numberValue { return number.text }
    guard let text = value.stringValue else {
      throw ScriptParser.fault(
        "wrong_type", "\(key) must be a string or a number, found \(value.kindName)")
    }
    return text
  }

  private static func whole(_ key: String, _ object: JSONObject) throws(ScriptFault) -> Int? {
    guard let value = object[key], !value.isNull else { return nil }
    return try whole(key, value.stringValue ?? value.jsonText)
  }

  private static func whole(_ key: String, _ text: String?) throws(ScriptFault) -> Int? {
    guard let text else { return nil }
    guard let number = Int(text), number > 0 else {
      throw ScriptParser.fault(
        "bad_value", "\(key) must be a whole number from 1, not “\(text.prefix(40))”")
    }
    return number
  }

  private static func item(
    _ object: JSONObject, _ operation: String
  ) throws(ScriptFault) -> ItemID {
    try itemID(try word("item", object, operation))
  }

  private static func itemID(_ text: String) throws(ScriptFault) -> ItemID {
    do {
      return try ItemID(text)
    } catch {
      throw ScriptFault(problem: Problem(error), isSyntax: false)
    }
  }

  // MARK: Words

  /// The action of a line of words, nil for an operation that is none.
  static func ofWords(_ operation: String, _ words: [String]) throws(ScriptFault) -> ScreenAction? {
    switch operation {
    case "fold", "unfold", "toggleFold":
      return .fold(try itemID(try only(words, "\(operation) needs one id")), wish(operation))
    case "select": return .select(try only(words, "select needs one number, from 1"))
    case "register", "complete", "delay": return try change(operation, words)
    case "filter":
      let read = try ScriptWords.read(
        operation, words, GuidanceCommand.spec.options(["grade", "class"]),
        [ArgumentSpec(name: "WHICH", help: "all, my-grade or my-class", count: 0...1)])
      return try filter(
        read.arguments, grade: try whole("grade", read.value("grade")),
        number: try whole("class", read.value("class")))
    case "delete", "restore":
      guard let id = words.first(where: { $0.hasPrefix("guidance:") }) else { return nil }
      let rest = words.filter { $0 != id && $0 != "--yes" }
      guard rest.isEmpty else {
        throw ScriptParser.fault("bad_words", "\(operation) needs one id")
      }
      return try change(operation, [id], isConfirmed: words.contains("--yes"))
    default: return nil
    }
  }

  private static func only(_ words: [String], _ message: String) throws(ScriptFault) -> String {
    guard words.count == 1 else { throw ScriptParser.fault("bad_words", message) }
    return words[0]
  }

  // MARK: Pieces

  private static func wish(_ operation: String) -> FoldWish {
    operation == "toggleFold" ? .toggle : operation == "fold" ? .fold : .unfold
  }

  private static func change(
    _ operation: String, _ words: [String], isConfirmed: Bool = false
  ) throws(ScriptFault) -> ScreenAction {
    do throws(GuidanceWords.Fault) {
      guard let change = try GuidanceWords.change(operation, words) else {
        throw .shape("\(operation) is no change")
      }
      return .change(change, isConfirmed: isConfirmed)
    } catch {
      switch error {
      case .shape(let message): throw ScriptParser.fault("bad_words", message)
      case .content(let error): throw ScriptFault(problem: Problem(error), isSyntax: false)
      }
    }
  }

  private static func filter(
    _ names: [String], grade: Int?, number: Int?
  ) throws(ScriptFault) -> ScreenAction {
    guard let name = names.first, names.count == 1,
      ["all", "my-grade", "my-class", "myGrade", "myClass"].contains(name)
    else {
      throw ScriptParser.fault("bad_value", "filter needs all, my-grade or my-class")
    }
    for (option, value) in [("grade", grade), ("class", number)] where value != nil {
      guard let needed = GuidanceWords.filterNeeded(by: option, with: name) else { continue }
      throw ScriptParser.fault(
        "bad_value", "filter \(name) takes no \(option); \(option) is for the filter \(needed)")
    }
    return .filter(name: name, grade: grade, number: number)
  }

  /// What lists a view.
  static func list(_ view: String) throws(ScriptFault) -> ScreenAction {
    switch view {
    case "guidance": return .listGuidances
    case "books": return .listBooks
    default:
      let near = NearestMatch.of(view, among: views).map { "; did you mean \($0)?" } ?? ""
      throw ScriptParser.fault(
        "bad_value", "list can show guidance or books, not “\(view.prefix(80))”\(near)")
    }
  }
}
