import FreshetCatalog

/// What a catalogue is asked for: the matches of a query, or one of TMDB's lists.
enum SearchSubject {
  case query(String)
  case list(TMDB.List)

  /// Why words name nothing that can be asked for.
  struct Fault: Error {
    let code: String
    let message: String

    /// The code of a script's line that says the same.
    var scriptCode: String {
      switch code {
      case "bad_arguments", "bad_option": "bad_words"
      case "missing_option": "bad_value"
      default: code
      }
    }
  }

  /// The options that name a list.
  static let options: [OptionSpec] = [
    .value(
      "trending", "TIME", choices: TMDB.List.Window.allCases.map(\.rawValue),
      "in place of QUERY: what TMDB says is talked about"),
    .value(
      "discover", "WHAT", choices: ["movie", "tv"],
      "in place of QUERY: films or series of TMDB, as --where narrows them"),
    .value(
      "media", "WHAT", choices: TMDB.List.Kind.allCases.map(\.rawValue),
      "with --trending: films, series or all (default)"),
    .value(
      "where", "NAME=VALUE",
      "with --discover: sort_by, with_genres and so on, as TMDB names them; may be repeated"),
  ]

  /// What is asked for, as it stands in events.
  var text: String {
    switch self {
    case .query(let query): query
    case .list(let list): list.name
    }
  }

  /// Which list it is; nil for a query.
  var listName: String? {
    switch self {
    case .query: nil
    case .list(.trending): "trending"
    case .list(.discover): "discover"
    }
  }

  /// Makes one of words, and says which catalogue it is for.
  ///
  /// - Parameters:
  ///   - dashes: What stands before an option's name in messages.
  static func of(
    query: String?, source name: String?, trending: String?, discover: String?, media: String?,
    parameters: [(name: String, value: String)], dashes: String
  ) throws(Fault) -> (SearchSubject, CatalogAccess.Source) {
    if media != nil, trending == nil {
      throw Fault(code: "bad_option", message: "\(dashes)media needs \(dashes)trending with it")
    }
    if !parameters.isEmpty, discover == nil {
      throw Fault(code: "bad_option", message: "\(dashes)where needs \(dashes)discover with it")
    }
    let asked = [
      query.map { _ in "a query" }, trending.map { _ in dashes + "trending" },
      discover.map { _ in dashes + "discover" },
    ].compactMap { $0 }
    guard asked.count == 1 else {
      throw Fault(
        code: "bad_arguments",
        message: asked.isEmpty
          ? "search needs a query, \(dashes)trending or \(dashes)discover"
          : "\(asked[0]) and \(asked[1]) exclude each other")
    }
    let source = try source(name, isList: query == nil)
    if let query { return (.query(query), source) }
    let list: TMDB.List
    if let trending {
      list = .trending(
        try word(media ?? "all", "\(dashes)media"), try word(trending, "\(dashes)trending"))
    } else {
      let kind: TMDB.List.Kind = try word(discover ?? "", "\(dashes)discover")
      list = .discover(kind, parameters: try pairs(parameters, kind))
    }
    if let objection = list.objection {
      throw Fault(code: "bad_value", message: objection.message)
    }
    return (.list(list), source)
  }

  private static func source(
    _ name: String?, isList: Bool
  ) throws(Fault) -> CatalogAccess.Source {
    let all = CatalogAccess.Source.allCases.map(\.rawValue)
    guard let name else {
      if isList { return .tmdb }
      throw Fault(
        code: "missing_option", message: "search needs a source: " + all.joined(separator: ", "))
    }
    guard let source = CatalogAccess.Source(rawValue: name) else {
      throw Fault(
        code: "bad_value",
        message: "there is no source “\(name.prefix(40))”, only " + all.joined(separator: ", "))
    }
    if isList, source != .tmdb {
      throw Fault(code: "bad_option", message: "only tmdb has lists, not \(name)")
    }
    return source
  }

  private static func word<Value: RawRepresentable & CaseIterable>(
    _ text: String, _ place: String
  ) throws(Fault) -> Value where Value.RawValue == String {
    guard let value = Value(rawValue: text) else {
      let all = Value.allCases.map(\.rawValue).joined(separator: ", ")
      throw Fault(
        code: "bad_value", message: "\(place) cannot be “\(text.prefix(40))”, only \(all)")
    }
    return value
  }

  private static func pairs(
    _ parameters: [(name: String, value: String)], _ kind: TMDB.List.Kind
  ) throws(Fault) -> [String: String] {
    var found: [String: String] = [:]
    let known = TMDB.List.parameterNames(of: kind)
    for (name, value) in parameters {
      if !known.isEmpty, !known.contains(name) {
        let near = NearestMatch.of(name, among: known).map { "; did you mean \($0)?" } ?? ""
        throw Fault(
          code: "bad_value",
          message:
            "TMDB knows no “\(name.prefix(40))” to discover by, and would pass over it\(near)")
      }
      guard found.updateValue(value, forKey: name) == nil else {
        throw Fault(code: "bad_value", message: "“\(name)” is given twice")
      }
    }
    return found
  }

  /// `NAME=VALUE` taken apart.
  static func pair(_ text: String) throws(Fault) -> (name: String, value: String) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else {
      throw Fault(
        code: "bad_value",
        message: "a parameter is written NAME=VALUE, as sort_by=popularity.desc, not "
          + "“\(text.prefix(40))”")
    }
    return (String(parts[0]), String(parts[1]))
  }

  static func pairs(_ texts: [String]) throws(Fault) -> [(name: String, value: String)] {
    var pairs: [(name: String, value: String)] = []
    for text in texts { pairs.append(try pair(text)) }
    return pairs
  }
}
