import FreshetStore

/// Why something with guidances did not succeed.
public struct GuidanceError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What went wrong, by a stable name; new ones are no breaking change.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    /// The name as it stands in events.
    public let name: String

    init(_ name: String) { self.name = name }

    /// The name.
    public var description: String { name }

    /// A student's number is no positive whole number.
    public static let invalidStudentID = Code("invalid_student_id")
    /// There is no such student.
    public static let unknownStudent = Code("unknown_student")
    /// The reason is none of the four.
    public static let invalidReason = Code("invalid_reason")
    /// 기타 without a detail.
    public static let detailRequired = Code("detail_required")
    /// A detail that is longer than ``GuidanceReason/detailLimitBytes``.
    public static let detailTooLong = Code("detail_too_long")
    /// A detail with a reason that has none.
    public static let detailNotAllowed = Code("detail_not_allowed")
    /// A guidance's number is no positive whole number.
    public static let invalidGuidanceID = Code("invalid_guidance_id")
    /// There is no such guidance, or it was deleted.
    public static let notFound = Code("not_found")
    /// The guidance cannot be changed like that where it is in its life.
    public static let wrongStatus = Code("wrong_status")
    /// A date that is no day of the calendar.
    public static let invalidDate = Code("invalid_date")
    /// Others changed the same guidance again and again.
    public static let conflict = Code("conflict")
    /// The server has no way to do this.
    public static let notSupported = Code("not_supported")
    /// The server answered success without a result.
    public static let missingResult = Code("missing_result")
    /// The answer is not what it should be.
    public static let badResponse = Code("bad_response")
    /// The server refused; see `serverCode`.
    public static let refused = Code("refused")
    /// The server could not be asked; the code is the transport's.
    static func transport(_ name: String) -> Code { Code(name) }
  }

  /// What went wrong.
  public let code: Code
  /// What went wrong and what to do, in a sentence without a full stop.
  public let message: String
  /// Whether the same request may succeed later.
  public let isRetryable: Bool
  /// The server's own number for it.
  public let serverCode: Int?

  /// Makes an error.
  public init(
    _ code: Code, _ message: String, isRetryable: Bool = false, serverCode: Int? = nil
  ) {
    self.code = code
    self.message = message
    self.isRetryable = isRetryable
    self.serverCode = serverCode
  }

  /// The message.
  public var description: String { message }

  /// A store's error, for guidances that are kept in one.
  public init(_ error: StoreError) {
    self.init(
      .transport(error.code.name), error.message,
      isRetryable: [.locked, .diskFull].contains(error.code))
  }

  static func badResponse(_ message: String) -> GuidanceError {
    GuidanceError(.badResponse, "the record is not as it should be: \(message)")
  }
}
