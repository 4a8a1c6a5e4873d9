/// Tells whether bytes are one JSON object on one line, without decoding them.
///
/// The rules are RFC 8259's, strictly, with the nesting limited to `Limits.bodyLevels`; newlines
/// are refused because the journal is line by line.
struct BodyCheck {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var at = 0
  private var isTooDeep = false

  /// Nil when the bytes are fine, else what is wrong and at which byte.
  static func fault(in body: [UInt8]) -> String? {
    body.withUnsafeBufferPointer { bytes in
      if bytes.isEmpty { return "it is empty" }
      if let newline = Platform.firstIndex(of: 0x0A, in: UnsafeRawBufferPointer(bytes)) {
        return "it holds a newline at byte \(newline); write it on one line"
      }
      guard bytes.first == UInt8(ascii: "{"), bytes.last == UInt8(ascii: "}") else {
        return "it does not begin with { and end with }"
      }
      var check = BodyCheck(bytes: bytes)
      if check.run() { return nil }
      if check.isTooDeep {
        return "it nests more than \(Limits.bodyLevels) levels deep at byte \(check.at)"
      }
      return "it is no valid JSON at byte \(check.at)"
    }
  }

  private init(bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  private var here: UInt8 { at < bytes.count ? bytes[at] : 0 }

  private mutating func skipSpace() {
    while here == 0x20 || here == 0x09 || here == 0x0D { at += 1 }
  }

  /// One value after another, with an explicit stack: `true` for an object, `false` for an array.
  private mutating func run() -> Bool {
    var open: [Bool] = []
    while true {
      skipSpace()
      if here == UInt8(ascii: "{") || here == UInt8(ascii: "[") {
        if open.count >= Limits.bodyLevels {
          isTooDeep = true
          return false
        }
        let isObject = here == UInt8(ascii: "{")
        at += 1
        skipSpace()
        if here == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
          at += 1
        } else {
          open.append(isObject)
          if isObject, !key() { return false }
          continue
        }
      } else if !scalar() {
        return false
      }
      // A value has ended: close what it ends, or go on to the next.
      while true {
        skipSpace()
        guard let isObject = open.last else { return at == bytes.count }
        if here == UInt8(ascii: ",") {
          at += 1
          skipSpace()
          if isObject, !key() { return false }
          break
        }
        guard here == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else { return false }
        at += 1
        open.removeLast()
      }
    }
  }

  private mutating func key() -> Bool {
    guard here == UInt8(ascii: "\""), string() else { return false }
    skipSpace()
    guard here == UInt8(ascii: ":") else { return false }
    at += 1
    return true
  }

  private mutating func scalar() -> Bool {
    switch here {
    case UInt8(ascii: "\""): return string()
    case UInt8(ascii: "t"): return word("true")
    case UInt8(ascii: "f"): return word("false")
    case UInt8(ascii: "n"): return word("null")
    default: return number()
    }
  }

  private mutating func word(_ text: StaticString) -> Bool {
    for offset in 0..<text.utf8CodeUnitCount {
      guard here == text.utf8Start[offset] else { return false }
      at += 1
    }
    return true
  }

  private mutating func digits() -> Bool {
    let start = at
    while here &- 0x30 < 10 { at += 1 }
    return at > start
  }

  private mutating func number() -> Bool {
    if here == UInt8(ascii: "-") { at += 1 }
    if here == 0x30 {
      at += 1
    } else if !digits() {
      return false
    }
    if here == UInt8(ascii: ".") {
      at += 1
      if !digits() { return false }
    }
    if here | 0x20 == UInt8(ascii: "e") {
      at += 1
      if here == UInt8(ascii: "+") || here == UInt8(ascii: "-") { at += 1 }
      if !digits() { return false }
    }
    return true
  }

  private mutating func string() -> Bool {
    at += 1
    while at < bytes.count {
      // Most of a body is plain text.
      at = endOfPlain(from: at)
      guard at < bytes.count else { return false }
      let byte = bytes[at]
      switch byte {
      case UInt8(ascii: "\""):
        at += 1
        return true
      case UInt8(ascii: "\\"):
        at += 1
        if !escape() { return false }
      case 0..<0x20:
        return false
      default:
        if !multiByte(byte) { return false }
      }
    }
    return false
  }

  /// Where the plain bytes from `start` on end, looked at by eights.
  @inline(__always)
  private func endOfPlain(from start: Int) -> Int {
    var next = start
    let raw = UnsafeRawBufferPointer(bytes)
    while next &+ 8 <= raw.count {
      let word = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: next, as: UInt64.self))
      let special = BodyCheck.specials(word)
      if special != 0 { return next &+ special.trailingZeroBitCount / 8 }
      next &+= 8
    }
    while next < bytes.count, BodyCheck.isPlain(bytes[next]) { next += 1 }
    return next
  }

  /// The top bit of each byte that is not plain; bits above the lowest such byte mean nothing.
  @inline(__always)
  private static func specials(_ word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let quotes = word ^ (ones &* 0x22)
    let backslashes = word ^ (ones &* 0x5C)
    // A byte of `x &- ones` has its top bit set, and that of x has not, when the byte was 0.
    let control = (word &- ones &* 0x20) & ~word
    let found = ((quotes &- ones) & ~quotes) | ((backslashes &- ones) & ~backslashes) | control
    return (found | word) & (ones &* 0x80)
  }

  @inline(__always)
  private static func isPlain(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte < 0x80 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
  }

  private mutating func escape() -> Bool {
    switch here {
    case UInt8(ascii: "u"):
      at += 1
      for _ in 0..<4 {
        let isDigit = here &- 0x30 < 10 || (here | 0x20) &- 0x61 < 6
        guard isDigit else { return false }
        at += 1
      }
      return true
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
      UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      at += 1
      return true
    default:
      return false
    }
  }

  /// One character of two to four bytes, well-formed UTF-8 only.
  private mutating func multiByte(_ lead: UInt8) -> Bool {
    let second = at + 1 < bytes.count ? bytes[at + 1] : 0
    let length: Int
    switch lead {
    case 0xC2...0xDF: length = 2
    case 0xE0: length = second >= 0xA0 ? 3 : 0
    case 0xED: length = second < 0xA0 ? 3 : 0
    case 0xE1...0xEF: length = 3
    case 0xF0: length = second >= 0x90 ? 4 : 0
    case 0xF4: length = second < 0x90 ? 4 : 0
    case 0xF1...0xF3: length = 4
    default: length = 0
    }
    guard length > 0, at + length <= bytes.count else { return false }
    for offset in 1..<length where bytes[at + offset] & 0xC0 != 0x80 { return false }
    at += length
    return true
  }
}
