/// Cuts bytes into JSON documents: one a line, the elements of one big array, or documents that are
/// spread over lines.
///
/// Memory is bounded by the largest document. Documents over several lines are in
/// `DocumentSplitter+Spread.swift`, arrays in `DocumentSplitter+Arrays.swift`.
///
/// A line that is no document is handed on as it is, for the parser to refuse; the next line is
/// looked at afresh.
struct DocumentSplitter {
  /// What was found.
  enum Piece: Equatable {
    /// The bytes of a document, or of a line that is none; `row` is its place in an array, from 1,
    /// `column` that of its first byte, from 1, where only white space is before it.
    case document(line: Int, row: Int? = nil, column: Int? = nil, [UInt8])
    /// A document or line that is too large.
    case tooLarge(line: Int)
    /// Something between documents that cannot be; `isFatal` when the rest is not read.
    case broken(line: Int, reason: String, isFatal: Bool)
  }

  /// The largest document that is taken, where nothing else is said.
  static let limitBytes = LineSplitter.limitBytes

  enum Mode {
    /// At the start of a line or of a document within it.
    case line
    /// In a document that did not end with its first line.
    case spread
    /// In an array, between elements; `first` before the first one.
    case between(isFirst: Bool)
    /// In an element of an array.
    case element
    /// Dropping a line that is too long, or the rest of a broken one.
    case skippingLine
    /// Passing over white space; anything else is told to be lost.
    case stopping(reason: String)
    /// Dropping all that follows.
    case stopped
  }

  /// Whether a document may be spread over lines also after one that was not.
  ///
  /// Then a line without an end keeps the answers to what follows waiting, for two lines at most.
  let mixesForms: Bool
  /// The largest document that is taken.
  let limit: Int

  init(mixesForms: Bool = false, limit: Int = limitBytes) {
    self.mixesForms = mixesForms
    self.limit = limit
  }

  var mode = Mode.line
  var buffer: [UInt8] = []
  /// Where the current unit begins, and how far it was looked at.
  var start = 0
  var position = 0
  /// The line `position` is on, and the one the current unit began on.
  var line = 1
  var unitLine = 1
  /// The column that the current unit begins in, when it is the first of its line.
  var column: Int? = 1
  var arrayLine = 1
  /// How many elements the array, or the arrays of this line, had so far.
  var rowCount = 0
  var lastArrayEnd = 0
  /// The line that the last unit ended on.
  var takenLine = 0
  var lineBegin = 0
  /// Of an element of an array.
  var scanner = JSONScanner()
  var spread = SpreadScan()
  /// How far a spread document was looked at that turned out to be none, and what was found.
  var known: (spread: SpreadScan, position: Int, line: Int, lineBegin: Int)?
  /// The line of the last byte in an array that is no white space.
  var contentLine = 1
  /// Where the last line begins that is a document by itself, once the end of the text was seen.
  var lastDocument: Int?
  var sawObjectLine = false
  var sawFirstBytes = false

  /// The documents that these bytes complete.
  mutating func feed(_ bytes: [UInt8]) -> [Piece] {
    buffer.append(contentsOf: bytes)
    return run(isEnd: false)
  }

  /// What is left at the end of the text.
  mutating func finish() -> [Piece] {
    endLine()
    var pieces = run(isEnd: true)
    while case .spread = mode {
      pieces += endSpread(atEnd: true)
      endLine()
      while step(into: &pieces) {}
    }
    switch mode {
    case .between, .element:
      pieces.append(
        .broken(
          line: contentLine, reason: "the array of line \(arrayLine) does not end", isFatal: false))
    case .line, .spread, .skippingLine, .stopping, .stopped: break
    }
    return pieces
  }

  /// A line may end with the text; a document that does is cut off.
  private mutating func endLine() {
    if case .line = mode, buffer.last != 0x0A { buffer.append(0x0A) }
  }

  private mutating func run(isEnd: Bool) -> [Piece] {
    var pieces: [Piece] = []
    if !sawFirstBytes {
      if !isEnd, buffer.count < 3, buffer.starts(with: [0xEF, 0xBB, 0xBF].prefix(buffer.count)) {
        return []
      }
      sawFirstBytes = true
      if buffer.starts(with: [0xEF, 0xBB, 0xBF]) { buffer.removeFirst(3) }
    }
    while step(into: &pieces) {}
    buffer.removeFirst(start)
    position -= start
    lineBegin -= start
    spread.moveBack(by: start)
    known?.spread.moveBack(by: start)
    known?.position -= start
    known?.lineBegin -= start
    start = 0
    return pieces
  }

