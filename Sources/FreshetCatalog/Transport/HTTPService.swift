import Freshet

/// Whole answers to whole requests: what the clients of catalogues and servers are built on.
///
/// ``HTTPClient`` is the one over the network. Tests put a script in its place.
public protocol HTTPService: Sendable {
  /// Sends a request and waits for the whole answer.
  ///
  /// The single asks once per subscription, with what repetitions the service thinks right, and
  /// answers with any status but those that stand for a passing fault; disposing of it stops the
  /// request. It fails with the failures of ``HTTPTransport``, with `response_too_large`,
  /// `bad_redirect`, and, when repetitions have not helped, with `rate_limited` or `server_error`.
  func response(to request: HTTPRequest) -> Single<HTTPResponse, CatalogError>
}
