import Freshet
import FreshetTesting
import Testing

@testable import FreshetCatalog

@Suite("HTTP client, in virtual time")
struct HTTPClientTests {
  private let request = HTTPRequest(.get, .of("https://api.test/x?key=SECRETKEY"))

  private func lost() -> ScriptedTransport.Reply {
    .fail(CatalogError(.connectionLost, "lost", isRetryable: true))
  }

  // MARK: Repetitions

  @Test("what may pass is asked for again after growing pauses, then the answer comes")
  func retry() throws {
    let rig = Rig(.json("{}", status: 503), lost(), .json("{}", status: 429), .json("{\"a\":1}"))
    let answer = try rig.value(of: rig.client.response(to: request))
    #expect(answer.body == Array("{\"a\":1}".utf8))
    #expect(rig.transport.requests.count == 4)
    // 0.5, 1 and 2 seconds, with nothing taken off by chance.
    #expect(rig.scheduler.now == Moment(.milliseconds(3500)))
  }

  @Test("chance takes off up to half of each pause")
  func jitter() throws {
    let rig = Rig(random: { 0.5 }, ScriptedTransport([lost(), .json("{}")]))
    _ = try rig.value(of: rig.client.response(to: request))
    #expect(rig.scheduler.now == Moment(.milliseconds(375)))
  }

  @Test("the attempts are counted, and the last failure comes out")
  func bounded() throws {
    let rig = Rig(attempts: 3, ScriptedTransport([.json("{}", status: 503)]))
    let error = try rig.failure(of: rig.client.response(to: request))
    #expect(error.code == .serverError)
    #expect(error.status == 503)
    #expect(rig.transport.requests.count == 3)
  }

  @Test(
    "Retry-After is waited for, as seconds and as a date",
    arguments: ["7", "Sun, 06 Nov 1994 08:49:44 GMT"])
  func retryAfter(_ value: String) throws {
    let rig = Rig(
      wallClock: 784_111_777,
      ScriptedTransport([.answer(429, [.init("Retry-After", value)]), .json("{}")]))
    _ = try rig.value(of: rig.client.response(to: request))
    #expect(rig.scheduler.now == Moment(.seconds(7)))
  }

  @Test("a Retry-After beyond the limit ends the attempts and is told")
  func longRetryAfter() throws {
    let rig = Rig(.answer(429, [.init("Retry-After", "3600")]), .json("{}"))
    let error = try rig.failure(of: rig.client.response(to: request))
    #expect(error.code == .rateLimited)
    #expect(error.isRetryable)
    #expect(error.retryAfter == .seconds(3600))
    #expect(error.message.hasSuffix("; it wants to be left alone for 3600 s"))
    #expect(rig.transport.requests.count == 1)
  }

  @Test("while a server asks for a pause, other requests to it wait too")
  func storm() throws {
    let transport = ScriptedTransport { number, _ in
      number == 0 ? .answer(503, [.init("Retry-After", "5")]) : .json("{}")
    }
    let rig = Rig(transport)
    let first = Recorder<HTTPResponse, CatalogError>(scheduler: rig.scheduler)
    first.subscribe(to: rig.client.response(to: request))
    let second = Recorder<HTTPResponse, CatalogError>(scheduler: rig.scheduler)
    second.subscribe(to: rig.client.response(to: request))
    rig.scheduler.advance(by: .milliseconds(4999))
    #expect(transport.requests.count == 1)
    try rig.scheduler.run()
    #expect(transport.requests.count == 3)
    #expect(first.values.count == 1 && second.values.count == 1)
  }

  @Test("a POST is not sent twice, unless it has not reached the server")
  func post() throws {
    let post = HTTPRequest(.post, .of("https://api.test/x"), body: [1])
    let lost = Rig(lost(), .json("{}"))
    #expect(try lost.failure(of: lost.client.response(to: post)).code == .connectionLost)
    #expect(lost.transport.requests.count == 1)
    let unreached = Rig(
      .fail(CatalogError(.unreachable, "nobody", isRetryable: true)), .json("{}"))
    _ = try unreached.value(of: unreached.client.response(to: post))
    #expect(unreached.transport.requests.count == 2)
  }

