/// A look at a document that is spread over lines: where it ends, and which objects begin its lines.
///
/// When such a document turns out to be none, its first line is refused, and the next one may begin a
/// document that was looked at already. What was found out holds for that one too, so that a text of
/// many lines that do not end is not read once for each of them.
struct SpreadScan {
  /// An object that begins a line within the document and is open still.
  private struct Inner {
    let offset: Int
    /// How many arrays and objects were around it in the document that was looked at first.
    let depth: Int
  }

  private var scanner = JSONScanner()
  /// The outermost first.
  private var inner: ArraySlice<Inner> = []
  /// How many arrays and objects were around what is looked at now.
  private var forgotten = 0
  /// What offsets are counted from.
  private var origin = 0
  private var isLineStart = false

  /// Whether an object that begins a line is open within the document.
  var hasInner: Bool { !inner.isEmpty }

  /// Takes the document's next byte, which stands at a place in the buffer.
  mutating func feed(_ byte: UInt8, at position: Int) -> JSONScanner.Status {
    let depth = scanner.depth
    let status = scanner.feed(byte)
    guard case .more = status, isLineStart || byte == 0x0A || scanner.depth < depth else {
      return status
    }
    if byte == 0x0A {
      isLineStart = true
      return status
    }
    while let last = inner.last, last.depth >= scanner.depth + forgotten { inner.removeLast() }
    guard isLineStart, ![0x20, 0x09, 0x0D].contains(byte) else { return status }
    isLineStart = false
    if byte == UInt8(ascii: "{") {
      inner.append(Inner(offset: position + origin, depth: depth + forgotten))
    }
    return status
  }

  /// Goes over to the object that begins at a place in the buffer, as if the text had begun with it;
  /// false when it is none of those that are open.
  mutating func narrow(toObjectAt position: Int) -> Bool {
    while let first = inner.first, first.offset < position + origin { inner.removeFirst() }
    guard let first = inner.first, first.offset == position + origin else { return false }
    inner.removeFirst()
    scanner.forget(outermost: first.depth - forgotten)
    forgotten = first.depth
    return true
  }

  /// The buffer's first bytes were taken away.
  mutating func moveBack(by count: Int) { origin += count }
}
