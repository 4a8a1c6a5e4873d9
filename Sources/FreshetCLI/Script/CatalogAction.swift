import FreshetCatalog
import FreshetStore

/// What a script's line asks of catalogues.
enum CatalogAction {
  case download(ItemID)
  case search(SearchSubject, CatalogAccess.Source, size: Int?)
  case more

  static let operations = ["download", "search", "more"]

  /// The action of a JSON line, nil for an operation that is none.
  static func ofObject(
    _ operation: String, _ object: JSONObject
  ) throws(ScriptFault) -> CatalogAction? {
    switch operation {
    case "download":
      try ScriptParser.checkFields(of: object, operation, ["item"])
      guard let id = try ScriptParser.text("item", in: object) else {
        throw ScriptParser.fault(
          "missing_item", "download needs an item: {\"op\":\"download\",\"item\":\"ID\"}")
      }
      return .download(try ScriptParser.checked(id))
    case "search":
      return try search(object)
    case "more":
      try ScriptParser.checkFields(of: object, operation, [])
      return .more
    default: return nil
    }
  }

  /// The action of a line of words, nil for an operation that is none.
  static func ofWords(
    _ operation: String, _ words: [String]
  ) throws(ScriptFault) -> CatalogAction? {
    switch operation {
    case "download":
      guard words.count == 1 else {
        throw ScriptParser.fault("bad_words", "download needs one id")
      }
      return .download(try ScriptParser.checked(words[0]))
    case "search": return try search(words)
    case "more":
      guard words.isEmpty else {
        throw ScriptParser.fault("bad_words", "more takes nothing more")
      }
      return .more
    default: return nil
    }
  }

  private static func search(_ object: JSONObject) throws(ScriptFault) -> CatalogAction {
    try ScriptParser.checkFields(
      of: object, "search",
      ["query"] + SearchCommand.scriptOptions.map { $0.replacing("-", with: "_") })
    var parameters: [(name: String, value: String)] = []
    if let value = object["where"], !value.isNull {
      guard let pairs = value.objectValue else {
        throw ScriptParser.fault(
          "wrong_type", "where must be an object, found \(value.kindName)")
      }
      // A number or a truth value is written as it stands.
      for pair in pairs.members {
        parameters.append((pair.key, pair.value.stringValue ?? pair.value.jsonText))
      }
    }
    let size = object["page_size"].flatMap { $0.isNull ? nil : $0.stringValue ?? $0.jsonText }
    do throws(SearchSubject.Fault) {
      let (subject, source) = try SearchSubject.of(
        query: try text("query", object), source: try text("source", object),
        trending: try text("trending", object), discover: try text("discover", object),
        media: try text("media", object), parameters: parameters, dashes: "")
      return .search(subject, source, size: try source.pageSize(size, named: "page_size"))
    } catch {
      throw ScriptParser.fault(error.scriptCode, error.message)
    }
  }

  private static func text(
    _ key: String, _ object: JSONObject
  ) throws(SearchSubject.Fault) -> String? {
    do throws(ScriptFault) {
      return try ScriptParser.text(key, in: object)
    } catch {
      throw SearchSubject.Fault(code: error.problem.code, message: error.problem.message)
    }
  }

  private static func search(_ words: [String]) throws(ScriptFault) -> CatalogAction {
    let read = try ScriptWords.read(
      "search", words, SearchCommand.spec.options(SearchCommand.scriptOptions),
      [ArgumentSpec(name: "QUERY", help: "in quotes when it has several words", count: 0...1)])
    do throws(SearchSubject.Fault) {
      let (subject, source) = try SearchSubject.of(
        query: read.arguments.first, source: read.value("source"),
        trending: read.value("trending"), discover: read.value("discover"),
        media: read.value("media"),
        parameters: try SearchSubject.pairs(read.allValues("where")), dashes: "--")
      return .search(
        subject, source,
        size: try source.pageSize(read.value("page-size"), named: "option --page-size"))
    } catch {
      throw ScriptParser.fault(error.scriptCode, error.message)
    }
  }
}
