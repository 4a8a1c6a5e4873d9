import Foundation
import Freshet
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Exchanges over the network, by Foundation's URL loading.
///
/// It keeps no cookies, no cache and no credentials, and follows no redirect. Parts arrive on a
/// queue of its own, one at a time.
///
/// Connections are kept for the next request to the same server, but not for one that must not be
/// made twice or has a body. A server closes a connection that was idle for long, and may do so just
/// as it is used again: whether it has obeyed then cannot be known, and the library cannot send a
/// body again. Such a request gets a connection of its own.
///
/// What a transport that goes has made is kept for the next one with the same settings.
public final class URLSessionTransport: HTTPTransport {
  private let sessions: Sessions

  /// Whether the environment puts a proxy between; then it is the proxy that looks up names.
  static let usesProxy = ["http_proxy", "all_proxy", "ALL_PROXY"].contains {
    ProcessInfo.processInfo.environment[$0]?.isEmpty == false
  }

  /// Makes a transport.
  ///
  /// - Parameters:
  ///   - connectionsPerHost: How many connections to one server there may be.
  ///   - silence: How long a server may send nothing before the exchange fails. A net under
  ///     ``HTTPClient``'s own time limits, for those who use a transport by itself.
  public init(connectionsPerHost: Int = 16, silence: Duration = .seconds(120)) {
    sessions = .take(.init(connectionsPerHost: connectionsPerHost, silence: silence))
  }

  deinit { sessions.giveBack() }

  /// One exchange, as ``HTTPTransport`` says.
  public func exchange(_ request: HTTPRequest) -> AnyFlow<HTTPPart, CatalogError> {
    Create { [self] emitter in
      let number = Self.usesProxy ? nil : request.pinned
      let place = number.map { request.address.connecting(to: $0) } ?? request.address
      guard let url = URL(string: place.text) else {
        emitter.fail(
          CatalogError(.invalidAddress, "not an address to fetch: \(request.address)"))
        return nil
      }
      var wire = URLRequest(url: url)
      wire.httpMethod = request.method.rawValue
      for header in request.headers { wire.addValue(header.value, forHTTPHeaderField: header.name) }
      if number != nil {
        // The server is told the name it was asked by.
        wire.setValue(request.address.authority, forHTTPHeaderField: "Host")
      }
      if !request.body.isEmpty { wire.httpBody = Data(request.body) }
      let isAlone = !request.mayRepeat || !request.body.isEmpty
      // Nothing is kept among those that all close.
      if isAlone { wire.setValue("close", forHTTPHeaderField: "Connection") }
      let connections = isAlone ? sessions.closing : sessions.kept
      let task = connections.session.dataTask(with: wire)
      connections.delegate.add(task, for: request, emitter)
      task.resume()
      return Disposable { [delegate = connections.delegate] in delegate.cancel(task) }
    }.erased()
  }
}

/// What one transport has of the library's.
///
/// It is never let go: a session of the library that ends may bring the process down with it, see
/// `docs/decisions/catalogues-sessions-never-end.md`.
private struct Sessions: Sendable {
  struct Settings: Sendable, Hashable {
    let connectionsPerHost: Int
    let silence: Duration
  }

  /// Connections that are kept together, and what they tell.
  struct Connections: Sendable {
    let session: URLSession
    let delegate = Delegate()

    init(_ configuration: URLSessionConfiguration, _ queue: OperationQueue) {
      session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: queue)
    }
  }

  private let settings: Settings
  let kept: Connections
  /// For requests whose connection is closed after them.
  let closing: Connections

  /// Those that no transport has.
  private static let idle = Mutex<[Settings: [Sessions]]>([:])

  private init(_ settings: Settings) {
    self.settings = settings
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpShouldSetCookies = false
    configuration.httpCookieAcceptPolicy = .never
    configuration.httpCookieStorage = nil
    configuration.urlCache = nil
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    configuration.httpMaximumConnectionsPerHost = settings.connectionsPerHost
    configuration.timeoutIntervalForRequest = TimeInterval(settings.silence.components.seconds)
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    kept = Connections(configuration, queue)
    closing = Connections(configuration, queue)
  }

  static func take(_ settings: Settings) -> Sessions {
    idle.withLock { $0[settings]?.popLast() } ?? Sessions(settings)
  }

  func giveBack() { Self.idle.withLock { $0[settings, default: []].append(self) } }
}

/// Hands what the session tells to the exchange it belongs to.
// @unchecked: NSObject says nothing about threads; all state is in the mutex.
// `TransportTests` under the thread sanitizer would notice.
private final class Delegate: NSObject, URLSessionDataDelegate, @unchecked Sendable {
  private struct Exchange: Sendable {
    let request: HTTPRequest
    let emitter: Emitter<HTTPPart, CatalogError>
    var head: HTTPHead?
    var received = 0
    /// Whether a question of the library's is being answered; a cancel waits for that.
    ///
    /// The library ends the process when a task is cancelled between its question and our answer.
    var isAnswering = false
    var mustCancel = false
  }

  private let exchanges = Mutex<[Int: Exchange]>([:])

