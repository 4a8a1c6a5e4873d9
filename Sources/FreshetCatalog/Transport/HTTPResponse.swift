import FreshetStore

/// The first part of an answer: status and headers.
public struct HTTPHead: Sendable, Hashable {
  /// The status code.
  public let status: Int
  /// The header lines.
  public let headers: [HTTPRequest.Header]

  /// Makes a head.
  public init(status: Int, headers: [HTTPRequest.Header] = []) {
    self.status = status
    self.headers = headers
  }

  /// The value of the first header line of a name; O(number of lines).
  public func header(_ name: String) -> String? {
    headers.first { $0.name.lowercased() == name.lowercased() }?.value
  }

  /// The length the server announced, nil when it announced none.
  public var contentLength: Int? {
    header("Content-Length").flatMap(Int.init).flatMap { $0 >= 0 ? $0 : nil }
  }
}

/// A whole answer.
public struct HTTPResponse: Sendable, Hashable {
  /// Status and headers.
  public let head: HTTPHead
  /// The body.
  public internal(set) var body: [UInt8]

  /// Makes an answer.
  public init(head: HTTPHead, body: [UInt8] = []) {
    self.head = head
    self.body = body
  }

  /// The status code.
  public var status: Int { head.status }

  /// Whether the status is 200 to 299.
  public var isSuccess: Bool { (200...299).contains(status) }

  /// The body as JSON.
  /// - Throws: ``CatalogError`` with code `bad_response`, saying where it is broken.
  public func json() throws(CatalogError) -> JSONValue {
    do {
      return try JSONValue(parsing: body)
    } catch {
      throw CatalogError(
        .badResponse, "the server's answer is no JSON: \(error)", status: status)
    }
  }
}

/// One piece of an answer as it arrives.
public enum HTTPPart: Sendable, Hashable {
  /// Status and headers: always first, once.
  case head(HTTPHead)
  /// The next bytes of the body.
  case body([UInt8])
}
