extension JSONValue {
  /// How deep arrays and objects may nest.
  public static let depthLimit = 512

  /// Reads one document, strictly as RFC 8259 says: UTF-8, no byte order mark, nothing after it.
  ///
  /// A lone surrogate in an escape becomes U+FFFD rather than costing the document. Bytes that are
  /// not UTF-8 are an error with their place. A key that comes twice keeps its first place and its
  /// last value. Takes O(n) time and nests at most ``depthLimit`` deep.
  /// - Throws: ``JSONError`` with the reason, offset, line and column.
  public init(parsing bytes: UnsafeRawBufferPointer) throws(JSONError) {
    var parser = JSONParser(bytes: bytes)
    self = try parser.document()
  }

  /// Reads one document from an array; the same rules.
  public init(parsing bytes: [UInt8]) throws(JSONError) {
    self = try bytes.withUnsafeBufferPointer { (bytes) throws(JSONError) in
      try JSONValue(parsing: UnsafeRawBufferPointer(bytes))
    }
  }

  /// Reads one document that may nest deeper, or only less deep; the same rules otherwise.
  package init(parsing bytes: [UInt8], depthLimit: Int) throws(JSONError) {
    self = try bytes.withUnsafeBufferPointer { (bytes) throws(JSONError) in
      var parser = JSONParser(bytes: UnsafeRawBufferPointer(bytes), depthLimit: depthLimit)
      return try parser.document()
    }
  }

  /// Reads one document from text; the same rules.
  public init(parsing text: String) throws(JSONError) {
    try self.init(parsing: Array(text.utf8))
  }
}

/// A recursive descent over bytes that the caller keeps alive.
///
/// The pointer never outlives the call that made the parser, and every read follows a check of
/// `position < bytes.count`; the tests of cut and damaged documents would notice one that did not.
struct JSONParser {
  private let bytes: UnsafeRawBufferPointer
  private var position = 0
  private var depth = 0
  private let depthLimit: Int

  init(bytes: UnsafeRawBufferPointer, depthLimit: Int = JSONValue.depthLimit) {
    self.bytes = bytes
    self.depthLimit = depthLimit
  }

  mutating func document() throws(JSONError) -> JSONValue {
    skipSpace()
    if position == bytes.count { throw error(.empty) }
    let value = try value()
    skipSpace()
    if position < bytes.count { throw error(.trailingBytes) }
    return value
  }

  /// The members of the object that the document is, each with where its key and its value stand.
  ///
  /// Everything is checked as ``document()`` does it, a member that comes twice is there twice.
  mutating func members() throws(JSONError) -> [Member] {
    skipSpace()
    if position == bytes.count { throw error(.empty) }
    guard try peek() == UInt8(ascii: "{") else { throw error(.unexpectedByte) }
    try enter()
    var members: [Member] = []
    skipSpace()
    if try peek() == UInt8(ascii: "}") {
      leave()
    } else {
      repeat {
        skipSpace()
        let keyStart = position
        let key = try key()
        let start = position
        let value = try value()
        members.append(
          Member(key: key, keyOffset: keyStart, value: value, place: start..<position))
      } while try !closes(with: UInt8(ascii: "}"))
    }
    skipSpace()
    if position < bytes.count { throw error(.trailingBytes) }
    return members
  }

  /// A member of an object and where it stands.
  struct Member {
    let key: String
    let keyOffset: Int
    let value: JSONValue
    /// The value's bytes.
    let place: Range<Int>
  }

