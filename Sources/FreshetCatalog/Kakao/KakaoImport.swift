import Foundation
import FreshetStore

/// Takes what Kakao's book search answers (a document, an array of them, or a whole page) as items.
public enum KakaoImport {
  /// The rows of one answer, in order; O(n).
  ///
  /// - Throws: ``CatalogRefusal`` when the document is an error body.
  public static func rows(of document: JSONValue) throws(CatalogRefusal) -> [CatalogRow] {
    switch document {
    case .array(let rows): return rows.map(row)
    case .object(let object):
      if let refusal = refusal(in: object) { throw refusal }
      if let rows = object["documents"]?.arrayValue { return rows.map(row) }
      return [row(document)]
    default: return [row(document)]
    }
  }

  /// Kakao has two forms of errors, `errorType` and `message`, or `code` and `msg`.
  static func refusal(in object: JSONObject) -> CatalogRefusal? {
    if object["documents"] != nil || object["title"] != nil { return nil }
    let code =
      object["errorType"]?.stringValue ?? object["code"]?.numberValue?.text
    guard let code else { return nil }
    let message = object["message"]?.stringValue ?? object["msg"]?.stringValue
    return CatalogRefusal(catalog: "Kakao", code: code, message: message ?? "no reason given")
  }

  private static func row(_ value: JSONValue) -> CatalogRow {
    guard let object = value.objectValue else {
      return .refused(
        ContentItemError(.notAnObject, "expected a Kakao document, found \(value.kindName)"))
    }
    do {
      return .item(try item(object))
    } catch {
      return .refused(error)
    }
  }

  private static func item(_ row: JSONObject) throws(ContentItemError) -> ContentItem {
    let isbn = ISBN(row["isbn"]?.stringValue ?? "")
    var reader = RowReader(row, id: try id(row, isbn))
    if let text = row["isbn"], !text.isNull {
      guard text.stringValue != nil else {
        throw ContentItemError(
          .wrongType, field: "isbn", "field isbn must be a string, found \(text.kindName)")
      }
    }
    reader.rest.removeValue(forKey: "isbn")
    try reader.take(.title, ["title"])
    try reader.take(.authors, ["authors"])
    try reader.take(.overview, ["contents"])
    try reader.take(.releaseDate, ["datetime"], emptyIsAbsent: true)
    try reader.take(.thumbnail, ["thumbnail"], emptyIsAbsent: true)
    try reader.take(.publisher, ["publisher"], emptyIsAbsent: true)
    try reader.item.set(
      .isbn,
      to: .object([
        "isbn10": isbn.ten.map(JSONValue.string) ?? .null,
        "isbn13": isbn.thirteen.map(JSONValue.string) ?? .null,
      ]))
    try reader.take(.price, ["price"])
    // −1 says that there is none.
    if row["sale_price"]?.numberValue?.int64 == -1 {
      reader.rest.removeValue(forKey: "sale_price")
    }
    try reader.take(.salePrice, ["sale_price"])
    try reader.take(.link, ["url"], emptyIsAbsent: true)
    return try reader.finish()
  }

  /// The ISBN, else a hash of title, publisher and day: Kakao gives no number of its own.
  private static func id(_ row: JSONObject, _ isbn: ISBN) throws(ContentItemError) -> ItemID {
    if let number = isbn.thirteen ?? isbn.ten {
      return try ItemID(kind: .book, source: "kakao", native: number)
    }
    guard let title = row["title"]?.stringValue, !title.isEmpty else {
      throw ContentItemError(
        .missingID, field: "isbn", "the Kakao document has neither an ISBN nor a title")
    }
    let parts = [title, row["publisher"]?.stringValue ?? "", row["datetime"]?.stringValue ?? ""]
    let text = parts.map(\.precomposedStringWithCanonicalMapping).joined(separator: "\n")
    let hash = SHA256.hexadecimal(Array(text.utf8)).prefix(32)
    return try ItemID(kind: .book, source: "kakao", native: "x-\(hash)")
  }
}
