import FreshetStore

/// Takes what TMDB answers (a row, an array of rows or a whole page) as content items.
public enum TMDBImport {
  /// What became of one row.
  public enum Row: Sendable, Hashable {
    /// A film or series.
    case item(ContentItem)
    /// Nothing we keep, such as a person; not a failure.
    case skipped(reason: String)
    /// A row that should have been one but is not.
    case refused(ContentItemError)
  }

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

  /// The rows of one document, in order; O(n).
  ///
  /// - Throws: ``APIError`` when the document is an error body.
  public static func rows(of document: JSONValue) throws(APIError) -> [Row] {
    switch document {
    case .array(let rows):
      return rows.map(row)
    case .object(let object):
      if let error = apiError(in: object) { throw error }
      if object["id"] == nil, let rows = object["results"]?.arrayValue { return rows.map(row) }
      return [row(document)]
    default:
      return [row(document)]
    }
  }

  private static func apiError(in object: JSONObject) -> APIError? {
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

  private static func row(_ value: JSONValue) -> Row {
    guard let object = value.objectValue else {
      return .refused(
        ContentItemError(.notAnObject, "expected a TMDB row, found \(value.kindName)"))
    }
    do {
      guard let type = try mediaType(of: object) else {
        return .refused(
          ContentItemError(
            .wrongType, field: "media_type",
            "not a TMDB row: it has neither media_type nor title nor name"))
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
  private static func mediaType(of row: JSONObject) throws(ContentItemError) -> String? {
    if let value = row["media_type"], !value.isNull {
      guard let type = value.stringValue else {
        throw ContentItemError(
          .wrongType, field: "media_type",
          "field media_type must be a string, found \(value.kindName)")
      }
      return type
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
    var item = ContentItem(id: try id(rest.removeValue(forKey: "id"), type: type))
    try item.set(.mediaType, to: .string(type))

    func take(
      _ field: ContentItem.Field, _ keys: [String], emptyIsAbsent: Bool = false
    ) throws(ContentItemError) {
      guard let key = keys.first(where: { rest[$0].map { !$0.isNull } ?? false }) else {
        // Every spelling that is there is null: that is absence, told by leaving the field out.
        for key in keys { rest.removeValue(forKey: key) }
        return
      }
      guard let value = rest.removeValue(forKey: key) else { return }
      if emptyIsAbsent, value == "" { return }
      try item.set(field, to: value, calling: key)
    }
    try take(.title, names.title)
    try take(.originalTitle, names.originalTitle)
    try take(.overview, ["overview"])
    try take(.releaseDate, names.date, emptyIsAbsent: true)
    try take(.popularity, ["popularity"])
    try take(.voteAverage, ["vote_average"])
    try take(.voteCount, ["vote_count"])
    try take(.adult, ["adult"])
    try take(.poster, ["poster_path"], emptyIsAbsent: true)
    item.extra = rest
    try item.checkSize()
    return item
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
