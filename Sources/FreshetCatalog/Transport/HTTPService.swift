import Freshet

/// Whole answers to whole requests: what the clients of catalogues and servers are built on.
///
/// ``HTTPClient`` is the one over the network. Tests put a script in its place.
public protocol HTTPService: Sendable {
  /// Sends a request and waits for the whole answer.
  ///
  /// The single asks once per subscription, with what repetitions the service thinks right;
  /// disposing of it stops the request. It fails with the failures of ``HTTPTransport``, with
  /// `response_too_large`, `bad_redirect`, and with what `refusal` says.
  ///
  /// - Parameter refusal: Says of an answer why it is a failure, nil when it is none. One that is
  ///   retryable is asked for again first. Asked before anybody looks at the body's meaning.
  func response(
    to request: HTTPRequest, refusal: @escaping @Sendable (HTTPResponse) -> CatalogError?
  ) -> Single<HTTPResponse, CatalogError>
}

extension HTTPService {
  /// Sends a request and waits for the whole answer, whatever its status, but for 408, 429 and
  /// those of 500 and above.
  public func response(to request: HTTPRequest) -> Single<HTTPResponse, CatalogError> {
    response(to: request, refusal: CatalogError.passingFault)
  }
}

extension CatalogError {
  /// Why an answer is a failure by its status alone, and may be none later.
  public static func passingFault(_ response: HTTPResponse) -> CatalogError? {
    let status = response.status
    switch status {
    case 408:
      return CatalogError(
        .timedOut, "the server gave up waiting for the request (408)", isRetryable: true,
        status: status)
    case 429:
      return CatalogError(
        .rateLimited, "too many requests (429)", isRetryable: true, status: status)
    case 500...599:
      return CatalogError(
        .serverError, "the server answered with \(status)",
        isRetryable: status != 501 && status != 505, status: status)
    default: return nil
    }
  }

  /// The same error with another message, and with how long to wait where it does not say.
  func with(message: String? = nil, reason: String? = nil, retryAfter: Duration?) -> CatalogError {
    CatalogError(
      code, message ?? self.message, isRetryable: isRetryable, status: status,
      retryAfter: self.retryAfter ?? retryAfter, reason: reason ?? self.reason)
  }
}
