import Dispatch
import Foundation
import FreshetStore
import FreshetTestServer
import Testing

@Suite("freshet watch search, against a server")
struct SearchWatchTests {
  private let sandbox: Sandbox

  init() throws { sandbox = try Sandbox() }

  /// Two pages of two books, the second one failing until it was asked for twice.
  private static func kakao(_ request: TestRequest) -> TestAnswer {
    let page = Int(request.query["page"] ?? "") ?? 0
    if page == 2, request.number == 1 { return .json("{\"message\":\"no\"}", status: 400) }
    let books = [page, page + 1].map {
      "{\"title\":\"Book \($0)\",\"isbn\":\"97911900000\(10 + $0)\"}"
    }
    return .json(
      "{\"documents\":[\(books.joined(separator: ","))],\"meta\":{\"is_end\":\(page >= 2),"
        + "\"total_count\":3,\"pageable_count\":3}}")
  }

  private func watch(_ server: TestServer, _ words: [String], input: String?) throws -> Run {
    let key = try sandbox.file("key", "SECRET")
    return try sandbox.run(
      [
        "watch", "search", "--source", "kakao", "--kakao-url", server.url, "--kakao-key-file", key,
        "-q", "--retry", "0",
      ] + words, bytes: input.map { Array($0.utf8) })
  }

  private func steps(_ run: Run) -> [String] {
    run.records.compactMap { record in
      switch record.type {
      case "view.changed":
        "\(record["cause"]?.stringValue ?? "")>\(record["to"]?.stringValue ?? "")"
      case "view.notice": record["notice"]?.stringValue
      default: nil
      }
    }
  }

  @Test("a query: the screen's transitions, with the difference of its list")
  func once() throws {
    let server = try TestServer { Self.kakao($0) }
    let run = try watch(server, ["sea"], input: nil)
    #expect(steps(run) == ["submit>loadingFirst", "page>loaded"])
    let loaded = run.all("view.changed")[1]
    #expect(loaded["state"]?.objectValue?["count"] == 2)
    #expect(loaded["diff"]?.objectValue?["inserted"]?.arrayValue?.count == 2)
    #expect(run.records.allSatisfy { !$0.text.contains("SECRET") })
  }

