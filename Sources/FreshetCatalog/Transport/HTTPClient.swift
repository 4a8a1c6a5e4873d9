import Freshet

/// Requests over a transport with everything a good guest keeps to: time limits, a limit of
/// requests at a time per server, redirects, repetitions with growing pauses, `Retry-After`.
///
/// All of it happens per subscription, and stops with it.
public struct HTTPClient: HTTPService {
  /// What a client keeps to.
  public struct Limits: Sendable {
    /// How long nothing may come during an exchange.
    public var silence: Duration
    /// How long one whole answer may take, from the moment its turn has come.
    public var total: Duration
    /// How many requests run at a time to one server.
    public var requestsPerHost: Int
    /// How many redirects are followed in a row.
    public var redirects: Int

    /// The usual limits.
    public init(
      silence: Duration = .seconds(20), total: Duration = .seconds(60), requestsPerHost: Int = 4,
      redirects: Int = 5
    ) {
      self.silence = silence
      self.total = total
      self.requestsPerHost = requestsPerHost
      self.redirects = redirects
    }
  }

  /// What goes out with every request.
  static let userAgent = HTTPRequest.Header("User-Agent", "freshet/0.1.0")

  let transport: any HTTPTransport
  let scheduler: any TimeScheduler
  let limits: Limits
  let policy: RetryPolicy
  let redactor: Redactor
  private let gate: HostGate
  private let wallClock: @Sendable () -> Int64
  /// The numbers that a name stands for.
  var resolve: @Sendable (String) -> [NetworkAddress] = NetworkAddress.resolve

  /// Makes a client.
  ///
  /// - Parameters:
  ///   - transport: Makes the exchanges.
  ///   - scheduler: Measures limits and pauses.
  ///   - policy: How failed requests are made again.
  ///   - redactor: Sees every error before it leaves.
  ///   - wallClock: Seconds since 1970, for servers that answer with a date.
  public init(
    transport: any HTTPTransport, scheduler: any TimeScheduler, limits: Limits = Limits(),
    policy: RetryPolicy = RetryPolicy(), redactor: Redactor = Redactor(),
    wallClock: @escaping @Sendable () -> Int64 = { WallClock.seconds }
  ) {
    self.transport = transport
    self.scheduler = scheduler
    self.limits = limits
    self.policy = policy
    self.redactor = redactor
    self.wallClock = wallClock
    gate = HostGate(limit: limits.requestsPerHost, scheduler: scheduler)
  }

  /// The whole answer, as ``HTTPService`` says.
  public func response(
    to request: HTTPRequest, refusal: @escaping @Sendable (HTTPResponse) -> CatalogError?
  ) -> Single<HTTPResponse, CatalogError> {
    let total = limits.total
    let scheduler = scheduler
    let answer = parts(of: request, admit: admission(of: request.address))
      .takeUntil(Self.failing(after: total, on: scheduler, at: request.address))
      .whole(limit: request.bodyLimitBytes, from: request.address)
      .tryMap { [self] response throws(CatalogError) in
        if let error = refusal(response) { throw judged(error, response.head) }
        return response
      }
    return repeating(answer.erased(), request).mapFailure { [redactor] in redactor.redact($0) }
      .first()
      .single
  }

  /// What is asked because somebody named it may be anywhere; a redirect leads from the open internet
  /// to no private network.
  private func admission(
    of base: WebAddress
  ) -> @Sendable (WebAddress) throws(CatalogError) -> NetworkAddress? {
    let admission = AssetAdmission(named: [base], resolve: resolve)
    return { [resolve] (address) throws(CatalogError) in
      if address.authority == base.authority || base.isPrivateByName { return nil }
      // A name of one's own network, which the resolver knows.
      if resolve(base.host).contains(where: \.isPrivate) { return nil }
      return try admission.number(of: address)
    }
  }

  /// Subscribes again, after a pause, while the policy allows it.
  func repeating<Element>(
    _ flow: AnyFlow<Element, CatalogError>, _ request: HTTPRequest
  ) -> AnyFlow<Element, CatalogError> {
    let host = request.address.authority
    return flow.retry { [policy, scheduler, gate] failures in
      failures.enumerated().promoteFailure(to: CatalogError.self)
        .flatMap { place, error -> AnyFlow<Void, CatalogError> in
          guard
            let pause = policy.pause(
              afterAttempt: place + 1, error: error, mayRepeat: request.mayRepeat)
          else { return Fail(error).erased() }
          if error.retryAfter != nil { gate.close(host, for: pause) }
          return Timer(after: pause, on: scheduler).promoteFailure(to: CatalogError.self).erased()
        }
    }.erased()
  }

  /// Adds to an error what the head says about waiting.
  func judged(_ error: CatalogError, _ head: HTTPHead) -> CatalogError {
    guard error.isRetryable,
      let wait = head.header("Retry-After").flatMap({ RetryAfter.parse($0, now: wallClock()) })
    else { return error }
    // A wait that nobody will do is for whoever asked to know.
    let message =
      wait > policy.longestRetryAfter
      ? "\(error.message); it wants to be left alone for \(wait.components.seconds) s" : nil
    return error.with(message: message, retryAfter: wait)
  }

