import FreshetStore

/// Takes what TMDB answers (a row, an array of rows or a whole page) as content items.
public enum TMDBImport {
  /// What became of one row.
  public typealias Row = CatalogRow

  /// TMDB's own word that a request failed, found where rows should be.
  public struct APIError: Error, Sendable, Hashable, CustomStringConvertible {
    /// TMDB's number, which is not the HTTP status.
    public let statusCode: Int64?
    /// TMDB's sentence.
    public let message: String

    /// Number and sentence.
    public var description: String {
      statusCode.map { "TMDB answered with error \($0): \(message)" }
        ?? "TMDB answered with an error: \(message)"
    }
  }

  /// What tells a row's media type.
  enum MediaType: Sendable, Hashable {
    /// The row itself, else the fields it has: for rows of unknown origin.
    case guessed
    /// The row itself, always, as in lists of mixed kinds.
    case inRow
    /// The route that was asked, unless the row says otherwise.
    case ofRoute(String)
  }

  /// The rows of one document, in order; O(n).
  ///
  /// - Throws: ``APIError`` when the document is an error body.
  public static func rows(of document: JSONValue) throws(APIError) -> [Row] {
    try rows(of: document, type: .guessed)
  }

  static func rows(of document: JSONValue, type: MediaType) throws(APIError) -> [Row] {
    switch document {
    case .array(let rows):
      return rows.map { row($0, type) }
    case .object(let object):
      if let error = apiError(in: object) { throw error }
      if object["id"] == nil, let rows = object["results"]?.arrayValue {
        return rows.map { row($0, type) }
      }
      return [row(document, type)]
    default:
      return [row(document, type)]
    }
  }

  static func apiError(in object: JSONObject) -> APIError? {
    if object["id"] != nil || object["results"] != nil { return nil }
    if let code = object["status_code"]?.numberValue {
      return APIError(
        statusCode: code.int64, message: object["status_message"]?.stringValue ?? "no reason given")
    }
    if let errors = object["errors"]?.arrayValue {
      let messages = errors.map { $0.stringValue ?? $0.jsonText }
      return APIError(statusCode: nil, message: messages.joined(separator: "; "))
    }
    return nil
  }

  private static func row(_ value: JSONValue, _ source: MediaType) -> Row {
    guard let object = value.objectValue else {
      return .refused(
        ContentItemError(.notAnObject, "expected a TMDB row, found \(value.kindName)"))
    }
    do {
      guard let type = try mediaType(of: object, source) else {
        return .refused(
          ContentItemError(
            .wrongType, field: "media_type",
            source == .inRow
              ? "the row has no media_type, where every row must have one"
              : "not a TMDB row: it has neither media_type nor title nor name"))
      }
      switch type {
      case "movie": return .item(try item(object, type: type, names: .movie))
      case "tv": return .item(try item(object, type: type, names: .tv))
      case "person": return .skipped(reason: "person")
      default: return .skipped(reason: "unknown media type \(type.prefix(40))")
      }
    } catch {
      return .refused(error)
    }
  }

  /// The type given, or the one the row's fields imply, since plain searches give none.
  private static func mediaType(
    of row: JSONObject, _ source: MediaType
  ) throws(ContentItemError) -> String? {
    if let value = row["media_type"], !value.isNull {
      guard let type = value.stringValue else {
        throw ContentItemError(
          .wrongType, field: "media_type",
          "field media_type must be a string, found \(value.kindName)")
      }
      return type
    }
    switch source {
    case .inRow: return nil
    case .ofRoute(let type): return type
    case .guessed: break
    }
    if row["title"] != nil { return "movie" }
    guard row["name"] != nil else { return nil }
    if row["known_for_department"] != nil || row["profile_path"] != nil { return "person" }
    if row["parts"] != nil { return "collection" }
    return "tv"
  }

  /// Which keys a row uses for what films and series call differently, the usual one first.
  private struct Names {
    let title: [String]
    let originalTitle: [String]
    let date: [String]

    static let movie = Names(
      title: ["title", "name"], originalTitle: ["original_title", "original_name"],
      date: ["release_date", "first_air_date"])
    static let tv = Names(
      title: ["name", "title"], originalTitle: ["original_name", "original_title"],
      date: ["first_air_date", "release_date"])
  }

  private static func item(
    _ row: JSONObject, type: String, names: Names
  ) throws(ContentItemError) -> ContentItem {
    var rest = row
    rest.removeValue(forKey: "media_type")
    let id = try id(rest.removeValue(forKey: "id"), type: type)
    var reader = RowReader(rest, id: id)
    try reader.item.set(.mediaType, to: .string(type))
    try reader.take(.title, names.title)
    try reader.take(.originalTitle, names.originalTitle)
    try reader.take(.overview, ["overview"])
    try reader.take(.releaseDate, names.date, emptyIsAbsent: true)
    try reader.take(.popularity, ["popularity"])
    try reader.take(.voteAverage, ["vote_average"])
    try reader.take(.voteCount, ["vote_count"])
    try reader.take(.adult, ["adult"])
    try reader.take(.poster, ["poster_path"], emptyIsAbsent: true)
    return try reader.finish()
  }

  private static func id(_ value: JSONValue?, type: String) throws(ContentItemError) -> ItemID {
    guard let value, !value.isNull else {
      throw ContentItemError(.missingID, field: "id", "the TMDB row has no id")
    }
    guard let number = value.numberValue, number.isInteger, !number.text.hasPrefix("-") else {
      throw ContentItemError(
        .malformedID, field: "id", "the id of a TMDB row must be a whole number")
    }
    return try ItemID(kind: .film, source: "tmdb", native: "\(type):\(number.text)")
  }
}
