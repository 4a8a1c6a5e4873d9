/// Cuts bytes into lines at U+000A and nowhere else, with a limit on a line's length.
struct LineSplitter {
  /// The longest line that is taken.
  static let limitBytes = 1 << 20

  /// One line.
  struct Line: Equatable {
    /// Its number, from 1.
    let number: Int
    /// Its bytes without the newline, one carriage return before it and a byte order mark at the
    /// start of the text; nil for a line that is too long.
    let bytes: [UInt8]?

    /// Whether there is nothing on it but spaces.
    var isBlank: Bool { bytes?.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D } ?? false }
  }

  private var partial: [UInt8] = []
  private var isTooLong = false
  private var number = 0

  /// The lines that these bytes complete.
  mutating func feed(_ bytes: [UInt8]) -> [Line] {
    var lines: [Line] = []
    var start = 0
    while let end = bytes[start...].firstIndex(of: 0x0A) {
      append(bytes[start..<end])
      lines.append(takeLine())
      start = end + 1
    }
    append(bytes[start...])
    return lines
  }

  /// The last line, when the text does not end with a newline.
  mutating func finish() -> Line? {
    partial.isEmpty && !isTooLong ? nil : takeLine()
  }

  private mutating func append(_ bytes: ArraySlice<UInt8>) {
    if isTooLong { return }
    // A byte order mark and a carriage return do not count.
    if partial.count + bytes.count > Self.limitBytes + 4 {
      isTooLong = true
      partial = []
    } else {
      partial.append(contentsOf: bytes)
    }
  }

  private mutating func takeLine() -> Line {
    number += 1
    var bytes: [UInt8] = []
    swap(&bytes, &partial)
    defer { isTooLong = false }
    if number == 1, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
    if bytes.last == 0x0D { bytes.removeLast() }
    if isTooLong || bytes.count > Self.limitBytes { return Line(number: number, bytes: nil) }
    return Line(number: number, bytes: bytes)
  }
}
