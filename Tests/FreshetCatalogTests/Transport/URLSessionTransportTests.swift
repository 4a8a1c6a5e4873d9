import Foundation
import Freshet
import FreshetTestServer
import Synchronization
import Testing

@testable import FreshetCatalog

/// What one exchange brought, and a way to wait for its end.
private final class Exchange: Sendable {
  private struct State: Sendable {
    var head: HTTPHead?
    var body: [UInt8] = []
    var end: End<CatalogError>?
    var token: Disposable?
  }

  private let state = Mutex(State())
  private let change = DispatchSemaphore(value: 0)

  init(_ flow: some Flow<HTTPPart, CatalogError>) {
    let token = flow.subscribe(
      onValue: { [self] part in
        state.withLock { state in
          switch part {
          case .head(let head): state.head = head
          case .body(let bytes): state.body += bytes
          }
        }
        change.signal()
      },
      onEnd: { [self] end in
        state.withLock { $0.end = end }
        change.signal()
      })
    state.withLock { $0.token = token }
  }

  var head: HTTPHead? { state.withLock { $0.head } }
  var body: [UInt8] { state.withLock { $0.body } }
  var end: End<CatalogError>? { state.withLock { $0.end } }
  func dispose() { state.withLock { $0.token }?.dispose() }

  private func wait(_ what: String, until isReached: (borrowing State) -> Bool) throws {
    while !state.withLock({ isReached($0) }) {
      guard change.wait(timeout: .now() + TestServer.patience) == .success else {
        throw TestServer.Fault(what: "waited in vain for \(what)")
      }
    }
  }

  func waitForBody(_ count: Int) throws { try wait("bytes") { $0.body.count >= count } }

  /// The end, in a word.
  func outcome() throws -> String {
    try wait("the end") { $0.end != nil }
    switch end {
    case .finished: return "finished"
    case .failed(let error): return error.code.name
    case nil: return "none"
    }
  }
}

@Suite("URLSession transport, on a real server")
struct URLSessionTransportTests {
  private let transport = URLSessionTransport()

  private func exchange(
    _ server: TestServer, _ path: String, headers: [HTTPRequest.Header] = []
  ) -> Exchange {
    Exchange(
      transport.exchange(HTTPRequest(.get, .of(server.url + path), headers: headers)))
  }

  @Test("an answer arrives whole: status, headers, body; the query goes out as it was encoded")
  func whole() throws {
    let body = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let server = try TestServer { .file(body, for: $0) }
    let exchange = exchange(
      server, "/a%20b?q=C%2B%2B&x=%ED%95%9C", headers: [.init("Authorization", "KakaoAK k")])
    #expect(try exchange.outcome() == "finished")
    #expect(exchange.body == body)
    #expect(exchange.head?.status == 200)
    #expect(exchange.head?.header("etag") == "\"v1\"")
    #expect(exchange.head?.contentLength == body.count)
    let request = try #require(server.requests.first)
    #expect(request.target == "/a%20b?q=C%2B%2B&x=%ED%95%9C")
    #expect(request.header("authorization") == "KakaoAK k")
  }

  @Test("a body in chunks is put together, and an unfinished one is a lost connection")
  func chunked() throws {
    let server = try TestServer {
      .chunked([[1, 2], [3]], isWhole: $0.path == "/whole")
    }
    let whole = exchange(server, "/whole")
    #expect(try whole.outcome() == "finished")
    #expect(whole.body == [1, 2, 3])
    #expect(try exchange(server, "/torn").outcome() == "connection_lost")
  }

  @Test("a cut, a close before its length, and a close without an answer are lost connections")
  func cut() throws {
    let server = try TestServer { request in
      switch request.path {
      case "/cut": .file([UInt8](repeating: 1, count: 100_000), for: request, cutAfter: 50_000)
      case "/short": TestAnswer([.send(TestAnswer.head(200, [], length: 100) + [1, 2]), .close])
      default: TestAnswer([.close])
      }
    }
    for path in ["/cut", "/short", "/nothing"] {
      #expect(try exchange(server, path).outcome() == "connection_lost", "\(path)")
    }
  }

  @Test("a redirect comes as it is, and is not followed")
  func redirect() throws {
    let server = try TestServer { _ in .redirect(to: "/other") }
    let exchange = exchange(server, "/")
    #expect(try exchange.outcome() == "finished")
    #expect(exchange.head?.status == 302)
    #expect(exchange.head?.header("Location") == "/other")
    #expect(server.requests.count == 1)
  }

  @Test("disposing while the head of a redirect is told does no harm")
  func disposeInRedirect() throws {
    let server = try TestServer { _ in .redirect(to: "/other") }
    let request = HTTPRequest(.get, .of(server.url))
    for _ in 0..<50 {
      let exchange = Exchange(transport.exchange(request).take(1))
      #expect(try exchange.outcome() == "finished")
      #expect(exchange.head?.status == 302)
    }
  }

