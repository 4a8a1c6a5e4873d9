/// One item on its way out of a store or into one: a line of an export.
///
///     {"id":"film:tmdb:movie:603","body":{"title":"The Matrix"}}
///     {"id":"book:local:1","deleted":true,"body":{"title":"…"}}
///
/// The body is the item's bytes as they were saved. Lines come in list order, so that importing them
/// into an empty store gives the same list, and deleted items come back to their places when they
/// are restored.
public struct ExportedItem: Sendable, Hashable {
  /// The item's id.
  public let id: String
  /// True for an item that is deleted and can be restored.
  public let isDeleted: Bool
  /// The JSON object as it was saved, byte for byte.
  public let body: [UInt8]

  /// No line of an export is longer: the largest body, and the longest id with every character of it
  /// escaped.
  package static let lineLimitBytes = Limits.bodyBytes + 2 * Limits.idBytes + 64

  /// Makes an item.
  public init(id: String, isDeleted: Bool = false, body: [UInt8]) {
    self.id = id
    self.isDeleted = isDeleted
    self.body = body
  }

  /// What to apply to a store so that it holds the item.
  public var operations: [Operation] {
    let save = Operation.save(id: id, body: body)
    return isDeleted ? [save, .delete(id: id)] : [save]
  }

  /// Tells whether a store takes the item.
  ///
  /// - Throws: `invalidID`, `invalidBody`, `tooLarge`.
  public func validate() throws(StoreError) { _ = try PreparedOperation(.save(id: id, body: body)) }

  /// The line, without its newline.
  public var line: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(body.count + id.utf8.count + 40)
    bytes.append(contentsOf: #"{"id":"#.utf8)
    JSONText.appendString(id, to: &bytes)
    if isDeleted { bytes.append(contentsOf: #","deleted":true"#.utf8) }
    bytes.append(contentsOf: #","body":"#.utf8)
    bytes.append(contentsOf: body)
    bytes.append(UInt8(ascii: "}"))
    return bytes
  }

  /// Reads an item: a line of an export, or one that another program or a hand wrote.
  ///
  /// The members `id`, `deleted` and `body` may come in any order, with any white space between
  /// them, and over several lines. The body is kept byte for byte, but for a newline between its
  /// tokens, which becomes a space: a body is one line of the journal. It is checked, and not
  /// written anew.
  ///
  /// - Throws: `invalidBody` when it has another form, with what is wrong and where.
  public init(line: [UInt8]) throws(StoreError) {
    do throws(Fault) {
      try self.init(parsing: line)
    } catch {
      throw StoreError(
        .invalidBody,
        "no exported item: \(error.message) (line \(error.line), column \(error.column))")
    }
  }

  /// Why bytes are no exported item, and where.
  package struct Fault: Error {
    /// What is wrong.
    package enum Kind: Sendable {
      /// It is no JSON.
      case json(JSONError.Reason)
      /// It is JSON, but no object.
      case notAnObject
      /// A member that must be there is not.
      case missing(String)
      /// A member that nobody knows, or that comes twice.
      case unknown(String), twice(String)
      /// A member's value is of another type.
      case wrongType(String)
    }

    package let kind: Kind
    /// What is wrong, in words.
    package let message: String
    /// Where, as in ``JSONError``.
    package let line: Int
    package let column: Int
  }

  /// Reads an item, as ``init(line:)`` does.
  package init(parsing bytes: [UInt8]) throws(Fault) {
    func fault(_ kind: Fault.Kind, at offset: Int, _ message: String) -> Fault {
      let place = JSONError.place(of: offset, in: bytes)
      return Fault(kind: kind, message: message, line: place.line, column: place.column)
    }
    let start = bytes.firstIndex { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } ?? bytes.count
    let members: [JSONParser.Member]
    do throws(JSONError) {
      members = try bytes.withUnsafeBufferPointer { (bytes) throws(JSONError) in
        let raw = UnsafeRawBufferPointer(bytes)
        if start < raw.count, raw[start] != UInt8(ascii: "{") {
          // Tells broken text from a value of another kind.
          _ = try JSONValue(parsing: raw)
          return []
        }
        // The body is one level deeper here than in the store.
        var parser = JSONParser(bytes: raw, depthLimit: Limits.bodyLevels + 1)
        return try parser.members()
      }
    } catch {
      throw Fault(
        kind: .json(error.reason), message: "broken JSON: \(error.reason.rawValue)",
        line: error.line, column: error.column)
    }
    if bytes[start] != UInt8(ascii: "{") {
      throw fault(.notAnObject, at: start, "it must be an object with id and body")
    }
    var found: [String: JSONParser.Member] = [:]
    for member in members {
      guard ["id", "deleted", "body"].contains(member.key) else { continue }
      if found.updateValue(member, forKey: member.key) != nil {
        throw fault(.twice(member.key), at: member.keyOffset, "\(member.key) comes twice")
      }
    }
    func required(_ key: String) throws(Fault) -> JSONParser.Member {
      if let member = found[key] { return member }
      throw fault(.missing(key), at: start, "it has no \(key)")
    }
    let idMember = try required("id")
    guard let id = idMember.value.stringValue else {
      throw fault(
        .wrongType("id"), at: idMember.place.lowerBound,
        "id must be a string, found \(idMember.value.kindName)")
    }
    let body = try required("body")
    guard body.value.objectValue != nil else {
      throw fault(
        .wrongType("body"), at: body.place.lowerBound,
        "body must be an object, found \(body.value.kindName)")
    }
    if let other = members.first(where: { found[$0.key] == nil }) {
      throw fault(
        .unknown(other.key), at: other.keyOffset,
        "there is no member “\(other.key.prefix(80))” beside id, deleted and body")
    }
    let deleted = found["deleted"]?.value ?? .bool(false)
    guard let isDeleted = deleted.isNull ? false : deleted.boolValue else {
      throw fault(
        .wrongType("deleted"), at: found["deleted"]?.place.lowerBound ?? start,
        "deleted must be true or false, found \(deleted.kindName)")
    }
    self.init(
      id: id, isDeleted: isDeleted, body: bytes[body.place].map { $0 == 0x0A ? 0x20 : $0 })
  }
}
