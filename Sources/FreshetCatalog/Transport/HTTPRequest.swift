/// One request, as it goes out.
public struct HTTPRequest: Sendable, Hashable {
  /// What to do there.
  public enum Method: String, Sendable, Hashable {
    /// Reads.
    case get = "GET"
    /// Makes something new.
    case post = "POST"
    /// Changes something.
    case patch = "PATCH"
    /// Removes something.
    case delete = "DELETE"

    /// Whether doing it twice is the same as doing it once.
    var isIdempotent: Bool { self == .get || self == .delete }
  }

  /// A header line.
  public struct Header: Sendable, Hashable {
    /// Its name, compared without regard to case.
    public let name: String
    /// Its value.
    public let value: String

    /// Makes a header line.
    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// What to do.
  public var method: Method
  /// Where.
  public var address: WebAddress
  /// Header lines beyond those the transport sets itself.
  public var headers: [Header]
  /// The body, empty for none.
  public var body: [UInt8]
  /// Whether a failed attempt may be made again; by default as the method allows.
  public var mayRepeat: Bool
  /// How many bytes the answer's body may have.
  public var bodyLimitBytes: Int
  /// The number to connect to in place of asking a resolver again; nil lets the transport ask.
  var pinned: NetworkAddress?

  /// Makes a request.
  public init(
    _ method: Method = .get, _ address: WebAddress, headers: [Header] = [], body: [UInt8] = [],
    mayRepeat: Bool? = nil, bodyLimitBytes: Int = 8 << 20
  ) {
    self.method = method
    self.address = address
    self.headers = headers
    self.body = body
    self.mayRepeat = mayRepeat ?? method.isIdempotent
    self.bodyLimitBytes = bodyLimitBytes
  }
}
