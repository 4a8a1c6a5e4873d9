extension JSONValue {
  /// Appends the compact text: no spaces, `/` as it is, members in order.
  ///
  /// Controls, U+007F, U+0085, U+2028 and U+2029 are escaped, so that no reader that splits on
  /// Unicode lines cuts a record in two; all else stands for itself. O(n).
  public func appendJSON(to bytes: inout [UInt8]) {
    switch self {
    case .null: bytes.append(contentsOf: "null".utf8)
    case .bool(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
    case .number(let value): bytes.append(contentsOf: value.text.utf8)
    case .string(let value): JSONText.appendString(value, to: &bytes)
    case .array(let elements):
      bytes.append(UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        element.appendJSON(to: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let object): object.appendJSON(to: &bytes)
    }
  }

  /// The compact text as bytes.
  public var jsonBytes: [UInt8] {
    var bytes: [UInt8] = []
    appendJSON(to: &bytes)
    return bytes
  }

  /// The compact text.
  public var jsonText: String { String(decoding: jsonBytes, as: UTF8.self) }
}

extension JSONObject {
  /// Appends the compact text; the rules of ``JSONValue/appendJSON(to:)``.
  public func appendJSON(to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "{"))
    for (index, member) in members.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      JSONText.appendString(member.key, to: &bytes)
      bytes.append(UInt8(ascii: ":"))
      member.value.appendJSON(to: &bytes)
    }
    bytes.append(UInt8(ascii: "}"))
  }
}

/// The pieces of JSON text that hand-written encoders share.
public enum JSONText {
  /// Appends `text` as a JSON string with its quotes.
  public static func appendString(_ text: String, to bytes: inout [UInt8]) {
    var text = text
    text.withUTF8 { source in
      bytes.append(UInt8(ascii: "\""))
      var plain = 0
      var index = 0
      while index < source.count {
        let (width, scalar) = escapeNeeded(at: index, in: source)
        guard width > 0 else {
          index += 1
          continue
        }
        bytes.append(contentsOf: UnsafeBufferPointer(rebasing: source[plain..<index]))
        appendEscape(scalar, to: &bytes)
        index += width
        plain = index
      }
      bytes.append(contentsOf: UnsafeBufferPointer(rebasing: source[plain...]))
      bytes.append(UInt8(ascii: "\""))
    }
  }

  /// Whether compact JSON can go into a line as it is: no raw control or line-like character.
  ///
  /// Valid JSON has raw controls only as white space between tokens. O(n).
  public static func isOneLine(_ json: UnsafeBufferPointer<UInt8>) -> Bool {
    for index in json.indices {
      let byte = json[index]
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { continue }
      if escapeNeeded(at: index, in: json).width > 0 { return false }
    }
    return true
  }

  /// Width 0 when the byte at `index` stands for itself, else what to escape and how many bytes
  /// of the source it takes.
  @inline(__always)
  private static func escapeNeeded(
    at index: Int, in source: UnsafeBufferPointer<UInt8>
  ) -> (width: Int, scalar: UInt32) {
    let byte = source[index]
    switch byte {
    case 0x00..<0x20, 0x22, 0x5C, 0x7F:
      return (1, UInt32(byte))
    case 0xC2 where index + 1 < source.count && source[index + 1] == 0x85:
      return (2, 0x85)
    case 0xE2
    where index + 2 < source.count && source[index + 1] == 0x80
      && source[index + 2] & 0xFE == 0xA8:
      return (3, source[index + 2] == 0xA8 ? 0x2028 : 0x2029)
    default:
      return (0, 0)
    }
  }

  private static func appendEscape(_ scalar: UInt32, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\\"))
    switch scalar {
    case 0x22, 0x5C: bytes.append(UInt8(scalar))
    case 0x08: bytes.append(UInt8(ascii: "b"))
    case 0x09: bytes.append(UInt8(ascii: "t"))
    case 0x0A: bytes.append(UInt8(ascii: "n"))
    case 0x0C: bytes.append(UInt8(ascii: "f"))
    case 0x0D: bytes.append(UInt8(ascii: "r"))
    default:
      bytes.append(UInt8(ascii: "u"))
      for shift in stride(from: 12, through: 0, by: -4) {
        let digit = UInt8(truncatingIfNeeded: scalar >> UInt32(shift)) & 0xF
        bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
      }
    }
  }
}