  func add(
    _ task: URLSessionTask, for request: HTTPRequest, _ emitter: Emitter<HTTPPart, CatalogError>
  ) {
    exchanges.withLock {
      $0[task.taskIdentifier] = Exchange(request: request, emitter: emitter)
    }
  }

  /// Forgets an exchange and stops it.
  func cancel(_ task: URLSessionTask) {
    let (isNow, gone) = exchanges.withLock { exchanges -> (Bool, Exchange?) in
      if exchanges[task.taskIdentifier]?.isAnswering == true {
        exchanges[task.taskIdentifier]?.mustCancel = true
        return (false, nil)
      }
      return (true, exchanges.removeValue(forKey: task.taskIdentifier))
    }
    // The emitter is let go outside the lock.
    withExtendedLifetime(gone) { if isNow { task.cancel() } }
  }

  /// Answers a question of the library's, unless the task was cancelled meanwhile: then nobody
  /// waits for the answer.
  private func answer(_ task: URLSessionTask, _ body: () -> Void) {
    let isOpen = exchanges.withLock { exchanges -> Bool in
      exchanges[task.taskIdentifier]?.isAnswering = true
      return exchanges[task.taskIdentifier] != nil
    }
    guard isOpen else { return }
    body()
    let mustCancel = exchanges.withLock { exchanges -> Bool in
      exchanges[task.taskIdentifier]?.isAnswering = false
      return exchanges[task.taskIdentifier]?.mustCancel ?? false
    }
    if mustCancel { cancel(task) }
  }

  private func take(_ task: URLSessionTask) -> Exchange? {
    exchanges.withLock { $0.removeValue(forKey: task.taskIdentifier) }
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    answer(dataTask) { completionHandler(.allow) }
    sendHead(of: response, dataTask)
  }

  /// Sends the head, once; the answer to a refused redirect does not come by the usual way.
  private func sendHead(of response: URLResponse?, _ task: URLSessionTask) {
    guard let response = response as? HTTPURLResponse else { return }
    let head = HTTPHead(
      status: response.statusCode,
      headers: response.allHeaderFields.compactMap { name, value in
        guard let name = name as? String, let value = value as? String else { return nil }
        return HTTPRequest.Header(name, value)
      })
    let emitter = exchanges.withLock { exchanges -> Emitter<HTTPPart, CatalogError>? in
      guard let exchange = exchanges[task.taskIdentifier], exchange.head == nil else { return nil }
      exchanges[task.taskIdentifier]?.head = head
      return exchange.emitter
    }
    emitter?.send(.head(head))
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    let emitter = exchanges.withLock { exchanges -> Emitter<HTTPPart, CatalogError>? in
      exchanges[dataTask.taskIdentifier]?.received += data.count
      return exchanges[dataTask.taskIdentifier]?.emitter
    }
    if !data.isEmpty { emitter?.send(.body(Array(data))) }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    answer(task) { completionHandler(nil) }
    sendHead(of: response, task)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler:
      @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    // The library waits for credentials here for ever. Our keys are in the request already, so
    // this is the end: the refusal is the answer.
    sendHead(of: challenge.failureResponse ?? task.response, task)
    take(task)?.emitter.finish()
    completionHandler(.cancelAuthenticationChallenge, nil)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    sendHead(of: task.response, task)
    guard let exchange = take(task) else { return }
    if let error {
      exchange.emitter.fail(Self.failure(error, of: exchange.request))
    } else if let head = exchange.head, Self.isWhole(exchange, head) {
      exchange.emitter.finish()
    } else {
      exchange.emitter.fail(
        CatalogError(
          .connectionLost,
          "the connection to \(exchange.request.address.authority) broke before the answer was "
            + "whole", isRetryable: true))
    }
  }

  /// Whether as many bytes came as were announced, where that can be told.
  private static func isWhole(_ exchange: Exchange, _ head: HTTPHead) -> Bool {
    guard let length = head.contentLength, head.header("Content-Encoding") == nil,
      exchange.request.method == .get, head.status == 200 || head.status == 206
    else { return true }
    return exchange.received >= length
  }

  private static func failure(_ error: any Error, of request: HTTPRequest) -> CatalogError {
    let place = request.address.authority
    guard let error = error as? URLError else {
      return CatalogError(
        .connectionLost, "the exchange with \(place) failed", isRetryable: true)
    }
    switch error.code {
    case .timedOut:
      return CatalogError(.timedOut, "no answer from \(place) in time", isRetryable: true)
    case .cannotFindHost, .dnsLookupFailed:
      return CatalogError(
        .unreachable, "the server \(place) is not known; is the network up?", isRetryable: true)
    case .cannotConnectToHost, .notConnectedToInternet:
      return CatalogError(.unreachable, "nobody answers at \(place)", isRetryable: true)
    case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
      .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid:
      return CatalogError(
        .insecure, "no secure connection to \(place); its certificate is not accepted")
    case .badURL, .unsupportedURL:
      return CatalogError(.invalidAddress, "not an address to fetch: \(request.address)")
    default:
      return CatalogError(
        .connectionLost,
        "the connection to \(place) broke before the answer was whole (\(error.code.rawValue))",
        isRetryable: true)
    }
  }
}
