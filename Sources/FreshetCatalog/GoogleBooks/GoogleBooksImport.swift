import FreshetStore

/// Takes what Google Books answers (a volume, an array of them, or a whole list) as items.
public enum GoogleBooksImport {
  /// The rows of one answer, in order; O(n).
  ///
  /// A list without `items` has no rows.
  /// - Throws: ``CatalogRefusal`` when the document is an error body.
  public static func rows(of document: JSONValue) throws(CatalogRefusal) -> [CatalogRow] {
    switch document {
    case .array(let rows): return rows.map(row)
    case .object(let object):
      if let refusal = refusal(in: object) { throw refusal }
      if let rows = object["items"]?.arrayValue { return rows.map(row) }
      if object["id"] == nil, object["totalItems"] != nil { return [] }
      return [row(document)]
    default: return [row(document)]
    }
  }

  static func refusal(in object: JSONObject) -> CatalogRefusal? {
    guard object["id"] == nil, let error = object["error"]?.objectValue else { return nil }
    let reason = error["errors"]?.arrayValue?.first?.objectValue?["reason"]?.stringValue
    return CatalogRefusal(
      catalog: "Google Books",
      code: reason ?? error["status"]?.stringValue ?? error["code"]?.numberValue?.text,
      message: error["message"]?.stringValue ?? "no reason given")
  }

  static func row(_ value: JSONValue) -> CatalogRow {
    guard let object = value.objectValue else {
      return .refused(
        ContentItemError(.notAnObject, "expected a Google volume, found \(value.kindName)"))
    }
    do {
      return .item(try item(object))
    } catch {
      return .refused(error)
    }
  }

  private static func item(_ row: JSONObject) throws(ContentItemError) -> ContentItem {
    var outer = row
    guard let name = outer.removeValue(forKey: "id"), let native = name.stringValue,
      !native.isEmpty
    else {
      throw ContentItemError(.missingID, field: "id", "the Google volume has no id")
    }
    let info = try object(outer.removeValue(forKey: "volumeInfo"), "volumeInfo")
    var reader = RowReader(
      info, id: try ItemID(kind: .book, source: "google", native: native))
    try reader.take(.title, ["title"])
    try reader.take(.authors, ["authors"])
    try reader.take(.overview, ["description"])
    try reader.take(.releaseDate, ["publishedDate"], emptyIsAbsent: true)
    let images = try object(info["imageLinks"], "imageLinks")
    let thumbnail = ["thumbnail", "smallThumbnail"].compactMap { images[$0]?.stringValue }
    if let address = thumbnail.first(where: { !$0.isEmpty }) {
      try reader.item.set(.thumbnail, to: .string(address))
    }
    try reader.take(.publisher, ["publisher"], emptyIsAbsent: true)
    try reader.item.set(.isbn, to: isbn(info["industryIdentifiers"]))
    try reader.take(.link, ["infoLink", "canonicalVolumeLink"], emptyIsAbsent: true)
    if !reader.rest.isEmpty { outer["volumeInfo"] = .object(reader.rest) }
    reader.rest = outer
    return try reader.finish()
  }

  private static func object(
    _ value: JSONValue?, _ field: String
  ) throws(ContentItemError) -> JSONObject {
    guard let value, !value.isNull else { return JSONObject() }
    guard let object = value.objectValue else {
      throw ContentItemError(
        .wrongType, field: field, "field \(field) must be an object, found \(value.kindName)")
    }
    return object
  }

  private static func isbn(_ value: JSONValue?) -> JSONValue {
    var isbn = ISBN()
    for entry in value?.arrayValue ?? [] {
      guard let object = entry.objectValue, let number = object["identifier"]?.stringValue,
        ["ISBN_10", "ISBN_13"].contains(object["type"]?.stringValue)
      else { continue }
      isbn.add(number)
    }
    return .object([
      "isbn10": isbn.ten.map(JSONValue.string) ?? .null,
      "isbn13": isbn.thirteen.map(JSONValue.string) ?? .null,
    ])
  }
}
