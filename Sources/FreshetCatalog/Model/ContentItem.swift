import FreshetStore

/// A film, series or book: the record that is saved, listed and told in events.
///
/// Absent and null are the same. Numbers keep the text they were written with. Fields we do not
/// know are kept under `extra` and come back unchanged. A known field of the wrong type refuses the
/// record, since dropping it or guessing would lose something in silence.
public struct ContentItem: Sendable, Hashable {
  /// How many bytes a record may have, as we write it.
  ///
  /// An event line holds 1 MiB, and a record must fit into one together with its envelope.
  public static let sizeLimitBytes = (1 << 20) - 4096

  /// The item's name.
  public let id: ItemID
  /// The known fields that are set, except id, kind and source.
  var fields: JSONObject
  /// What came with the item that we do not know.
  public var extra: JSONObject

  /// An item with nothing but a name.
  public init(id: ItemID) {
    self.id = id
    fields = JSONObject()
    extra = JSONObject()
  }

  /// Reads a record from JSON text.
  /// - Throws: ``ContentItemError`` with a code, the field and the reason.
  public init(parsing bytes: [UInt8]) throws(ContentItemError) {
    let value: JSONValue
    do {
      value = try JSONValue(parsing: bytes)
    } catch {
      throw ContentItemError(.invalidJSON, error.description)
    }
    try self.init(value)
  }

  /// Reads a record from a parsed document.
  /// - Throws: ``ContentItemError`` with a code, the field and the reason.
  public init(_ value: JSONValue) throws(ContentItemError) {
    guard let object = value.objectValue else {
      throw ContentItemError(.notAnObject, "expected an object, found \(value.kindName)")
    }
    self.init(id: try Self.identity(of: object))
    for member in object.members {
      if let field = Field(rawValue: member.key) {
        try set(field, to: member.value)
      } else if !["id", "kind", "source", "extra"].contains(member.key) {
        extra[member.key] = member.value
      }
    }
    try addExtra(object["extra"])
    try checkSize()
  }

  /// Refuses a record that would not fit into an event.
  func checkSize() throws(ContentItemError) {
    if let fault = Self.sizeFault(of: "the record", jsonBytes.count) {
      throw ContentItemError(.tooLarge, fault)
    }
  }

  /// What is wrong with so many bytes of a record, of whatever kind it is; nil when they fit into an
  /// event.
  package static func sizeFault(of record: String, _ bytes: Int) -> String? {
    guard bytes > sizeLimitBytes else { return nil }
    return "\(record) has \(bytes) bytes, more than the 1 MiB an event line holds"
  }

  /// The id, checked against `kind` and `source` where those are given.
  private static func identity(of object: JSONObject) throws(ContentItemError) -> ItemID {
    guard let value = object["id"], !value.isNull else {
      throw ContentItemError(.missingID, field: "id", "the record has no id")
    }
    guard let text = value.stringValue else {
      throw ContentItemError(
        .wrongType, field: "id", "field id must be a string, found \(value.kindName)")
    }
    let id = try ItemID(text)
    for (field, expected) in [("kind", id.kind.rawValue), ("source", id.source)] {
      guard let value = object[field], !value.isNull else { continue }
      guard let given = value.stringValue else {
        throw ContentItemError(
          .wrongType, field: field, "field \(field) must be a string, found \(value.kindName)")
      }
      if given != expected {
        throw ContentItemError(
          .conflict, field: field, "field \(field) is \"\(given)\" but the id says \"\(expected)\"")
      }
    }
    return id
  }

  /// Merges the record's own `extra` with the unknown fields found beside it.
  private mutating func addExtra(_ value: JSONValue?) throws(ContentItemError) {
    guard let value, !value.isNull else { return }
    guard let given = value.objectValue else {
      throw ContentItemError(
        .wrongType, field: "extra", "field extra must be an object, found \(value.kindName)")
    }
    var merged = given
    for member in extra.members {
      if let other = merged[member.key], other != member.value {
        throw ContentItemError(
          .conflict, field: member.key,
          "field \(member.key) stands in the record and, different, under extra")
      }
      merged[member.key] = member.value
    }
    extra = merged
  }
}

extension ContentItem {
  /// Appends the record as compact JSON, fields in the documented order; O(n).
  public func appendJSON(to bytes: inout [UInt8]) {
    bytes.append(contentsOf: #"{"id":"#.utf8)
    JSONText.appendString(id.text, to: &bytes)
    bytes.append(contentsOf: #","kind":""#.utf8)
    bytes.append(contentsOf: id.kind.rawValue.utf8)
    bytes.append(contentsOf: #"","source":""#.utf8)
    bytes.append(contentsOf: id.source.utf8)
    bytes.append(UInt8(ascii: "\""))
    for field in Field.allCases {
      guard let value = fields[field.rawValue] else { continue }
      append(key: field.rawValue, to: &bytes)
      value.appendJSON(to: &bytes)
    }
    if !extra.isEmpty {
      append(key: "extra", to: &bytes)
      extra.appendJSON(to: &bytes)
    }
    bytes.append(UInt8(ascii: "}"))
  }

  /// The record as compact JSON.
  public var jsonBytes: [UInt8] {
    var bytes: [UInt8] = []
    appendJSON(to: &bytes)
    return bytes
  }

  private func append(key: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: ","))
    JSONText.appendString(key, to: &bytes)
    bytes.append(UInt8(ascii: ":"))
  }
}
