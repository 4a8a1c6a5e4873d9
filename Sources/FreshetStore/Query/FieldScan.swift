/// Finds one member of a JSON object without decoding the rest.
///
/// Bodies have been checked when they were saved, so it looks for the ends of strings and values
/// only; whatever it is given, it stays within the bytes.
struct FieldScan {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var at = 0

  /// The member's value as something to order by.
  ///
  /// - Complexity: O(bytes before the member).
  static func key(of name: String, in body: [UInt8]) -> SortKey {
    let name = Array(name.utf8)
    return body.withUnsafeBufferPointer { bytes in
      var scan = FieldScan(bytes: bytes)
      return scan.find(name)
    }
  }

  private init(bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  private var here: UInt8 { at < bytes.count ? bytes[at] : 0 }

  private mutating func skipSpace() {
    while here == 0x20 || here == 0x09 || here == 0x0D { at += 1 }
  }

  private mutating func find(_ name: [UInt8]) -> SortKey {
    // The last of several members of one name counts, as for most readers.
    var found = SortKey.missing
    skipSpace()
    guard here == UInt8(ascii: "{") else { return .missing }
    at += 1
    while at < bytes.count {
      skipSpace()
      guard here == UInt8(ascii: "\""), let key = string() else { return found }
      skipSpace()
      guard here == UInt8(ascii: ":") else { return found }
      at += 1
      skipSpace()
      if matches(key, name) { found = value() } else { skipValue() }
      skipSpace()
      guard here == UInt8(ascii: ",") else { return found }
      at += 1
    }
    return found
  }

  /// The range between the quotes; `at` is behind the second.
  private mutating func string() -> Range<Int>? {
    at += 1
    let start = at
    while at < bytes.count {
      switch bytes[at] {
      case UInt8(ascii: "\""):
        defer { at += 1 }
        return start..<at
      case UInt8(ascii: "\\"): at += 2
      default: at += 1
      }
    }
    return nil
  }

  private func matches(_ key: Range<Int>, _ name: [UInt8]) -> Bool {
    if bytes[key].elementsEqual(name) { return true }
    guard bytes[key].contains(UInt8(ascii: "\\")) else { return false }
    return text(key) == name
  }

  /// A string's own bytes.
  private func text(_ range: Range<Int>) -> [UInt8] {
    guard bytes[range].contains(UInt8(ascii: "\\")) else { return Array(bytes[range]) }
    let token = Array(bytes[(range.lowerBound - 1)...range.upperBound])
    // It was checked when it was saved; should it not parse, its bytes are as good an order.
    return (try? JSONValue(parsing: token))?.stringValue.map { Array($0.utf8) } ?? token
  }

  private mutating func value() -> SortKey {
    switch here {
    case UInt8(ascii: "\""): return string().map { .text(text($0)) } ?? .missing
    case UInt8(ascii: "t"):
      skipValue()
      return .truth(true)
    case UInt8(ascii: "f"):
      skipValue()
      return .truth(false)
    case UInt8(ascii: "-"), 0x30...0x39:
      let start = at
      skipValue()
      let number = Double(String(decoding: bytes[start..<at], as: UTF8.self))
      return number.map { .number($0) } ?? .missing
    default:
      skipValue()
      return .missing
    }
  }

  /// Passes over a value of any kind, to the comma or the bracket behind it.
  private mutating func skipValue() {
    var depth = 0
    while at < bytes.count {
      switch bytes[at] {
      case UInt8(ascii: "\""):
        if string() == nil { return }
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        at += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if depth == 0 { return }
        depth -= 1
        at += 1
      case UInt8(ascii: ","), 0x20, 0x09, 0x0D:
        if depth == 0 { return }
        at += 1
      default: at += 1
      }
    }
  }
}