  @Test("any status is an answer, and one that asks for a password does not wait for one")
  func statuses() throws {
    let server = try TestServer { request in
      .json(
        "{}", status: Int(request.path.dropFirst()) ?? 500,
        headers: [("WWW-Authenticate", "Basic realm=\"x\""), ("Retry-After", "7")])
    }
    for status in [400, 401, 404, 429, 503] {
      let exchange = exchange(server, "/\(status)")
      #expect(try exchange.outcome() == "finished", "\(status)")
      #expect(exchange.head?.status == status)
      #expect(exchange.head?.header("retry-after") == "7")
    }
  }

  @Test("disposing closes the connection: the server sees it, and nothing more is told")
  func dispose() throws {
    let gate = TestGate()
    let body = [UInt8](repeating: 1, count: 400_000)
    let server = try TestServer { .file(body, for: $0, hold: (after: 50_000, gate)) }
    let exchange = exchange(server, "/")
    try exchange.waitForBody(50_000)
    exchange.dispose()
    try server.waitForClose(of: 0)
    #expect(exchange.end == nil)
  }

  @Test("nobody there, and a name nobody knows, are unreachable")
  func unreachable() throws {
    let server = try TestServer { _ in .json("{}") }
    let url = server.url
    server.stop()
    let gone = Exchange(transport.exchange(HTTPRequest(.get, .of(url))))
    #expect(try gone.outcome() == "unreachable")
    let unknown = Exchange(transport.exchange(HTTPRequest(.get, .of("http://nobody.invalid"))))
    #expect(try unknown.outcome() == "unreachable")
  }

  @Test("a range is asked for and comes as a part; nothing asks for it to be packed")
  func range() throws {
    let body = (0..<1000).map { UInt8(truncatingIfNeeded: $0) }
    let server = try TestServer { .file(body, for: $0) }
    let exchange = exchange(
      server, "/",
      headers: [
        .init("Range", "bytes=990-"), .init("If-Range", "\"v1\""),
        .init("Accept-Encoding", "identity"),
      ])
    #expect(try exchange.outcome() == "finished")
    #expect(exchange.head?.status == 206)
    #expect(exchange.head?.header("content-range") == "bytes 990-999/1000")
    #expect(exchange.body == Array(body[990...]))
    #expect(server.requests.first?.header("accept-encoding") == "identity")
  }

  @Test("a body goes out with its method")
  func post() throws {
    let server = try TestServer { .json(String(decoding: $0.body, as: UTF8.self)) }
    let exchange = Exchange(
      transport.exchange(
        HTTPRequest(
          .patch, .of(server.url), headers: [.init("Content-Type", "application/json")],
          body: Array("{\"a\":1}".utf8))))
    #expect(try exchange.outcome() == "finished")
    #expect(exchange.body == Array("{\"a\":1}".utf8))
    #expect(server.requests.first?.method == "PATCH")
    #expect(server.requests.first?.header("content-type") == "application/json")
  }

  @Test("nothing is sent before somebody subscribes, and each subscription sends once")
  func lazy() throws {
    let server = try TestServer { _ in .json("{}") }
    let flow = transport.exchange(HTTPRequest(.get, .of(server.url)))
    #expect(server.requests.isEmpty)
    #expect(try Exchange(flow).outcome() == "finished")
    #expect(try Exchange(flow).outcome() == "finished")
    #expect(server.requests.count == 2)
  }

  @Test("a pinned number is connected to, whatever the name stands for; the server hears the name")
  func pinned() throws {
    let server = try TestServer { _ in .json("{}") }
    var request = HTTPRequest(.get, .of("http://pictures.invalid:\(server.port)/p?a=1"))
    let unknown = Exchange(transport.exchange(request))
    #expect(try unknown.outcome() == "unreachable")
    request.pinned = NetworkAddress(bytes: [127, 0, 0, 1])
    let exchange = Exchange(transport.exchange(request))
    #expect(try exchange.outcome() == "finished")
    #expect(server.requests.map(\.target) == ["/p?a=1"])
    #expect(server.requests[0].header("host") == "pictures.invalid:\(server.port)")
    #expect(server.requests[0].headers.filter { $0.name == "host" }.count == 1)
  }

  @Test("numbers as they stand in addresses")
  func hosts() {
    #expect(NetworkAddress(bytes: [192, 168, 0, 10]).host == "192.168.0.10")
    #expect(NetworkAddress("2001:db8::1")?.host == "[2001:db8::1]")
    let pinned = WebAddress.of("http://a.test:81/p?q=1")
      .connecting(to: NetworkAddress(bytes: [1, 2, 3, 4]))
    #expect(pinned.text == "http://1.2.3.4:81/p?q=1")
  }
}