  private mutating func value() throws(JSONError) -> JSONValue {
    switch try peek() {
    case UInt8(ascii: "{"): return .object(try object())
    case UInt8(ascii: "["): return .array(try array())
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try literal("true", .bool(true))
    case UInt8(ascii: "f"): return try literal("false", .bool(false))
    case UInt8(ascii: "n"): return try literal("null", .null)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try number())
    default: throw error(.unexpectedByte)
    }
  }

  private mutating func object() throws(JSONError) -> JSONObject {
    try enter()
    var object = JSONObject()
    skipSpace()
    if try peek() == UInt8(ascii: "}") {
      leave()
      return object
    }
    while true {
      skipSpace()
      let key = try key()
      object[key] = try value()
      if try closes(with: UInt8(ascii: "}")) { return object }
    }
  }

  /// A member's key and its colon; what comes next is the value.
  private mutating func key() throws(JSONError) -> String {
    guard try peek() == UInt8(ascii: "\"") else { throw error(.unexpectedByte) }
    let key = try string()
    skipSpace()
    guard try peek() == UInt8(ascii: ":") else { throw error(.unexpectedByte) }
    position += 1
    skipSpace()
    return key
  }

  private mutating func array() throws(JSONError) -> [JSONValue] {
    try enter()
    var elements: [JSONValue] = []
    skipSpace()
    if try peek() == UInt8(ascii: "]") {
      leave()
      return elements
    }
    while true {
      skipSpace()
      elements.append(try value())
      if try closes(with: UInt8(ascii: "]")) { return elements }
    }
  }

  private mutating func enter() throws(JSONError) {
    depth += 1
    if depth > depthLimit { throw error(.tooDeep) }
    position += 1
  }

  private mutating func leave() {
    depth -= 1
    position += 1
  }

  /// After an element: true at the closing byte, false after a comma.
  private mutating func closes(with close: UInt8) throws(JSONError) -> Bool {
    skipSpace()
    let byte = try peek()
    if byte == close {
      leave()
      return true
    }
    guard byte == UInt8(ascii: ",") else { throw error(.unexpectedByte) }
    position += 1
    return false
  }

  private mutating func literal(
    _ word: StaticString, _ value: JSONValue
  ) throws(JSONError) -> JSONValue {
    for index in 0..<word.utf8CodeUnitCount {
      guard try peek() == word.utf8Start[index] else { throw error(.unexpectedByte) }
      position += 1
    }
    return value
  }

  // MARK: Numbers

  private mutating func number() throws(JSONError) -> JSONNumber {
    let start = position
    if bytes[position] == UInt8(ascii: "-") { position += 1 }
    let leading = position
    try digits()
    if bytes[leading] == UInt8(ascii: "0"), position - leading > 1 {
      throw error(.invalidNumber, at: leading)
    }
    if position < bytes.count, bytes[position] == UInt8(ascii: ".") {
      position += 1
      try digits()
    }
    if position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") {
      position += 1
      if position < bytes.count,
        bytes[position] == UInt8(ascii: "+") || bytes[position] == UInt8(ascii: "-")
      {
        position += 1
      }
      try digits()
    }
    return JSONNumber(validated: String(decoding: bytes[start..<position], as: UTF8.self))
  }

  private mutating func digits() throws(JSONError) {
    let start = position
    while position < bytes.count, bytes[position] &- UInt8(ascii: "0") < 10 { position += 1 }
    if position == start {
      throw error(position == bytes.count ? .unexpectedEnd : .invalidNumber)
    }
  }

  // MARK: Strings

  private mutating func string() throws(JSONError) -> String {
    position += 1
    let start = position
    // The common case: no escape, so the bytes are the string.
    while position < bytes.count {
      let byte = bytes[position]
      if byte == UInt8(ascii: "\"") {
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        position += 1
        return text
      }
      if byte == UInt8(ascii: "\\") { return try escapedString(from: start) }
      try plainByte(byte)
    }
    throw error(.unexpectedEnd)
  }

  private mutating func escapedString(from start: Int) throws(JSONError) -> String {
    var text = Array(bytes[start..<position])
    while position < bytes.count {
      let byte = bytes[position]
      if byte == UInt8(ascii: "\"") {
        position += 1
        return String(decoding: text, as: UTF8.self)
      }
      if byte == UInt8(ascii: "\\") {
        try escape(into: &text)
      } else {
        let first = position
        try plainByte(byte)
        text.append(contentsOf: bytes[first..<position])
      }
    }
    throw error(.unexpectedEnd)
  }

  /// Steps over one scalar that stands for itself.
  private mutating func plainByte(_ byte: UInt8) throws(JSONError) {
    if byte < 0x20 { throw error(.controlCharacter) }
    if byte < 0x80 {
      position += 1
    } else {
      guard let length = UTF8Check.length(at: position, in: bytes) else {
        throw error(.invalidUTF8)
      }
      position += length
    }
  }

  private mutating func escape(into text: inout [UInt8]) throws(JSONError) {
    let start = position
    position += 1
    let byte = try peek()
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "u"):
      var scalar = UInt32(try hexUnit(escapeStart: start))
      if scalar & 0xFC00 == 0xD800, let low = try lowSurrogate() {
        scalar = 0x10000 + (scalar & 0x3FF) << 10 + UInt32(low & 0x3FF)
      }
      text.append(contentsOf: String(Unicode.Scalar(scalar) ?? "\u{FFFD}").utf8)
    default: throw error(.invalidEscape, at: start)
    }
  }

  /// The second half of a pair if an escape for one follows; else nothing is read.
  private mutating func lowSurrogate() throws(JSONError) -> UInt16? {
    guard position + 1 < bytes.count, bytes[position] == UInt8(ascii: "\\"),
      bytes[position + 1] == UInt8(ascii: "u")
    else { return nil }
    let start = position
    position += 2
    let unit = try hexUnit(escapeStart: start)
    if unit & 0xFC00 == 0xDC00 { return unit }
    position = start
    return nil
  }

  private mutating func hexUnit(escapeStart: Int) throws(JSONError) -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      let byte = try peek()
      guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else {
        throw error(.invalidEscape, at: escapeStart)
      }
      unit = unit << 4 | UInt16(digit)
      position += 1
    }
    return unit
  }

  // MARK: Helpers

  private func peek() throws(JSONError) -> UInt8 {
    guard position < bytes.count else { throw error(.unexpectedEnd) }
    return bytes[position]
  }

  private mutating func skipSpace() {
    while position < bytes.count {
      switch bytes[position] {
      case 0x20, 0x0A, 0x0D, 0x09: position += 1
      default: return
      }
    }
  }

  private func error(_ reason: JSONError.Reason) -> JSONError {
    JSONError(reason, at: position, in: bytes)
  }

  private func error(_ reason: JSONError.Reason, at offset: Int) -> JSONError {
    JSONError(reason, at: offset, in: bytes)
  }
}
