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
  /// Appends `text` as a JSON string with its quotes; O(n).
  public static func appendString(_ text: String, to bytes: inout [UInt8]) {
    var text = text
    text.withUTF8 { source in
      let plain = plainEnd(in: source, from: 0)
      if plain < source.count { return appendEscaped(source, plain: plain, to: &bytes) }
      bytes.append(addingCapacity: source.count + 2) { room in
        room.append(UInt8(ascii: "\""))
        room.append(contentsOf: source)
        room.append(UInt8(ascii: "\""))
      }
    }
  }

  /// Whether every byte of some UTF-8 stands for itself in a JSON string of ours.
  package static func isPlain(_ source: UnsafeBufferPointer<UInt8>) -> Bool {
    plainEnd(in: source, from: 0) == source.count
  }

  /// Whether compact JSON can go into a line as it is: no raw control or line-like character.
  ///
  /// Valid JSON has raw controls only as white space between tokens. O(n).
  public static func isOneLine(_ json: UnsafeBufferPointer<UInt8>) -> Bool {
    let bytes = UnsafeRawBufferPointer(json)
    var index = 0
    while index < bytes.count {
      // Quotes and backslashes are JSON's own here, so that most words hold some.
      if index + 8 <= bytes.count, !BytesInWord(bytes, index).mayCutLine {
        index += 8
        continue
      }
      let byte = json[index]
      if byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"),
        escapeNeeded(at: index, in: json).width > 0
      {
        return false
      }
      index += 1
    }
    return true
  }

  /// Up to where bytes stand for themselves: the place of the first that does not, or the end.
  private static func plainEnd(in source: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    let bytes = UnsafeRawBufferPointer(source)
    var index = start
    while index < bytes.count {
      if index + 8 <= bytes.count, !BytesInWord(bytes, index).mayNeedEscape {
        index += 8
        continue
      }
      if escapeNeeded(at: index, in: source).width > 0 { return index }
      index += 1
    }
    return index
  }

  /// The rest of ``appendString(_:to:)`` for a text that needs escapes.
  private static func appendEscaped(
    _ source: UnsafeBufferPointer<UInt8>, plain: Int, to bytes: inout [UInt8]
  ) {
    bytes.append(UInt8(ascii: "\""))
    var written = 0
    var index = plain
    while index < source.count {
      bytes.append(contentsOf: UnsafeBufferPointer(rebasing: source[written..<index]))
      let (width, scalar) = escapeNeeded(at: index, in: source)
      appendEscape(scalar, to: &bytes)
      written = index + width
      index = plainEnd(in: source, from: written)
    }
    bytes.append(contentsOf: UnsafeBufferPointer(rebasing: source[written...]))
    bytes.append(UInt8(ascii: "\""))
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

/// Eight bytes looked at together.
///
/// A byte that is wanted makes the difference with it zero; `(x - 1) & ~x` then has the byte's top bit
/// set, and for some byte of a word only if one of them is zero.
private struct BytesInWord {
  private let word: UInt64

  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let tops: UInt64 = 0x8080_8080_8080_8080

  /// - Precondition: eight bytes from `index` on are there.
  @inline(__always)
  init(_ bytes: UnsafeRawBufferPointer, _ index: Int) {
    word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
  }

  /// Whether a control, U+007F, or the first byte of U+0085, U+2028 or U+2029 is among them.
  @inline(__always)
  var mayCutLine: Bool { cutting & Self.tops != 0 }

  /// The same, or a quote or backslash.
  @inline(__always)
  var mayNeedEscape: Bool { (cutting | zeros(of: 0x22) | zeros(of: 0x5C)) & Self.tops != 0 }

  @inline(__always)
  private var cutting: UInt64 {
    let controls = (word &- Self.ones &* 0x20) & ~word
    // 0xC2 and 0xE2 differ in one bit.
    let lead = (word | Self.ones &* 0x20) ^ Self.ones &* 0xE2
    return controls | zeros(of: 0x7F) | (lead &- Self.ones) & ~lead
  }

  @inline(__always)
  private func zeros(of byte: UInt64) -> UInt64 {
    let difference = word ^ Self.ones &* byte
    return (difference &- Self.ones) & ~difference
  }
}

extension OutputSpan<UInt8> {
  /// Appends bytes that fit.
  ///
  /// Unsafe pointers: both are the caller's for the length of the call, and the room is checked before
  /// anything is copied. `JSONWritingTests` would notice a byte too many or too few.
  @inline(__always)
  fileprivate mutating func append(contentsOf source: UnsafeBufferPointer<UInt8>) {
    withUnsafeMutableBufferPointer { room, count in
      precondition(source.count <= room.count - count, "more bytes than were announced")
      guard let from = source.baseAddress, let to = room.baseAddress else { return }
      (to + count).initialize(from: from, count: source.count)
      count += source.count
    }
  }
}
