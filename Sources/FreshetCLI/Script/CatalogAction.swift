import FreshetCatalog
import FreshetStore

/// What a script's line asks of catalogues.
enum CatalogAction {
  case download(ItemID)
  case search(String, CatalogAccess.Source, size: Int?)
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
      return .download(try checked(id))
    case "search":
      try ScriptParser.checkFields(of: object, operation, ["query", "source", "size"])
      guard let query = try ScriptParser.text("query", in: object) else {
        throw ScriptParser.fault(
          "missing_query",
          "search needs a query: {\"op\":\"search\",\"query\":\"…\",\"source\":\"kakao\"}")
      }
      return .search(
        query, try source(try ScriptParser.text("source", in: object)),
        size: try size(object["size"].flatMap { $0.isNull ? nil : $0.jsonText }))
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
      return .download(try checked(words[0]))
    case "search": return try search(words)
    case "more":
      guard words.isEmpty else {
        throw ScriptParser.fault("bad_words", "more takes nothing more")
      }
      return .more
    default: return nil
    }
  }

  private static func search(_ words: [String]) throws(ScriptFault) -> CatalogAction {
    var values: [String: String] = [:]
    var queries: [String] = []
    var rest = words[...]
    while let word = rest.popFirst() {
      guard word.hasPrefix("--") else {
        queries.append(word)
        continue
      }
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard ["--source", "--size"].contains(parts[0]),
        let value = parts.count == 2 ? String(parts[1]) : rest.popFirst()
      else {
        throw ScriptParser.fault(
          "bad_words", "search takes --source NAME and --size N, not “\(word.prefix(80))”")
      }
      values[String(parts[0])] = value
    }
    guard queries.count == 1 else {
      throw ScriptParser.fault(
        "bad_words", "search needs one query; put several words in quotes")
    }
    return .search(
      queries[0], try source(values["--source"]), size: try size(values["--size"]))
  }

  private static func source(_ name: String?) throws(ScriptFault) -> CatalogAccess.Source {
    guard let source = name.flatMap(CatalogAccess.Source.init) else {
      throw ScriptParser.fault(
        "bad_value",
        "search needs a source: "
          + CatalogAccess.Source.allCases.map(\.rawValue).joined(separator: ", "))
    }
    return source
  }

  private static func size(_ text: String?) throws(ScriptFault) -> Int? {
    guard let text else { return nil }
    guard let number = Int(text), number > 0 else {
      throw ScriptParser.fault(
        "bad_value", "size must be a positive whole number, not “\(text.prefix(40))”")
    }
    return number
  }

  private static func checked(_ id: String) throws(ScriptFault) -> ItemID {
    do {
      return try ItemID(id)
    } catch {
      throw ScriptFault(problem: Problem(error), isSyntax: false)
    }
  }
}
