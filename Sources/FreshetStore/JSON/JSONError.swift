/// Why some bytes are not one JSON document, and where.
public struct JSONError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What is wrong.
  public enum Reason: String, Sendable, Hashable {
    /// There is nothing but white space.
    case empty = "there is no value"
    /// The bytes stop inside a value.
    case unexpectedEnd = "the text ends inside a value"
    /// A byte that cannot stand here.
    case unexpectedByte = "unexpected character"
    /// Something follows the value.
    case trailingBytes = "something follows the value"
    /// The bytes of a string are not UTF-8.
    case invalidUTF8 = "the bytes are not UTF-8"
    /// A backslash with something JSON does not know after it.
    case invalidEscape = "unknown escape"
    /// A control character that should have been escaped.
    case controlCharacter = "a control character must be escaped"
    /// A number JSON does not know, such as `01`, `1.` or `+1`.
    case invalidNumber = "malformed number"
    /// Arrays and objects nested deeper than the limit.
    case tooDeep = "nested too deep"
  }

  /// What is wrong.
  public let reason: Reason
  /// The offending byte, counted from 0.
  public let offset: Int
  /// Its line, counted from 1; lines end at U+000A.
  public let line: Int
  /// Its column, counted from 1 in Unicode scalars.
  public let column: Int

  init(_ reason: Reason, at offset: Int, in bytes: UnsafeRawBufferPointer) {
    self.reason = reason
    self.offset = offset
    (line, column) = JSONError.place(of: offset, in: bytes)
  }

  /// The line of a byte and its column in Unicode scalars, both from 1; O(offset).
  static func place(
    of offset: Int, in bytes: some Collection<UInt8>
  ) -> (line: Int, column: Int) {
    var line = 1
    var column = 1
    for byte in bytes.prefix(offset) {
      if byte == 0x0A {
        line += 1
        column = 1
      } else if byte & 0xC0 != 0x80 {
        column += 1
      }
    }
    return (line, column)
  }

  /// The reason and the place, as one phrase.
  public var description: String {
    "\(reason.rawValue) at line \(line), column \(column) (byte \(offset))"
  }
}
