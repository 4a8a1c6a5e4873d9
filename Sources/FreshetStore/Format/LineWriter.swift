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
    // Everything before the body is put together first, so that the array grows twice per line.
    withUnsafeTemporaryAllocation(
      byteCount: LineWriter.headBytes + 2 * line.id.count, alignment: 1
    ) { space in
      var head = HeadCursor(space)
      head.append(#"{"c":"00000000","r":"#)
      head.append(revision)
      head.append(#","b":"#)
      head.append(durableBefore)
      head.append(#","o":""#)
      head.append(LineWriter.name(of: line.kind))
      head.append(#"""#)
      if line.kind == .erase { head.append(#","must":1"#) }
      if !line.id.isEmpty {
        head.append(#","k":""#)
        head.appendEscaped(line.id)
        head.append(#"""#)
      }
      if count > 1 {
        head.append(#","n":""#)
        head.append(Int64(index))
        head.append("/")
        head.append(Int64(count))
        head.append(#"""#)
      }
      if !line.id.isEmpty || line.kind == .erase {
        head.append(#","p":"#)
        head.append(line.replaces)
      }
      if line.kind == .epoch {
        head.append(#","e":"#)
        head.append(line.epoch)
      }
      head.append(#","t":"#)
      head.append(time)
      if !line.body.isEmpty { head.append(#","v":"#) }
      bytes.append(contentsOf: head.written)
    }
    bytes.append(contentsOf: line.body)
    bytes.append(UInt8(ascii: "}"))
    Frame.close(&bytes, from: start)
    return bytes.count - start
  }

  /// Room for all keys and numbers of a line.
  static let headBytes = 256

  private static func name(of kind: RecordLine.Kind) -> StaticString {
    switch kind {
    case .put: "put"
    case .soft: "soft"
    case .restore: "restore"
    case .clear: "clear"
    case .erase: "erase"
    case .epoch: "epoch"
    case .unknown: preconditionFailure("a version writes only the kinds it knows")
    }
  }
}

/// Fills a line's first bytes in.
///
/// The buffer is the caller's, of `headBytes` and twice the id: enough for six numbers of at most 20
/// digits, all keys, and an id of nothing but escapes. `FormatTests` writes the longest line.
struct HeadCursor {
  private let space: UnsafeMutableRawBufferPointer
  private var count = 0

  init(_ space: UnsafeMutableRawBufferPointer) { self.space = space }

  var written: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: space[..<count]) }

  @inline(__always)
  mutating func append(_ text: StaticString) {
    append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  @inline(__always)
  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    UnsafeMutableRawBufferPointer(rebasing: space[count..<(count + bytes.count)])
      .copyMemory(from: bytes)
    count += bytes.count
  }

  @inline(__always)
  private mutating func append(_ byte: UInt8) {
    space[count] = byte
    count += 1
  }

  mutating func appendEscaped(_ id: [UInt8]) {
    guard id.contains(where: { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }) else {
      return id.withUnsafeBytes { append($0) }
    }
    for byte in id {
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { append(UInt8(ascii: "\\")) }
      append(byte)
    }
  }

  /// Appends a decimal number that is not negative.
  mutating func append(_ number: Int64) {
    var rest = UInt64(number)
    var digits = 1
    var limit: UInt64 = 10
    while rest >= limit, digits < 19 {
      digits += 1
      limit *= 10
    }
    var at = count + digits
    count = at
    repeat {
      at -= 1
      space[at] = 0x30 + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    } while rest > 0
  }
}
