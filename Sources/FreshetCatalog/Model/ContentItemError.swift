/// Why something is not a content item.
public struct ContentItemError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What went wrong, by a stable name; new ones are no breaking change.
  public struct Code: Sendable, Hashable {
    /// The name as it stands in events.
    public let name: String

    /// The bytes are not JSON.
    public static let invalidJSON = Code(name: "invalid_json")
    /// The JSON is not an object.
    public static let notAnObject = Code(name: "not_an_object")
    /// There is no id.
    public static let missingID = Code(name: "missing_id")
    /// The id is not `kind:source:native`.
    public static let malformedID = Code(name: "malformed_id")
    /// A field we know holds something it cannot.
    public static let wrongType = Code(name: "wrong_type")
    /// Two fields contradict each other.
    public static let conflict = Code(name: "conflicting_fields")
    /// The record is too large.
    public static let tooLarge = Code(name: "too_large")
  }

  /// What went wrong.
  public let code: Code
  /// The field at fault, where there is one.
  public let field: String?
  /// The reason, in a sentence without a full stop.
  public let message: String

  /// The reason.
  public var description: String { message }

  init(_ code: Code, field: String? = nil, _ message: String) {
    self.code = code
    self.field = field
    self.message = message
  }

  static func malformedID(_ text: String, _ reason: String) -> ContentItemError {
    let shown = text.utf8.count > 80 ? text.prefix(60) + "…" : text[...]
    return ContentItemError(.malformedID, field: "id", "malformed id \"\(shown)\": \(reason)")
  }
}
