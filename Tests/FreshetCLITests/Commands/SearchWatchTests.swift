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
}
