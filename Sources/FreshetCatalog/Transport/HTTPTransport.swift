import Freshet

/// The seam between the clients and the network: one exchange, no retries, no redirects.
public protocol HTTPTransport: Sendable {
  /// Sends a request with each subscription.
  ///
  /// The flow sends one head, then the body in pieces, and finishes when the body is whole. It
  /// fails with `unreachable`, `connection_lost`, `timed_out` or `insecure_connection`; a status,
  /// whatever it is, is no failure. A redirect comes as it is. Disposing of the flow closes the
  /// connection.
  func exchange(_ request: HTTPRequest) -> AnyFlow<HTTPPart, CatalogError>
}
