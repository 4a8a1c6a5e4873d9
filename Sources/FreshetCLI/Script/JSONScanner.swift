/// Finds where a JSON value ends, byte by byte, without keeping it.
///
/// It knows just enough grammar to tell "not finished yet" from "cannot be finished"; the parser
/// has the last word on what is inside.
struct JSONScanner {
  /// What is known after a byte.
  enum Status {
    /// The value goes on.
    case more
    /// The value ended with this byte.
    case complete
    /// The value ended before this byte.
    case completeBefore
    /// No value begins like this.
    case invalid
  }

  private enum Expectation {
    case value, valueOrClose, key, keyOrClose, colon, commaOrClose
  }

  /// Open brackets: true for objects.
  private var open: [Bool] = []
  private var expectation = Expectation.value
  private var isInString = false
  private var isEscaped = false
  private var isInAtom = false

  /// Whether the bytes so far are a number or word that the end of the text would complete.
  var endsHere: Bool { isInAtom && open.isEmpty }

  /// Whether a string is open, which a raw newline cannot continue.
  var isInsideString: Bool { isInString }

  /// How many arrays and objects are open.
  var depth: Int { open.count }

  /// Forgets the outermost so many arrays and objects, as if the text had begun within them.
  mutating func forget(outermost count: Int) { open.removeFirst(count) }

  mutating func feed(_ byte: UInt8) -> Status {
    if isInString { return feedString(byte) }
    if isInAtom {
      if Self.isAtomByte(byte) { return .more }
      isInAtom = false
      if open.isEmpty { return .completeBefore }
      expectation = .commaOrClose
    }
    switch byte {
    case 0x20, 0x09, 0x0A, 0x0D: return .more
    case UInt8(ascii: "\""):
      guard expectation != .colon, expectation != .commaOrClose else { return .invalid }
      isInString = true
      return .more
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      guard expectation == .value || expectation == .valueOrClose else { return .invalid }
      guard open.count < 4096 else { return .invalid }
      open.append(byte == UInt8(ascii: "{"))
      expectation = byte == UInt8(ascii: "{") ? .keyOrClose : .valueOrClose
      return .more
    case UInt8(ascii: "}"), UInt8(ascii: "]"): return close(byte == UInt8(ascii: "}"))
    case UInt8(ascii: ":"):
      guard expectation == .colon else { return .invalid }
      expectation = .value
      return .more
    case UInt8(ascii: ","):
      guard expectation == .commaOrClose, let isObject = open.last else { return .invalid }
      expectation = isObject ? .key : .value
      return .more
    default:
      guard Self.isAtomByte(byte), expectation == .value || expectation == .valueOrClose else {
        return .invalid
      }
      isInAtom = true
      return .more
    }
  }

  private mutating func feedString(_ byte: UInt8) -> Status {
    if byte < 0x20 { return .invalid }
    if isEscaped {
      isEscaped = false
    } else if byte == UInt8(ascii: "\\") {
      isEscaped = true
    } else if byte == UInt8(ascii: "\"") {
      isInString = false
      if expectation == .key || expectation == .keyOrClose {
        expectation = .colon
      } else {
        return valueEnded()
      }
    }
    return .more
  }

  private mutating func close(_ isObject: Bool) -> Status {
    guard open.last == isObject else { return .invalid }
    switch expectation {
    case .commaOrClose, .keyOrClose, .valueOrClose: break
    default: return .invalid
    }
    open.removeLast()
    return valueEnded()
  }

  private mutating func valueEnded() -> Status {
    if open.isEmpty { return .complete }
    expectation = .commaOrClose
    return .more
  }

  private static func isAtomByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"),
      UInt8(ascii: "."):
      true
    default: false
    }
  }
}
