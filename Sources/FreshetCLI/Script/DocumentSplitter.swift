/// Cuts bytes into JSON documents: one a line, the elements of one big array, or documents that are
/// spread over lines.
///
/// Memory is bounded by the largest document, 1 MiB.
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

  /// The largest document that is taken.
  static let limitBytes = LineSplitter.limitBytes

  private enum Mode {
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

  init(mixesForms: Bool = false) { self.mixesForms = mixesForms }

  private var mode = Mode.line
  private var buffer: [UInt8] = []
  /// Where the current unit begins, and how far it was looked at.
  private var start = 0
  private var position = 0
  /// The line `position` is on, and the one the current unit began on.
  private var line = 1
  private var unitLine = 1
  /// The column that the current unit begins in, when it is the first of its line.
  private var column: Int? = 1
  private var arrayLine = 1
  /// How many elements the array, or the arrays of this line, had so far.
  private var rowCount = 0
  private var lastArrayEnd = 0
  /// The line that the last unit ended on.
  private var takenLine = 0
  private var lineBegin = 0
  /// Of an element of an array.
  private var scanner = JSONScanner()
  private var spread = SpreadScan()
  /// How far a spread document was looked at that turned out to be none, and what was found.
  private var known: (spread: SpreadScan, position: Int, line: Int, lineBegin: Int)?
  /// The line of the last byte in an array that is no white space.
  private var contentLine = 1
  /// Where the last line begins that is a document by itself, once the end of the text was seen.
  private var lastDocument: Int?
  private var sawObjectLine = false
  private var sawFirstBytes = false

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
      if position - start > Self.limitBytes { skipTooLarge(into: &pieces) }
      return false
    }
    if end - start > Self.limitBytes + 1 {
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

  // MARK: Documents over several lines

  private mutating func spreadStep(into pieces: inout [Piece]) -> Bool {
    while position < buffer.count {
      let byte = buffer[position]
      switch spread.feed(byte, at: position) {
      case .more:
        if byte == 0x0A { newLine(after: position) }
        position += 1
      case .complete:
        pieces.append(.document(line: unitLine, column: column, Array(buffer[start...position])))
        takeUnit(through: position)
        mode = .line
        return true
      case .completeBefore, .invalid:
        pieces += endSpread(atEnd: false)
        return true
      }
      if position - start > Self.limitBytes {
        pieces.append(.tooLarge(line: unitLine))
        stop(after: position, "a document over 1 MiB ends the input")
        return true
      }
    }
    return false
  }

  /// Goes on where an earlier look ended, when it had looked at what begins here; else false.
  private mutating func goOnFromKnown() -> Bool {
    guard known?.spread.narrow(toObjectAt: start) ?? false, let found = known else {
      if !(known?.spread.hasInner ?? false) { known = nil }
      return false
    }
    known = nil
    mode = .spread
    spread = found.spread
    (position, line, lineBegin) = (found.position, found.line, found.lineBegin)
    return true
  }

  /// A spread document that turned out to be none.
  ///
  /// When the fault is at the start of a line, or a later line is a document by itself, only the
  /// first line was bad; else the whole was. A document that the text's end cuts off is refused as a
  /// whole, and nothing follows it.
  private mutating func endSpread(atEnd: Bool) -> [Piece] {
    let firstEnd = buffer[start...].firstIndex(of: 0x0A) ?? buffer.count
    let isLineFault = atEnd ? laterLineIsDocument(after: firstEnd) : position == lineBegin
    guard isLineFault else {
      var bytes = Array(buffer[start..<min(position + 1, buffer.count)])
      while atEnd, let last = bytes.last, Self.isSpace(last) { bytes.removeLast() }
      stop(after: position, "the rest of the input is not read")
      return [.document(line: unitLine, column: column, bytes)]
    }
    let first = Piece.document(line: unitLine, column: column, Array(buffer[start..<firstEnd]))
    if mixesForms, spread.hasInner { known = (spread, position, line, lineBegin) }
    line = unitLine
    takeUnit(through: firstEnd)
    newLine(after: firstEnd)
    mode = .line
    // What follows was kept: look at it line by line.
    sawObjectLine = true
    return [first]
  }

  /// Whether a line after this one is a document by itself; asked at the end of the text alone.
  private mutating func laterLineIsDocument(after end: Int) -> Bool {
    if let lastDocument, lastDocument > end { return true }
    let lines = buffer[min(end + 1, buffer.count)...].split(separator: 0x0A)
    lastDocument = lines.last(where: Self.isDocument)?.startIndex
    return lastDocument != nil
  }

  private static func isDocument(_ text: ArraySlice<UInt8>) -> Bool {
    guard text.first == UInt8(ascii: "{") else { return false }
    var scanner = JSONScanner()
    return text.contains { byte in
      if case .complete = scanner.feed(byte) { true } else { false }
    }
  }

  // MARK: Arrays

  private mutating func betweenStep(isFirst: Bool, into pieces: inout [Piece]) -> Bool {
    while position < buffer.count, Self.isSpace(buffer[position]) {
      if buffer[position] == 0x0A { newLine(after: position) }
      position += 1
    }
    start = position
    guard position < buffer.count else { return false }
    let byte = buffer[position]
    contentLine = line
    if byte == UInt8(ascii: "]") {
      lastArrayEnd = line
      takeUnit(through: position)
      mode = .line
    } else if byte == UInt8(ascii: ","), !isFirst {
      takeUnit(through: position)
      mode = .element
      beginElement()
    } else if isFirst {
      mode = .element
      beginElement()
    } else {
      breakArray(into: &pieces, "expected , or ] in the array of line \(arrayLine)")
    }
    return true
  }

  private mutating func beginElement() {
    scanner = JSONScanner()
    unitLine = line
  }

  private mutating func elementStep(into pieces: inout [Piece]) -> Bool {
    while position < buffer.count {
      let byte = buffer[position]
      if start == position, Self.isSpace(byte) {
        if byte == 0x0A { newLine(after: position) }
        position += 1
        start = position
        unitLine = line
        continue
      }
      switch scanner.feed(byte) {
      case .more:
        if byte == 0x0A { newLine(after: position) } else { contentLine = line }
        position += 1
      case .complete:
        takeElement(end: position + 1, into: &pieces)
        return true
      case .completeBefore:
        takeElement(end: position, into: &pieces)
        return true
      case .invalid:
        breakArray(into: &pieces, "an element of the array of line \(arrayLine) is malformed")
        return true
      }
      if position - start > Self.limitBytes {
        breakArray(into: &pieces, "an element of the array of line \(arrayLine) is over 1 MiB")
        return true
      }
    }
    return false
  }

  private mutating func takeElement(end: Int, into pieces: inout [Piece]) {
    rowCount += 1
    pieces.append(.document(line: unitLine, row: rowCount, Array(buffer[start..<end])))
    start = end
    position = end
    mode = .between(isFirst: false)
  }

  /// An array on one line costs that line; a longer one leaves no place to begin anew.
  private mutating func breakArray(into pieces: inout [Piece], _ reason: String) {
    let isFatal = line != arrayLine
    let rest = isFatal ? "; the rest of the input is not read" : ""
    pieces.append(.broken(line: line, reason: reason + rest, isFatal: isFatal))
    if isFatal { stop() } else { mode = .skippingLine }
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

  private mutating func stop() {
    mode = .stopped
    start = buffer.count
    position = start
  }

  /// Goes on behind a place, where only white space may follow.
  private mutating func stop(after place: Int, _ reason: String) {
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

  private mutating func takeUnit(through end: Int) {
    takenLine = line
    start = min(end + 1, buffer.count)
    position = start
  }

  private mutating func newLine(after place: Int) {
    line += 1
    lineBegin = place + 1
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }
}
