extension DocumentSplitter {
  /// Goes on in a document that is spread over lines.
  mutating func spreadStep(into pieces: inout [Piece]) -> Bool {
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
      if position - start > limit {
        pieces.append(.tooLarge(line: unitLine))
        stop(after: position, "a document over 1 MiB ends the input")
        return true
      }
    }
    return false
  }

  /// Goes on where an earlier look ended, when it had looked at what begins here; else false.
  mutating func goOnFromKnown() -> Bool {
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
  mutating func endSpread(atEnd: Bool) -> [Piece] {
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
}