  // MARK: Time limits and cancelling

  @Test("silence ends an attempt, also in the middle of a body, and lets its connection go")
  func silence() throws {
    let rig = Rig(attempts: 1, ScriptedTransport([.stall([1, 2, 3])]))
    let error = try rig.failure(of: rig.client.response(to: request))
    #expect(error.code == .timedOut)
    #expect(rig.scheduler.now == Moment(.seconds(20)))
    #expect(rig.transport.openCount == 0)
  }

  @Test("disposing stops the exchange, a pause between attempts, and a place in the queue")
  func dispose() throws {
    let rig = Rig(
      limits: HTTPClient.Limits(requestsPerHost: 1),
      ScriptedTransport { _, request in
        request.address.path == "/pause"
          ? .fail(CatalogError(.timedOut, "", isRetryable: true))
          : .silence
      })
    let running = rig.client.response(to: HTTPRequest(.get, .of("https://api.test/run")))
      .subscribe(onValue: { _ in }, onEnd: { _ in })
    let queued = rig.client.response(to: HTTPRequest(.get, .of("https://api.test/queued")))
      .subscribe(onValue: { _ in }, onEnd: { _ in })
    let pausing = rig.client.response(to: HTTPRequest(.get, .of("https://other.test/pause")))
      .subscribe(onValue: { _ in }, onEnd: { _ in })
    #expect(rig.transport.openCount == 1)
    queued.dispose()
    pausing.dispose()
    running.dispose()
    #expect(rig.transport.openCount == 0)
    #expect(rig.scheduler.pendingCount == 0)
    try rig.scheduler.run()
    #expect(rig.transport.requests.count == 2)
  }

