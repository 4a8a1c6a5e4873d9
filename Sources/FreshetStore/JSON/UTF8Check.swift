/// Strict UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF.
enum UTF8Check {
  /// How many bytes the scalar at `position` has, nil when there is none.
  static func length(at position: Int, in bytes: UnsafeRawBufferPointer) -> Int? {
    let first = bytes[position]
    let length: Int
    var low: UInt8 = 0x80
    var high: UInt8 = 0xBF
    switch first {
    case 0x00...0x7F: return 1
    case 0xC2...0xDF: length = 2
    case 0xE0: (length, low) = (3, 0xA0)
    case 0xED: (length, high) = (3, 0x9F)
    case 0xE1...0xEF: length = 3
    case 0xF0: (length, low) = (4, 0x90)
    case 0xF1...0xF3: length = 4
    case 0xF4: (length, high) = (4, 0x8F)
    default: return nil
    }
    guard position + length <= bytes.count else { return nil }
    guard (low...high).contains(bytes[position + 1]) else { return nil }
    for offset in 2..<max(length, 2) where bytes[position + offset] & 0xC0 != 0x80 { return nil }
    return length
  }
}
