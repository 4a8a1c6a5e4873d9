/// Why a catalogue, a server or a picture could not be had.
///
/// Messages hold neither keys nor the queries of addresses; ``Redactor`` has seen to that.
public struct CatalogError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What went wrong, by a stable name; new ones are no breaking change.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    /// The name as it stands in events.
    public let name: String

    /// A code of one's own, for services built on the transport.
    public init(_ name: String) { self.name = name }

    /// The name.
    public var description: String { name }
  }

  /// What went wrong.
  public let code: Code
  /// What went wrong, where and what to do, in a sentence without a full stop.
  public let message: String
  /// Whether the same request may succeed later.
  public let isRetryable: Bool
  /// The HTTP status, where there was an answer.
  public let status: Int?
  /// How long the server asks to wait.
  public let retryAfter: Duration?
  /// The server's own word for it, where the code is wider than that.
  public let reason: String?

  /// Makes an error.
  public init(
    _ code: Code, _ message: String, isRetryable: Bool = false, status: Int? = nil,
    retryAfter: Duration? = nil, reason: String? = nil
  ) {
    self.code = code
    self.message = message
    self.isRetryable = isRetryable
    self.status = status
    self.retryAfter = retryAfter
    self.reason = reason
  }

  /// The message.
  public var description: String { message }
}

extension CatalogError.Code {
  // MARK: What was asked

  /// The query is blank, too short, or the catalogue does not understand it.
  public static let invalidQuery = Self("invalid_query")
  /// The catalogue refuses a parameter; a fault of ours.
  public static let invalidRequest = Self("invalid_request")
  /// An address that is not a web address, or of a kind that is not fetched.
  public static let invalidAddress = Self("invalid_address")
  /// There is no such item or path.
  public static let notFound = Self("not_found")

  // MARK: Who asks

  /// No key is set.
  public static let missingKey = Self("missing_key")
  /// The key is refused.
  public static let refusedKey = Self("refused_key")
  /// The catalogue refuses for a reason of its own; see `reason`.
  public static let forbidden = Self("forbidden")
  /// The catalogue cannot tell the caller's country and wants it named.
  public static let countryNeeded = Self("country_needed")
  /// The day's quota is used up; asking again sooner does not help.
  public static let quotaPerDay = Self("quota_per_day")
  /// Too many requests in a short time.
  public static let rateLimited = Self("rate_limited")

  // MARK: The server

  /// A status of 500 or above, or an error body that means as much.
  public static let serverError = Self("server_error")
  /// A status that was not expected here.
  public static let unexpectedStatus = Self("unexpected_status")
  /// The body is no JSON, or not of the expected shape.
  public static let badResponse = Self("bad_response")
  /// The body is larger than the limit.
  public static let responseTooLarge = Self("response_too_large")
  /// Page after page brings nothing new.
  public static let noProgress = Self("no_progress")

  // MARK: The way there

  /// The server's name is not known, or nobody answers there.
  public static let unreachable = Self("unreachable")
  /// The connection broke before the answer was whole.
  public static let connectionLost = Self("connection_lost")
  /// No answer, or no further byte, in time.
  public static let timedOut = Self("timed_out")
  /// The secure connection could not be made.
  public static let insecure = Self("insecure_connection")
  /// More redirects than allowed, or one that is not followed.
  public static let badRedirect = Self("bad_redirect")
  /// An address inside a private network that no setting names.
  public static let privateAddress = Self("private_address")

  // MARK: Files

  /// The bytes are of a type that is not taken, or not a picture.
  public static let wrongType = Self("wrong_type")
  /// The file could not be written.
  public static let ioError = Self("io_error")
  /// There is no room for the file.
  public static let diskFull = Self("disk_full")
}
