extension DocumentSplitter {
  /// Goes on between the elements of an array.
  mutating func betweenStep(isFirst: Bool, into pieces: inout [Piece]) -> Bool {
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

  mutating func elementStep(into pieces: inout [Piece]) -> Bool {
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
      if position - start > limit {
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
}
