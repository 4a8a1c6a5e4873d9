/// Steps through one line.
struct LineScanner {
  let line: UnsafeRawBufferPointer
  var at: Int

  @inline(__always)
  mutating func take(_ text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    guard at + count <= line.count else { return false }
    let start = text.utf8Start
    for offset in 0..<count where line[at + offset] != start[offset] { return false }
    at += count
    return true
  }

  @inline(__always)
  mutating func expect(_ text: StaticString) throws(LineFault) {
    if !take(text) { throw .malformed(at: at) }
  }

  /// A decimal number without sign or leading zeros.
  @inline(__always)
  mutating func number() throws(LineFault) -> Int64 {
    let start = at
    var value: Int64 = 0
    while at < line.count, case let digit = line[at] &- 0x30, digit < 10 {
      if at - start >= 18 { throw .malformed(at: at) }
      value = value * 10 + Int64(digit)
      at += 1
    }
    let hasLeadingZero = at - start > 1 && line[start] == 0x30
    guard at > start, !hasLeadingZero else { throw .malformed(at: start) }
    return value
  }

  /// A string's bytes up to its closing quote; only `\"` and `\\` are escapes in this format.
  @inline(__always)
  mutating func string() throws(LineFault) -> (Range<Int>, hasEscapes: Bool) {
    let start = at
    var hasEscapes = false
    while at < line.count {
      switch line[at] {
      case UInt8(ascii: "\""):
        defer { at += 1 }
        return (start..<at, hasEscapes)
      case UInt8(ascii: "\\"):
        hasEscapes = true
        guard at + 1 < line.count,
          line[at + 1] == UInt8(ascii: "\"") || line[at + 1] == UInt8(ascii: "\\")
        else { throw .malformed(at: at) }
        at += 2
      default:
        at += 1
      }
    }
    throw .malformed(at: start)
  }
}
