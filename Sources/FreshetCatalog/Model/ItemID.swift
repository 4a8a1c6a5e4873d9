/// The name of a content item: `kind:source:native`, such as `film:tmdb:movie:603`.
///
/// Ids are compared byte by byte and are never rewritten. The native part holds
/// `[A-Za-z0-9._~:-]`; anything else is percent-encoded.
public struct ItemID: Sendable, Hashable, CustomStringConvertible {
  /// What sort of thing an item is.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// A film or a series.
    case film
    /// A book.
    case book
  }

  /// How many bytes an id may have.
  public static let sizeLimitBytes = 512

  /// The whole id.
  public let text: String
  /// The first part.
  public let kind: Kind
  /// The second part: the catalogue that numbers the item, or `local`.
  public let source: String
  /// The rest, percent-encoded as it stands in the id.
  public let native: String

  /// Checks and takes apart an id.
  /// - Throws: ``ContentItemError`` with code `malformed_id` and the reason.
  public init(_ text: String) throws(ContentItemError) {
    if text.utf8.count > Self.sizeLimitBytes {
      throw .malformedID(text, "it is longer than \(Self.sizeLimitBytes) bytes")
    }
    let parts = text.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3 else {
      throw .malformedID(text, "expected kind:source:native, as in film:tmdb:movie:603")
    }
    guard let kind = Kind(rawValue: String(parts[0])) else {
      throw .malformedID(text, "its kind is not film or book")
    }
    guard !parts[1].isEmpty, parts[1].utf8.allSatisfy(Self.isSourceByte) else {
      throw .malformedID(text, "its source is not made of a-z, 0-9, _ and -")
    }
    guard !parts[2].isEmpty else { throw .malformedID(text, "its native part is empty") }
    if let fault = Self.nativeFault(parts[2]) { throw .malformedID(text, fault) }
    self.text = text
    self.kind = kind
    self.source = String(parts[1])
    self.native = String(parts[2])
  }

  /// Makes an id from a catalogue's own name for the item, encoding what needs it.
  /// - Throws: ``ContentItemError`` with code `malformed_id`.
  public init(kind: Kind, source: String, native: String) throws(ContentItemError) {
    try self.init("\(kind.rawValue):\(source):\(Self.encoded(native))")
  }

  /// The whole id.
  public var description: String { text }

  /// The bytes outside `[A-Za-z0-9._~:-]` percent-encoded.
  public static func encoded(_ native: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in native.utf8 {
      if isNativeByte(byte) {
        bytes.append(byte)
      } else {
        bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func nativeFault(_ native: Substring) -> String? {
    let bytes = Array(native.utf8)
    var index = 0
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "%") {
        guard index + 2 < bytes.count, isHex(bytes[index + 1]), isHex(bytes[index + 2]) else {
          return "a % in it is not followed by two hexadecimal digits"
        }
        index += 3
      } else if isNativeByte(bytes[index]) {
        index += 1
      } else {
        return "its native part holds other than [A-Za-z0-9._~:-]; percent-encode it"
      }
    }
    return nil
  }

  private static func isNativeByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "~"), UInt8(ascii: ":"), UInt8(ascii: "-"):
      true
    default: false
    }
  }

  private static func isSourceByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "_"), UInt8(ascii: "-"):
      true
    default: false
    }
  }

  private static func isHex(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
      UInt8(ascii: "A")...UInt8(ascii: "F"):
      true
    default: false
    }
  }
}