  /// Goes on by one unit; false when more bytes are needed.
  private mutating func step(into pieces: inout [Piece]) -> Bool {
    switch mode {
    case .line: lineStep(into: &pieces)
    case .spread: spreadStep(into: &pieces)
    case .between(let isFirst): betweenStep(isFirst: isFirst, into: &pieces)
    case .element: elementStep(into: &pieces)
    case .skippingLine: skipStep()
    case .stopping(let reason): stoppingStep(reason, into: &pieces)
    case .stopped: stopStep()
    }
  }

  // MARK: Lines

  private mutating func lineStep(into pieces: inout [Piece]) -> Bool {
    while start < buffer.count, Self.isSpace(buffer[start]) {
      if buffer[start] == 0x0A { newLine(after: start) }
      start += 1
    }
    let isFirstOfLine = takenLine != line
    position = max(position, start)
    unitLine = line
    column = isFirstOfLine ? start - lineBegin + 1 : nil
    guard start < buffer.count else { return false }
    if goOnFromKnown() { return true }
    if buffer[start] == UInt8(ascii: "[") {
      // Two arrays on a line count on, so that line and row name one record.
      if line != lastArrayEnd { rowCount = 0 }
      arrayLine = line
      contentLine = line
      start += 1
      position = start
      mode = .between(isFirst: true)
      return true
    }
    guard let end = buffer[position...].firstIndex(of: 0x0A) else {
      position = buffer.count
      if position - start > limit { skipTooLarge(into: &pieces) }
      return false
    }
    if end - start > limit + 1 {
      skipTooLarge(into: &pieces)
      return true
    }
    if isOpen(buffer[start..<end]), mixesForms || !sawObjectLine {
      mode = .spread
      position = start
      spread = SpreadScan()
      return true
    }
    var text = Array(buffer[start..<end])
    while let last = text.last, Self.isSpace(last) { text.removeLast() }
    if text.last == UInt8(ascii: "}") { sawObjectLine = true }
    pieces.append(.document(line: line, column: column, text))
    takeUnit(through: end)
    newLine(after: end)
    return true
  }

  /// Whether a line begins a document that a later line could end.
  private func isOpen(_ text: ArraySlice<UInt8>) -> Bool {
    var scanner = JSONScanner()
    for byte in text {
      switch scanner.feed(byte) {
      case .more: continue
      case .complete, .completeBefore, .invalid: return false
      }
    }
    return !scanner.endsHere && !scanner.isInsideString
  }

  // MARK: Skipping

  private mutating func skipTooLarge(into pieces: inout [Piece]) {
    pieces.append(.tooLarge(line: line))
    mode = .skippingLine
  }

  private mutating func skipStep() -> Bool {
    guard let end = buffer[position...].firstIndex(of: 0x0A) else {
      position = buffer.count
      start = buffer.count
      return false
    }
    takeUnit(through: end)
    newLine(after: end)
    mode = .line
    return true
  }

  mutating func stop() {
    mode = .stopped
    start = buffer.count
    position = start
  }

  /// Goes on behind a place, where only white space may follow.
  mutating func stop(after place: Int, _ reason: String) {
    mode = .stopping(reason: reason)
    start = min(place + 1, buffer.count)
    position = start
    if place < buffer.count, buffer[place] == 0x0A { newLine(after: place) }
  }

  private mutating func stoppingStep(_ reason: String, into pieces: inout [Piece]) -> Bool {
    while position < buffer.count, Self.isSpace(buffer[position]) {
      if buffer[position] == 0x0A { newLine(after: position) }
      position += 1
    }
    start = position
    guard position < buffer.count else { return false }
    pieces.append(.broken(line: line, reason: reason, isFatal: true))
    stop()
    return true
  }

  private mutating func stopStep() -> Bool {
    start = buffer.count
    position = start
    return false
  }

  // MARK: Places

  mutating func takeUnit(through end: Int) {
    takenLine = line
    start = min(end + 1, buffer.count)
    position = start
  }

  mutating func newLine(after place: Int) {
    line += 1
    lineBegin = place + 1
  }

  static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }
}
