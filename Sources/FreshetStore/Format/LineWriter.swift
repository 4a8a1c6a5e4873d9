/// Writes record lines, one after another, into the bytes of one append.
struct LineWriter {
  var bytes: [UInt8] = []

  /// What one line says, apart from its place in the log.
  struct Line {
    var kind: RecordLine.Kind
    var id: [UInt8] = []
    var replaces: Int64 = 0
    var epoch: Int64 = 0
    var body: [UInt8] = []
  }

  /// Appends a line and returns its length, newline included.
  mutating func append(
    _ line: Line, revision: Int64, durableBefore: Int64, index: Int, count: Int, time: Int64
  ) -> Int {
    let start = bytes.count
    Frame.open(&bytes)
    append(#","r":"#)
    append(revision)
    append(#","b":"#)
    append(durableBefore)
    append(#","o":""#)
    append(LineWriter.name(of: line.kind))
    append(#"""#)
    if !line.id.isEmpty {
      append(#","k":""#)
      appendEscaped(line.id)
      append(#"""#)
    }
    if count > 1 {
      append(#","n":""#)
      append(Int64(index))
      append("/")
      append(Int64(count))
      append(#"""#)
    }
    if !line.id.isEmpty {
      append(#","p":"#)
      append(line.replaces)
    }
    if line.kind == .epoch {
      append(#","e":"#)
      append(line.epoch)
    }
    append(#","t":"#)
    append(time)
    if !line.body.isEmpty {
      append(#","v":"#)
      bytes.append(contentsOf: line.body)
    }
    append("}")
    Frame.close(&bytes, from: start)
    return bytes.count - start
  }

  private static func name(of kind: RecordLine.Kind) -> StaticString {
    switch kind {
    case .put: "put"
    case .soft: "soft"
    case .restore: "restore"
    case .clear: "clear"
    case .epoch: "epoch"
    case .unknown: preconditionFailure("a version writes only the kinds it knows")
    }
  }

  @inline(__always)
  private mutating func append(_ text: StaticString) {
    bytes.append(
      contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  private mutating func appendEscaped(_ id: [UInt8]) {
    guard id.contains(where: { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }) else {
      return bytes.append(contentsOf: id)
    }
    for byte in id {
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
        bytes.append(UInt8(ascii: "\\"))
      }
      bytes.append(byte)
    }
  }

  /// Appends a decimal number that is not negative.
  private mutating func append(_ number: Int64) {
    var rest = UInt64(number)
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
      var start = 20
      repeat {
        start -= 1
        digits[start] = 0x30 + UInt8(truncatingIfNeeded: rest % 10)
        rest /= 10
      } while rest > 0
      bytes.append(contentsOf: UnsafeBufferPointer(rebasing: digits[start...]))
    }
  }
}
