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

  /// Reads a line, given without its newline.
  ///
  /// The keys are `id`, `deleted` where it is true, and `body`, in this order and without spaces
  /// between them, as `line` and `jq -c` write them. The body is not decoded.
  ///
  /// - Throws: `invalidBody` when the line has another form.
  public init(line: [UInt8]) throws(StoreError) {
    var rest = line[...]
    guard Self.take(#"{"id":"#, from: &rest), let id = Self.takeString(from: &rest) else {
      throw StoreError(.invalidBody, #"the line does not begin with {"id":"…""#)
    }
    var isDeleted = false
    if Self.take(#","deleted":true"#, from: &rest) {
      isDeleted = true
    } else {
      _ = Self.take(#","deleted":false"#, from: &rest)
    }
    guard Self.take(#","body":"#, from: &rest), rest.last == UInt8(ascii: "}") else {
      throw StoreError(.invalidBody, #"the line of \#(id) has no "body" as its last key"#)
    }
    self.init(id: id, isDeleted: isDeleted, body: Array(rest.dropLast()))
  }

  private static func take(_ text: StaticString, from rest: inout ArraySlice<UInt8>) -> Bool {
    let isThere = text.withUTF8Buffer { rest.starts(with: $0) }
    if isThere { rest = rest.dropFirst(text.utf8CodeUnitCount) }
    return isThere
  }

  private static func takeString(from rest: inout ArraySlice<UInt8>) -> String? {
    guard rest.first == UInt8(ascii: "\"") else { return nil }
    var at = rest.startIndex + 1
    while at < rest.endIndex, rest[at] != UInt8(ascii: "\"") {
      at += rest[at] == UInt8(ascii: "\\") ? 2 : 1
    }
    guard at < rest.endIndex else { return nil }
    let token = Array(rest[rest.startIndex...at])
    rest = rest[(at + 1)...]
    // A string alone is a JSON text; one that is broken makes the whole line so.
    return (try? JSONValue(parsing: token))?.stringValue
  }
}
