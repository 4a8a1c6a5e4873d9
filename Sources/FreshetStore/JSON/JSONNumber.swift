/// A JSON number kept as the text it was written with, so that nothing is rounded.
///
/// `7`, `7.0` and `9007199254740993` all come back as they were read. Equality compares the text.
public struct JSONNumber: Sendable, Hashable, CustomStringConvertible {
  /// The number as JSON text.
  public let text: String

  /// An integer.
  public init(_ value: Int64) {
    text = String(value)
  }

  /// The shortest text that reads back as `value`, or nil for NaN and the infinities, which JSON
  /// cannot say.
  public init?(_ value: Double) {
    guard value.isFinite else { return nil }
    text = value.description
  }

  /// Text the parser has checked.
  init(validated text: String) {
    self.text = text
  }

  /// Whether the text has neither fraction nor exponent.
  public var isInteger: Bool {
    !text.utf8.contains { $0 == UInt8(ascii: ".") || $0 | 0x20 == UInt8(ascii: "e") }
  }

  /// The value as a 64-bit integer, or nil when it is written with a fraction or exponent or does
  /// not fit.
  public var int64: Int64? { Int64(text) }

  /// The nearest double, or nil when the number is beyond what a double can hold.
  public var double: Double? {
    guard let value = Double(text), value.isFinite else { return nil }
    return value
  }

  /// The text.
  public var description: String { text }
}