  @Test("driven by lines: a page that fails, the retry of that page, the end, another query")
  func driven() throws {
    let server = try TestServer { Self.kakao($0) }
    let run = try watch(
      server, ["sea", "--scroll", "stdin"],
      input: "more\nretry\nmore\nselect book:kakao:9791190000011\nselect x\nsubmit  \nnonsense\n")
    #expect(
      steps(run) == [
        "submit>loadingFirst", "page>loaded", "reachedEnd>loadingMore", "failure>failed",
        "retry>loadingMore", "page>loaded", "atEnd", "showDetail", "notFound", "submit>idle",
        "invalidQuery",
      ])
    #expect(run.results.map(\.errorCode) == ["bad_words"])
    #expect(server.requests.compactMap { $0.query["page"] } == ["1", "2", "2"])
  }

  @Test("without a key: failed at once, never loading, exit 4, nothing asked")
  func noKey() throws {
    let server = try TestServer { Self.kakao($0) }
    let run = try sandbox.run(
      "watch", "search", "sea", "--source", "kakao", "--kakao-url", server.url)
    #expect(steps(run) == ["submit>failed"])
    #expect(run.status == .exited(4))
    #expect(
      run.all("view.changed")[0]["state"]?.objectValue?["error"]?.objectValue?["code"]
        == "missing_key")
    #expect(server.requests.isEmpty)
  }

  @Test("what makes no sense is exit 2; a failure that stays is exit 1")
  func refused() throws {
    let server = try TestServer { _ in .json("{\"message\":\"no\"}", status: 400) }
    #expect(try watch(server, ["sea"], input: nil).status == .exited(1))
    #expect(try watch(server, [], input: nil).status == .exited(2))
    #expect(try watch(server, ["sea", "--since", "now"], input: nil).status == .exited(2))
    #expect(try sandbox.run("watch", "search", "sea").status == .exited(2))
    #expect(try sandbox.run("watch", "saved", "--source", "kakao").status == .exited(2))
  }

  // MARK: Readers that stand still

  /// A page of ten books per query, the query in their titles.
  private static func books(_ request: TestRequest) -> TestAnswer {
    let query = request.query["query"] ?? ""
    let books = (10..<20).map { "{\"title\":\"\(query)\",\"isbn\":\"97911900000\($0)\"}" }
    return .json(
      "{\"documents\":[\(books.joined(separator: ","))],\"meta\":{\"is_end\":true,"
        + "\"total_count\":10,\"pageable_count\":10}}")
  }

  private func start(_ server: TestServer, _ words: String...) throws -> Child {
    let key = try sandbox.file("key", "SECRET")
    return try Child(
      [
        "watch", "search", "q0", "--source", "kakao", "--kakao-url", server.url,
        "--kakao-key-file", key, "-q", "--retry", "0", "--scroll", "stdin",
      ] + words, environment: ["HOME": sandbox.folder.path], input: .pipe)
  }

  private static let queries = 300

  private func send(to child: Child) {
    // The line of `more` waits for the page, and there is no other.
    child.send((1...Self.queries).map { "submit q\($0)\nmore\n" }.joined())
    child.closeInput()
  }

  @Test("--on-slow resync: the search goes on; a gap with its count, then the state as it is")
  func resync() throws {
    let server = try TestServer { Self.books($0) }
    let child = try start(server, "--on-slow", "resync")
    child.send("more\n")
    send(to: child)
    // All was asked before a byte was read.
    try server.waitForRequests(Self.queries + 1)
    let records = try child.rest()
    #expect(child.wait() == .exited(0))
    Sandbox.check(Run(status: .exited(0), records: records, errors: child.errorText))
    let gaps = records.filter { $0.type == "stream.gap" }
    #expect(!gaps.isEmpty)
    #expect(gaps.allSatisfy { $0["reason"] == "slow_reader" && $0["from"] == .null })
    // Two transitions for each query and a notice for its line of `more`: each is told or counted.
    let told = records.filter {
      ["view.changed", "view.notice"].contains($0.type) && $0["cause"] != "resync"
    }.count
    let missed = gaps.compactMap { $0["missed"]?.numberValue?.int64 }.reduce(0, +)
    #expect(told + Int(missed) == 3 * (Self.queries + 1))
    let place = try #require(records.lastIndex { $0.type == "stream.gap" })
    let after = records[(place + 1)...].map(\.type)
    #expect(
      Array(after.prefix(13)) == ["snapshot.begin"]
        + [String](repeating: "snapshot.item", count: 10) + ["view.changed", "stream.bookmark"])
    let last = try #require(records.last { $0.type == "view.changed" })
    #expect(last["state"]?.objectValue?["query"]?.stringValue == "q\(Self.queries)")
    #expect(last["to"] == "loaded")
  }

  @Test("--on-slow block: the search waits for its reader, and leaves nothing out")
  func block() throws {
    let server = try TestServer { Self.books($0) }
    let child = try start(server)
    send(to: child)
    let records = try child.rest()
    #expect(child.wait() == .exited(0))
    #expect(!records.contains { $0.type == "stream.gap" })
    let queries = records.filter { $0["cause"] == "submit" }.compactMap {
      $0["state"]?.objectValue?["query"]?.stringValue
    }
    #expect(queries == (0...Self.queries).map { "q\($0)" })
  }

  @Test("a state is told when it comes, not when the next one is there")
  func toldAtOnce() throws {
    let gate = DispatchSemaphore(value: 0)
    let server = try TestServer { request in
      gate.wait()
      return Self.books(request)
    }
    let child = try start(server)
    #expect(try child.record("view.changed")["to"] == "loadingFirst")
    gate.signal()
    #expect(try child.record("view.changed")["to"] == "loaded")
    child.closeInput()
    #expect(child.wait() == .exited(0))
  }

  // MARK: Lines while a page is on its way

  /// The answer to `first` waits for the gate; all others come at once.
  private static func held(_ gate: TestGate) -> @Sendable (TestRequest) -> TestAnswer {
    { request in
      let answer = books(request)
      return request.query["query"] == "q0" ? TestAnswer([.hold(gate)] + answer.steps) : answer
    }
  }

  private static func step(_ record: Record) -> String {
    "\(record["from"]?.stringValue ?? "")>\(record["to"]?.stringValue ?? "") "
      + "\(record["cause"]?.stringValue ?? "") \(record.correlation ?? "")"
  }

  @Test(
    "cancel and clear stop the request that runs, and are not held up by it",
    arguments: ["cancel", "clear"], ["block", "resync"])
  func stopped(_ word: String, _ onSlow: String) throws {
    let gate = TestGate()
    let server = try TestServer(Self.held(gate))
    let child = try start(server, "--on-slow", onSlow)
    #expect(Self.step(try child.record("view.changed")) == "idle>loadingFirst submit s1:A1")
    try server.waitForRequests(1)
    child.send("\(word)\n")
    #expect(Self.step(try child.record("view.changed")) == "loadingFirst>idle \(word) s1:L1")
    try server.waitForClose(of: 0)
    child.closeInput()
    #expect(try child.rest().map(\.type) == ["stream.end"])
    #expect(child.wait() == .exited(0))
  }

  @Test("a submit takes the place of the search that runs", arguments: ["block", "resync"])
  func replaced(_ onSlow: String) throws {
    let gate = TestGate()
    let server = try TestServer(Self.held(gate))
    let child = try start(server, "--on-slow", onSlow)
    _ = try child.record("view.changed")
    try server.waitForRequests(1)
    child.send("submit second\n")
    #expect(Self.step(try child.record("view.changed")) == "loadingFirst>loadingFirst submit s1:L1")
    let loaded = try child.record("view.changed")
    #expect(Self.step(loaded) == "loadingFirst>loaded page s1:L1")
    #expect(loaded["state"]?.objectValue?["query"] == "second")
    try server.waitForClose(of: 0)
    child.closeInput()
    #expect(try child.rest().map(\.type) == ["stream.end"])
    #expect(child.wait() == .exited(0))
  }

  @Test("more waits for the page; a cancel goes before it and calls it off")
  func calledOff() throws {
    let gate = TestGate()
    let server = try TestServer(Self.held(gate))
    let child = try start(server)
    _ = try child.record("view.changed")
    child.send("more\nsubmit x\nmroe\ncancel\n")
    let called = try child.record("cmd.result")
    #expect(called["status"] == "canceled" && called["reason"] == "cancel")
    #expect(called.correlation == "s1:L1" && called["error"] == nil)
    #expect(try child.record("cmd.result").correlation == "s1:L2")
    #expect(try child.record("cmd.result").errorCode == "bad_words")
    #expect(Self.step(try child.record("view.changed")) == "loadingFirst>idle cancel s1:L4")
    child.closeInput()
    let rest = try child.rest()
    #expect(rest.map(\.type) == ["stream.end"])
    #expect(rest.last?["counts"]?.objectValue?["canceled"] == 2)
    #expect(child.wait() == .exited(1))
  }

  @Test("what a page leads to is told under the line that asked for it")
  func attributed() throws {
    let gate = TestGate()
    let server = try TestServer(Self.held(gate))
    let child = try start(server)
    _ = try child.record("view.changed")
    child.send("nonsense\nselect book:kakao:9791190000012\n")
    #expect(try child.record("cmd.result").correlation == "s1:L1")
    gate.open()
    #expect(Self.step(try child.record("view.changed")) == "loadingFirst>loaded page s1:A1")
    // The row came with the page.
    let notice = try child.record("view.notice")
    #expect(notice["notice"] == "showDetail" && notice.correlation == "s1:L2")
    child.closeInput()
    #expect(child.wait() == .exited(1))
  }

  @Test("types, filters and a time-out as for other views")
  func filtered() throws {
    let server = try TestServer { Self.kakao($0) }
    let run = try watch(server, ["sea", "--filter", "data.to=loaded"], input: nil)
    #expect(steps(run) == ["page>loaded"])
    let none = try watch(server, ["sea", "--type", "view.notice"], input: nil)
    #expect(steps(none).isEmpty)
    let child = try start(server, "--timeout", "50ms")
    #expect(try child.record("stream.end")["reason"] == "timeout")
    #expect(child.wait() == .exited(6))
  }
}