  @Test("so many requests at a time to a server; the others come in order; servers do not share")
  func gate() throws {
    let rig = Rig(
      limits: HTTPClient.Limits(silence: .seconds(1), requestsPerHost: 2), attempts: 1,
      ScriptedTransport([.silence]))
    let ends = (0..<5).map { number in
      let recorder = Recorder<HTTPResponse, CatalogError>(scheduler: rig.scheduler)
      recorder.subscribe(
        to: rig.client.response(to: HTTPRequest(.get, .of("https://one.test/\(number)"))))
      return recorder
    }
    #expect(rig.transport.openCount == 2)
    let other = rig.client.response(to: HTTPRequest(.get, .of("https://two.test/")))
      .subscribe(onValue: { _ in }, onEnd: { _ in })
    #expect(rig.transport.openCount == 3)
    other.dispose()
    try rig.scheduler.run()
    #expect(
      rig.transport.requests.filter { $0.address.host == "one.test" }.map(\.address.path)
        == (0..<5).map { "/\($0)" })
    #expect(ends.allSatisfy { $0.hasEnded })
    #expect(rig.scheduler.now == Moment(.seconds(3)))
  }

  // MARK: Redirects

  private func redirect(_ location: String, _ status: Int = 302) -> ScriptedTransport.Reply {
    .answer(status, [.init("Location", location)])
  }

  @Test("redirects are followed; keys stay with the server they are for")
  func follow() throws {
    let rig = Rig(redirect("/y"), redirect("https://other.test/z"), .json("{}"))
    var request = request
    request.headers = [.init("Authorization", "Bearer SECRETKEY"), .init("Range", "bytes=1-")]
    _ = try rig.value(of: rig.client.response(to: request))
    let sent = rig.transport.requests
    #expect(
      sent.map(\.address.text)
        == ["https://api.test/x?key=SECRETKEY", "https://api.test/y", "https://other.test/z"])
    #expect(sent[1].headers.contains { $0.name == "Authorization" })
    #expect(!sent[2].headers.contains { $0.name == "Authorization" })
    #expect(sent[2].headers.contains { $0.name == "Range" })
  }

  @Test("a circle, a step down to http, and a redirected POST are refused")
  func refused() throws {
    let circle = Rig(redirect("/x"))
    #expect(try circle.failure(of: circle.client.response(to: request)).code == .badRedirect)
    #expect(circle.transport.requests.count == 6)
    let down = Rig(redirect("http://api.test/x"))
    #expect(try down.failure(of: down.client.response(to: request)).code == .badRedirect)
    let post = Rig(redirect("/y", 307))
    let body = HTTPRequest(.post, .of("https://api.test/x"), body: [1])
    #expect(try post.failure(of: post.client.response(to: body)).code == .badRedirect)
  }

  @Test(
    "a redirect from the open internet into a private network is not followed",
    arguments: [
      "https://127.0.0.1/x", "https://10.0.0.7:8443/", "https://[::1]/", "https://localhost/",
      "https://printer.lan/", "https://inside.test/x",
    ])
  func intoPrivate(_ location: String) throws {
    let resolve = { @Sendable (name: String) in
      [NetworkAddress(bytes: name == "inside.test" ? [192, 168, 0, 9] : [93, 184, 216, 34])]
    }
    let rig = Rig(resolve: resolve, ScriptedTransport([redirect(location), .json("{}")]))
    let error = try rig.failure(of: rig.client.response(to: request))
    #expect(error.code == .privateAddress)
    #expect(rig.transport.requests.count == 1)
    // Whoever names a server in a private network may be led about in it.
    for base in ["https://127.0.0.1/", "https://inside.test/"] {
      let rig = Rig(resolve: resolve, ScriptedTransport([redirect(location), .json("{}")]))
      _ = try rig.value(of: rig.client.response(to: HTTPRequest(.get, .of(base))))
      #expect(rig.transport.requests.count == 2)
    }
  }

  // MARK: Bodies and errors

  @Test("a body over the limit is cut off, and not asked for again")
  func tooLarge() throws {
    let rig = Rig(.answer(200, [], [UInt8](repeating: 0, count: 101)))
    var request = request
    request.bodyLimitBytes = 100
    let error = try rig.failure(of: rig.client.response(to: request))
    #expect(error.code == .responseTooLarge)
    #expect(rig.transport.requests.count == 1)
    request.bodyLimitBytes = 101
    #expect(try rig.value(of: rig.client.response(to: request)).body.count == 101)
  }

  @Test("nothing is sent before somebody subscribes, and each subscription sends once")
  func lazy() throws {
    let rig = Rig(.json("{}"))
    let single = rig.client.response(to: request)
    #expect(rig.transport.requests.isEmpty)
    _ = try rig.value(of: single)
    _ = try rig.value(of: single)
    #expect(rig.transport.requests.count == 2)
  }

  @Test("C-23 Key in logs")
  func keyInLogs() throws {
    // A failing request whose address, headers and refusal all hold the key.
    let rig = Rig(
      secrets: ["SECRETKEY", "a+b=c&d"],
      ScriptedTransport([.json("no", status: 400)]))
    let error = try rig.failure(
      of: rig.client.response(to: request) { _ in
        CatalogError(
          .refusedKey, "bad key SECRETKEY or a+b=c&d or a%2Bb%3Dc%26d at https://x/?k=SECRETKEY",
          reason: "SECRETKEY from 203.0.113.9")
      })
    #expect(error.message == "bad key ••• or ••• or ••• at https://x/?k=•••")
    #expect(error.reason == "••• from •••")
    let lost = Rig(secrets: ["SECRETKEY"], attempts: 1, ScriptedTransport([.silence]))
    #expect(!"\(try lost.failure(of: lost.client.response(to: request)))".contains("SECRETKEY"))
    #expect("\(request.address)" == "https://api.test/x")
  }
}
