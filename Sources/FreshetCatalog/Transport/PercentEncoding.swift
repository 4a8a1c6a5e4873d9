import Foundation

/// Text as it stands in a query: everything but RFC 3986's unreserved characters as `%XX`.
enum PercentEncoding {
  private static let digits = Array("0123456789ABCDEF".utf8)

  /// Encodes text for a query's value, after putting it into NFC; O(n).
  ///
  /// So both spellings of 한 are asked for in the one way that catalogues know.
  static func encode(_ text: String) -> String {
    var bytes: [UInt8] = []
    for byte in text.precomposedStringWithCanonicalMapping.utf8 {
      append(byte, to: &bytes, plain: isUnreserved(byte))
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Encodes what cannot stand in an address at all, and leaves the rest; O(n).
  static func repair(_ text: Substring) -> String {
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      let isPlain =
        isUnreserved(byte) || byte == UInt8(ascii: "%") || "!$&'()*+,;=:@/?".utf8.contains(byte)
      append(byte, to: &bytes, plain: isPlain)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// One spelling of what is the same: unreserved characters plain, hexadecimal digits upper case.
  static func normalized(_ text: String) -> String {
    let source = Array(text.utf8)
    var bytes: [UInt8] = []
    var index = 0
    while index < source.count {
      if source[index] == UInt8(ascii: "%"), index + 2 < source.count,
        let high = hexValue(source[index + 1]), let low = hexValue(source[index + 2])
      {
        let byte = high << 4 | low
        append(byte, to: &bytes, plain: isUnreserved(byte))
        index += 3
      } else {
        bytes.append(source[index])
        index += 1
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func append(_ byte: UInt8, to bytes: inout [UInt8], plain: Bool) {
    if plain {
      bytes.append(byte)
    } else {
      bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
  }

  private static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "_"), UInt8(ascii: "~"):
      true
    default: false
    }
  }

  static func hexValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
