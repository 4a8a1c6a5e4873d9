import Foundation
import Freshet
import FreshetTestServer
import Testing

@testable import FreshetCatalog

/// Connections that are kept, and servers that close them just as they are used again.
@Suite("Kept connections")
struct KeptConnectionTests {
  private let client = HTTPClient(
    transport: URLSessionTransport(), scheduler: QueueScheduler(.global()),
    policy: RetryPolicy(attempts: 1))

  private func status(_ server: TestServer, _ request: HTTPRequest) async throws -> Int {
    try await client.response(to: request).value().status
  }

  @Test("a change is never lost to a kept connection that the server closes as it is used again")
  func changes() async throws {
    // What a server does whose time for idle connections is over: no answer, and the end.
    let server = try TestServer { request in
      request.place == 0 ? .json("{}") : TestAnswer([.close])
    }
    let address = WebAddress.of(server.url + "/guidances")
    for method in [HTTPRequest.Method.post, .patch, .delete, .post] {
      let body = method == .delete ? [] : Array("{\"a\":1}".utf8)
      let request = HTTPRequest(method, address, body: body, mayRepeat: false)
      #expect(try await status(server, request) == 200)
    }
    #expect(server.requests.map(\.method) == ["POST", "PATCH", "DELETE", "POST"])
    #expect(server.requests.map(\.place) == [0, 0, 0, 0])
  }

  @Test("a question over a kept connection that the server closes is asked again")
  func questions() async throws {
    let server = try TestServer { request in
      request.path == "/closes" && request.place > 0 ? TestAnswer([.close]) : .json("{}")
    }
    let address = WebAddress.of(server.url)
    for path in ["/a", "/b", "/closes"] {
      #expect(try await status(server, HTTPRequest(.get, address.appending(path: path))) == 200)
    }
    #expect(server.requests.count >= 3)
  }
}