  /// One attempt: the parts of the answer, redirects followed.
  ///
  /// - Parameter admit: Asked about each address, the first and those of redirects: throws why it
  ///   is not fetched, or names the number that is to be connected to, nil for whichever the
  ///   resolver gives. Asked on the subscriber's thread, and may take its time.
  func parts(
    of request: HTTPRequest,
    admit: @escaping @Sendable (WebAddress) throws(CatalogError) -> NetworkAddress?
  ) -> AnyFlow<HTTPPart, CatalogError> {
    follow(request, left: limits.redirects, admit)
  }

  private enum Interruption: Error {
    case failed(CatalogError)
    case redirected(to: String)
  }

  private func follow(
    _ request: HTTPRequest, left: Int,
    _ admit: @escaping @Sendable (WebAddress) throws(CatalogError) -> NetworkAddress?
  ) -> AnyFlow<HTTPPart, CatalogError> {
    Deferred { [self] () -> AnyFlow<HTTPPart, CatalogError> in
      var request = request
      do throws(CatalogError) {
        request.pinned = try admit(request.address)
      } catch {
        return Fail(error).erased()
      }
      let asked = request
      return exchange(asked)
        .mapFailure(Interruption.failed)
        .tryMap { part throws(Interruption) in
          if case .head(let head) = part, let location = Self.location(head) {
            throw .redirected(to: location)
          }
          return part
        }
        .catchError { interruption -> AnyFlow<HTTPPart, CatalogError> in
          switch interruption {
          case .failed(let error): return Fail(error).erased()
          case .redirected(let location):
            do throws(CatalogError) {
              let next = try Self.redirected(asked, to: location, left: left)
              return follow(next, left: left - 1, admit)
            } catch {
              return Fail(error).erased()
            }
          }
        }
        .erased()
    }.erased()
  }

  /// One exchange, when its turn has come.
  private func exchange(_ request: HTTPRequest) -> AnyFlow<HTTPPart, CatalogError> {
    var request = request
    if !request.headers.contains(where: { $0.name == Self.userAgent.name }) {
      request.headers.append(Self.userAgent)
    }
    let wire = request
    let place = request.address.authority
    return gate.permit(for: place)
      .flatMap { [self] permit in
        Using {
          permit
        } use: { _ in
          transport.exchange(wire)
            .timeout(after: limits.silence, on: scheduler) {
              CatalogError(.timedOut, "no answer from \(place) in time", isRetryable: true)
            }
        } release: {
          $0.release()
        }
      }
      .erased()
  }

  private static func failing(
    after time: Duration, on scheduler: any TimeScheduler, at address: WebAddress
  ) -> some Flow<Void, CatalogError> {
    Timer(after: time, on: scheduler).promoteFailure(to: CatalogError.self)
      .tryMap { () throws(CatalogError) -> Void in
        throw CatalogError(
          .timedOut, "the answer of \(address.authority) took too long", isRetryable: true)
      }
  }

  // MARK: Redirects

  private static func location(_ head: HTTPHead) -> String? {
    [301, 302, 303, 307, 308].contains(head.status) ? head.header("Location") : nil
  }

  /// Headers that go along to another server.
  private static let harmless = [
    "accept", "accept-encoding", "accept-language", "if-range", "range", "user-agent",
  ]

  private static func redirected(
    _ request: HTTPRequest, to location: String, left: Int
  ) throws(CatalogError) -> HTTPRequest {
    guard request.method == .get else {
      throw CatalogError(
        .badRedirect, "\(request.address) redirects a \(request.method.rawValue)")
    }
    guard left > 0 else {
      throw CatalogError(.badRedirect, "\(request.address) redirects once too often")
    }
    let address = try request.address.resolving(location)
    if request.address.scheme == .https, address.scheme == .http {
      throw CatalogError(
        .badRedirect, "\(request.address) redirects to \(address), which is not encrypted")
    }
    var next = request
    next.address = address
    let isSameServer =
      address.authority == request.address.authority && address.scheme == request.address.scheme
    if !isSameServer {
      // Keys are for the server they were meant for.
      next.headers.removeAll { !harmless.contains($0.name.lowercased()) }
    }
    return next
  }
}

extension Flow<HTTPPart, CatalogError> {
  /// The answer as a whole; fails as soon as its body is larger than the limit.
  fileprivate func whole(
    limit: Int, from address: WebAddress
  ) -> some Flow<HTTPResponse, CatalogError> {
    scan(into: (bytes: 0, part: HTTPPart.body([]))) { state, part in
      state.part = part
      if case .body(let bytes) = part { state.bytes += bytes.count }
    }
    .tryMap { state throws(CatalogError) in
      if state.bytes > limit {
        throw CatalogError(
          .responseTooLarge, "the answer of \(address.authority) has more than \(limit) bytes")
      }
      return state.part
    }
    .reduce(into: HTTPResponse?.none) { response, part in
      switch part {
      case .head(let head): response = HTTPResponse(head: head)
      case .body(let bytes): response?.body += bytes
      }
    }
    .tryMap { response throws(CatalogError) in
      guard let response else {
        throw CatalogError(
          .connectionLost, "\(address.authority) closed without an answer", isRetryable: true)
      }
      return response
    }
  }
}
