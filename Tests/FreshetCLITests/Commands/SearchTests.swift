import Foundation
import FreshetStore
import FreshetTestServer
import Testing

@Suite("freshet search, against a server")
struct SearchTests {
  private let sandbox: Sandbox

  init() throws { sandbox = try Sandbox() }

  /// A Kakao of so many pages of two books each; the first book of a page is the last of the one
  /// before.
  private static func kakao(_ request: TestRequest, pages: Int) -> TestAnswer {
    let page = Int(request.query["page"] ?? "") ?? 0
    let books = [page, page + 1].map { number in
      """
      {"title":"Book \(number)","isbn":"97911900000\(10 + number)","authors":["A"],"price":\(number)}
      """
    }
    return .json(
      """
      {"documents":[\(books.joined(separator: ","))],
      "meta":{"is_end":\(page >= pages),"total_count":3750,"pageable_count":1000}}
      """)
  }

  private func key(_ text: String = "THE-SECRET-KEY", mode: Int = 0o600) throws -> String {
    let path = try sandbox.file("key", text + "\n")
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    return path
  }

  private func search(
    _ server: TestServer, _ words: String..., source: String = "kakao", key: String? = nil,
    input: String? = nil
  ) throws -> Run {
    let file = try key ?? self.key()
    return try sandbox.run(
      [
        "search", "--source", source, "--\(source)-url", server.url, "--\(source)-key-file", file,
      ] + words, bytes: input.map { Array($0.utf8) })
  }

  @Test("a page of rows that are none tells the first hundred, and how many more there are")
  func manyDropped() throws {
    let rows = (0..<20_000).map { _ in "{\"title\":7,\"isbn\":\"x\"}" }.joined(separator: ",")
    let server = try TestServer { _ in
      .json("{\"documents\":[\(rows)],\"meta\":{\"is_end\":true}}")
    }
    let run = try search(server, "x")
    let page = try #require(run.all("search.page").first)
    #expect(page["dropped"]?.arrayValue?.count == 100)
    #expect(page["dropped_more"] == 19_900)
    #expect(page["rows"] == 20_000)
    #expect(run.all("search.end").first?["dropped"] == 20_000)
    #expect(run.records.allSatisfy { $0.text.utf8.count < 100_000 })
  }

  @Test("a page larger than the catalogue sends is refused, in a script too")
  func pageSize() throws {
    let server = try TestServer { Self.kakao($0, pages: 1) }
    let run = try search(server, "x", "--page-size", "51")
    #expect(run.status == .exited(2))
    #expect(run.errors.contains("at most 50"))
    #expect(try search(server, "x", "--page-size", "50").status == .exited(0))
    #expect(server.requests.count == 1)
    let script = try sandbox.run(
      "run", "-f", "-",
      input: """
        search x --source kakao --page-size 51
        {"op":"search","query":"x","source":"kakao","page_size":51}
        search x --source kakao --page-size two
        {"op":"search","query":"x","source":"kakao","page_size":"two"}
        search x --source kakao --size 2
        {"op":"search","query":"x","source":"kakao","size":2}
        """)
    #expect(
      script.results.map(\.errorCode) == [
        "bad_value", "bad_value", "bad_value", "bad_value", "bad_words", "unknown_field",
      ])
    let told = script.results.map { $0["error"]?.objectValue?["message"]?.stringValue ?? "" }
    // In the words of the command, whatever the spelling.
    #expect(run.errors.contains(told[0]) && told[0].hasPrefix("option --page-size"))
    #expect(told[1] == told[0].replacing("option --page-size", with: "page_size"))
    #expect(
      try search(server, "x", "--page-size", "two").errors.contains(told[2]))
    #expect(told[4].contains("unknown option “--size” for search"))
  }

  @Test("as many retries as there are numbers are refused", arguments: ["search", "download"])
  func retries(_ command: String) throws {
    let words = command == "search" ? ["x", "--source", "kakao"] : ["book:kakao:1"]
    for number in ["1001", "9223372036854775807", "-1"] {
      let run = try sandbox.run([command] + words + ["--retry", number], bytes: nil)
      #expect(run.status == .exited(2) && run.errors.contains("option --retry"))
    }
  }

  @Test("cli-40 where the catalogue gives no further page: an end, and its reason")
  func cap() throws {
    let server = try TestServer { Self.kakao($0, pages: 60) }
    let run = try search(server, "x", "--all", "--page-size", "2")
    #expect(run.status == .exited(0))
    #expect(run.all("search.end").map { $0["reason"] } == ["provider_cap"])
    #expect(run.all("search.page").count == 50)
    #expect(server.requests.count == 50)
  }

  @Test("all pages: one search.item per distinct book, and the reason of the end")
  func all() throws {
    let server = try TestServer { Self.kakao($0, pages: 3) }
    let run = try search(server, "해리 포터", "--all", "--page-size", "2")
    #expect(run.status == .exited(0))
    #expect(
      run.all("search.item").compactMap(\.id) == (1...4).map { "book:kakao:97911900000\(10 + $0)" })
    #expect(run.all("search.page").map { $0["duplicates"] } == [0, 1, 1])
    #expect(run.all("search.page").map { $0["page"] } == [1, 2, 3])
    let end = try #require(run.all("search.end").first)
    #expect(end["reason"] == "end")
    #expect(end["items"] == 4)
    #expect(end["total"] == 3750)
    #expect(run.all("search.item").first?["item"]?.objectValue?["title"] == "Book 1")
    #expect(
      server.requests.map(\.target)
        == (1...3).map {
          "/v3/search/book?query=%ED%95%B4%EB%A6%AC%20%ED%8F%AC%ED%84%B0&page=\($0)&size=2"
        })
    #expect(server.requests[0].header("authorization") == "KakaoAK THE-SECRET-KEY")
    #expect(server.requests[0].header("user-agent")?.hasPrefix("freshet/") == true)
  }

  @Test("one page by default; --pages and --limit read on as far as they say")
  func bounds() throws {
    let server = try TestServer { Self.kakao($0, pages: 9) }
    #expect(try search(server, "x").all("search.end").first?["reason"] == "pages")
    #expect(server.requests.count == 1)
    #expect(try search(server, "x", "--pages", "2").all("search.item").count == 3)
    let limited = try search(server, "x", "--limit", "4")
    #expect(limited.all("search.item").count == 4)
    #expect(limited.all("search.end").first?["reason"] == "limit")
  }

  @Test("a refused page leaves what was told, exit code 1, and retry goes on there")
  func failure() throws {
    let server = try TestServer { request in
      // The first attempt at page 2 is refused.
      request.number == 1
        ? .json("{\"message\":\"slow down\"}", status: 429, headers: [("Retry-After", "3600")])
        : Self.kakao(request, pages: 3)
    }
    let failed = try search(server, "x", "--all")
    #expect(failed.status == .exited(1))
    #expect(failed.all("search.item").count == 2)
    let end = try #require(failed.all("search.end").first)
    #expect(end["reason"] == "failed")
    #expect(end.errorCode == "rate_limited")
    #expect(end["error"]?.objectValue?["http"] == 429)
    #expect(server.requests.count == 2)

    let other = try TestServer { request in
      request.number == 1
        ? .json("{}", status: 400) : Self.kakao(request, pages: 3)
    }
    let mended = try search(
      other, "x", "--scroll", "stdin", input: "more\nretry\nmore\nmore\nnonsense\n")
    // The failure of a page is not the end of the run.
    #expect(mended.all("stream.error").isEmpty)
    let faults = mended.all("search.failed")
    #expect(faults.map(\.errorCode) == ["invalid_request"])
    #expect(faults.first?["page"] == 2 && faults.first?.correlation == "s1:L1")
    #expect(mended.all("search.item").count == 4)
    #expect(mended.all("search.end").first?["reason"] == "end")
    #expect(mended.results.map { $0["ok"] } == [false])
    #expect(mended.status == .exited(1))
    #expect(other.requests.map { $0.query["page"] } == ["1", "2", "2", "3"])
  }

  @Test("a signal while a search waits for a line ends the search, then the run")
  func signal() throws {
    let server = try TestServer { Self.kakao($0, pages: 3) }
    let child = try sandbox.start(
      "search", "x", "--source", "kakao", "--kakao-url", server.url, "--kakao-key-file",
      try key(), "--scroll", "stdin", input: .pipe)
    var records = [try child.record("search.page")]
    child.signal(SIGTERM)
    records += try child.rest()
    #expect(child.wait() == .signaled(SIGTERM))
    #expect(records.suffix(2).map(\.type) == ["search.end", "stream.end"])
    let end = try #require(records.first { $0.type == "search.end" })
    #expect(end["reason"] == "signal")
    #expect(end["items"] == 2)
    #expect(end["error"] == nil)
  }

  @Test("without a key, with a refused or an unreadable one: exit code 4, and nothing is asked")
  func credentials() throws {
    let server = try TestServer { _ in
      .json("{\"errorType\":\"AccessDeniedError\",\"message\":\"bad THE-SECRET-KEY\"}", status: 401)
    }
    let none = try sandbox.run("search", "x", "--source", "kakao", "--kakao-url", server.url)
    #expect(none.status == .exited(4))
    #expect(none.all("search.end").first?.errorCode == "missing_key")
    #expect(none.end?["reason"] == "credentials")
    let missing = try search(server, "x", key: sandbox.path("no-such-file"))
    #expect(missing.status == .exited(4))
    #expect(missing.all("stream.error").first?.errorCode == "bad_key_file")
    let empty = try search(server, "x", key: try sandbox.file("empty", " \n"))
    #expect(empty.status == .exited(4))
    #expect(server.requests.isEmpty)
    let refused = try search(server, "x")
    #expect(refused.status == .exited(4))
    #expect(refused.all("search.end").first?.errorCode == "refused_key")
    #expect(!refused.errors.contains("THE-SECRET-KEY"))
    #expect(!refused.records.contains { $0.text.contains("THE-SECRET-KEY") })
  }

  @Test("keys from the service manager's folder, then from the environment; settings likewise")
  func otherKeys() throws {
    let server = try TestServer { Self.kakao($0, pages: 1) }
    try sandbox.file("kakao-key", "FROM-SYSTEMD")
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o400], ofItemAtPath: sandbox.path("kakao-key"))
    var environment = [
      "HOME": sandbox.folder.path, "FRESHET_KAKAO_KEY": "FROM-ENVIRONMENT",
      "FRESHET_KAKAO_URL": server.url,
    ]
    _ = try sandbox.run("search", "x", "--source", "kakao", environment: environment)
    environment["CREDENTIALS_DIRECTORY"] = sandbox.folder.path
    _ = try sandbox.run("search", "x", "--source", "kakao", environment: environment)
    environment["FRESHET_KAKAO_KEY_FILE"] = try key()
    _ = try sandbox.run("search", "x", "--source", "kakao", environment: environment)
    #expect(
      server.requests.map { $0.header("authorization") }
        == ["KakaoAK FROM-ENVIRONMENT", "KakaoAK FROM-SYSTEMD", "KakaoAK THE-SECRET-KEY"])
  }

  @Test("config show tells where a key comes from, and never the key")
  func config() throws {
    let file = try key()
    let run = try sandbox.run(
      "config", "show", "--origin",
      environment: [
        "HOME": sandbox.folder.path, "FRESHET_KAKAO_KEY_FILE": file,
        "FRESHET_TMDB_KEY": "ANOTHER-SECRET-KEY",
      ])
    func setting(_ name: String) -> [String?] {
      let record = run.all("config.setting").first { $0["name"]?.stringValue == name }
      return ["value", "origin", "place"].map { record?[$0]?.stringValue }
    }
    #expect(setting("kakao-key") == ["set", "environment", file])
    #expect(setting("tmdb-key") == ["set", "environment", "FRESHET_TMDB_KEY"])
    #expect(setting("google-key") == [nil, nil, nil])
    #expect(!run.records.contains { $0.text.contains("SECRET") })
  }

  @Test("a key file that others can read is warned of, and used")
  func readableKey() throws {
    let server = try TestServer { Self.kakao($0, pages: 1) }
    let file = try key(mode: 0o644)
    let child = try sandbox.start(
      "search", "x", "--source", "kakao", "--kakao-url", server.url, "--kakao-key-file", file)
    let records = try child.rest()
    #expect(child.wait() == .exited(0))
    #expect(records.contains { $0.type == "search.item" })
    #expect(child.errorText.contains("can be read by others"))
    #expect(!child.errorText.contains("THE-SECRET-KEY"))
  }

  @Test("a bad row is told with its reason; no match is an end")
  func rows() throws {
    let server = try TestServer { request in
      request.query["query"] == "none"
        ? .json("{\"documents\":[],\"meta\":{\"is_end\":true,\"total_count\":0}}")
        : .json(
          """
          {"documents":[{"contents":"no name"},{"title":"t","isbn":"9791190000017"}],
          "meta":{"is_end":true}}
          """)
    }
    let run = try search(server, "x")
    let page = try #require(run.all("search.page").first)
    #expect(page["rows"] == 2)
    #expect(page["count"] == 1)
    #expect(page["total"] == .null)
    #expect(
      page["dropped"]?.jsonText
        == #"[{"row":1,"code":"missing_id","#
        + #""reason":"the Kakao document has neither an ISBN nor a title"}]"#)
    let none = try search(server, "none")
    #expect(none.status == .exited(0))
    #expect(none.all("search.item").isEmpty)
    #expect(none.all("search.end").first?["reason"] == "end")
  }

  @Test("the other catalogues")
  func others() throws {
    let server = try TestServer { request in
      switch request.path {
      case "/volumes": .json("{\"totalItems\":1,\"items\":[{\"id\":\"aB\"}]}")
      case "/search/multi":
        .json(
          """
          {"page":1,"total_pages":1,"results":[{"id":7,"media_type":"tv","name":"S"},
          {"id":8,"media_type":"person","name":"P"}]}
          """)
      default: .json("{}", status: 404)
      }
    }
    let google = try search(server, "xy", "--country", "KR", source: "google")
    #expect(google.all("search.item").map(\.id) == ["book:google:aB"])
    #expect(server.requests[0].query["country"] == "KR")
    #expect(server.requests[0].header("x-goog-api-key") == "THE-SECRET-KEY")
    let tmdb = try search(server, "x", source: "tmdb")
    #expect(tmdb.all("search.item").map(\.id) == ["film:tmdb:tv:7"])
    #expect(server.requests[1].header("authorization") == "Bearer THE-SECRET-KEY")
  }

  /// TMDB's lists, three pages of one film each.
  private static func lists(_ request: TestRequest) -> TestAnswer {
    let page = Int(request.query["page"] ?? "") ?? 0
    guard request.path.hasPrefix("/trending/") || request.path.hasPrefix("/discover/") else {
      return .json("{}", status: 404)
    }
    return .json(
      """
      {"page":\(page),"total_pages":3,"total_results":3,
      "results":[{"id":\(page),"media_type":"movie","title":"F\(page)"}]}
      """)
  }

  private func list(_ server: TestServer, _ words: String...) throws -> Run {
    try sandbox.run(
      ["search", "--tmdb-url", server.url, "--tmdb-key-file", try key()] + words, bytes: nil)
  }

  @Test("TMDB's lists: what is trending, what there is to discover, page by page as a search")
  func lists() throws {
    let server = try TestServer(Self.lists)
    let trending = try list(server, "--trending", "week", "--all")
    #expect(trending.status == .exited(0))
    #expect(
      trending.all("search.item").compactMap(\.id) == (1...3).map { "film:tmdb:movie:\($0)" })
    let end = try #require(trending.all("search.end").first)
    #expect(end["reason"] == "end")
    #expect(end["query"] == "trending/all/week")
    #expect(end["list"] == "trending")
    #expect(end["source"] == "tmdb")
    _ = try list(server, "--trending=day", "--media", "tv", "--source", "tmdb")
    let discovered = try list(
      server, "--discover", "movie", "--where", "with_genres=18,35", "--where",
      "sort_by=popularity.desc", "--limit", "2")
    #expect(discovered.all("search.item").count == 2)
    #expect(
      discovered.all("search.page").first?["query"]
        == "discover/movie?sort_by=popularity.desc&with_genres=18,35")
    #expect(
      server.requests.dropFirst(2).map(\.target) == [
        "/trending/all/week?page=3", "/trending/tv/day?page=1",
        "/discover/movie?sort_by=popularity.desc&with_genres=18%2C35&page=1",
        "/discover/movie?sort_by=popularity.desc&with_genres=18%2C35&page=2",
      ])
  }

  @Test(
    "a list that TMDB would take for another, or that is none: exit 2, without a request",
    arguments: [
      (["x", "--trending", "week"], "exclude each other"),
      (["--trending", "week", "--discover", "movie"], "exclude each other"),
      (["--trending", "year"], "cannot be “year”"), (["--discover", "all"], "cannot be “all”"),
      (["--trending", "day", "--source", "kakao"], "only tmdb has lists"),
      (["--media", "tv", "x", "--source", "tmdb"], "--media needs --trending"),
      (["--trending", "day", "--where", "year=1999"], "--where needs --discover"),
      (["--discover", "movie", "--where", "with_genre=18"], "did you mean with_genres?"),
      (["--discover", "tv", "--where", "year=1999"], "would pass over it"),
      (["--discover", "movie", "--where", "year"], "is written NAME=VALUE"),
      (["--discover", "movie", "--where", "year=1", "--where", "year=2"], "given twice"),
      ([], "search needs a query, --trending or --discover"),
      (["x"], "search needs a source"),
    ])
  func badLists(words: [String], message: String) throws {
    let server = try TestServer(Self.lists)
    let run = try sandbox.run(
      ["search", "--tmdb-url", server.url, "--tmdb-key-file", try key()] + words, bytes: nil)
    #expect(run.status == .exited(2))
    let told = run.all("stream.error").first?["error"]?.objectValue?["message"]?.stringValue
    #expect(told?.contains(message) == true, "\(told ?? "-")")
    #expect(server.requests.isEmpty)
  }

  @Test("a script reads lists as it searches, in words and in JSON, and refuses the same")
  func scriptLists() throws {
    let server = try TestServer(Self.lists)
    let script = """
      search --trending week --media movie
      more
      {"op":"search","source":"tmdb","trending":"day"}
      {"op":"search","discover":"movie","where":{"with_genres":18,"include_adult":false}}
      search --discover movie --where with_genre=18
      {"op":"search","discover":"movie","where":{"sort":"x"}}
      {"op":"search","discover":"movie","where":[]}
      {"op":"search","query":"x","source":"tmdb","trending":"day"}
      search --trending day --source google
      """
    let run = try sandbox.run(
      ["run", "-f", "-", "--jobs", "1", "--tmdb-url", server.url, "--tmdb-key-file", try key()],
      bytes: Array(script.utf8))
    #expect(
      run.results.map { $0.errorCode ?? "ok" } == [
        "ok", "ok", "ok", "ok", "bad_value", "bad_value", "wrong_type", "bad_words",
        "bad_words",
      ])
    #expect(
      server.requests.map(\.target) == [
        "/trending/movie/week?page=1", "/trending/movie/week?page=2", "/trending/all/day?page=1",
        "/discover/movie?include_adult=false&with_genres=18&page=1",
      ])
    #expect(
      run.all("search.page").map { $0["list"] } == [
        "trending", "trending", "trending", "discover",
      ])
  }

  @Test("mistakes in the command line are exit code 2, without a request")
  func usage() throws {
    let server = try TestServer { _ in .json("{}") }
    #expect(try sandbox.run("search", "x").status == .exited(2))
    #expect(try search(server, "x", "--all", "--pages", "2").status == .exited(2))
    #expect(try search(server, "x", "--limit", "0").status == .exited(2))
    #expect(try search(server, "  ").status == .exited(2))
    #expect(try search(server, "x", "--kakao-url", "ftp://x").status == .exited(2))
    #expect(server.requests.isEmpty)
  }

  @Test("SIGINT during a request ends it: the server sees the close, the end is told")
  func interrupt() throws {
    let server = try TestServer { _ in TestAnswer([.hang]) }
    let child = try sandbox.start(
      "search", "x", "--source", "kakao", "--kakao-url", server.url, "--kakao-key-file", try key())
    try server.waitForRequests(1)
    child.signal(SIGINT)
    let records = try child.rest()
    #expect(child.wait() == .signaled(SIGINT))
    #expect(records.last?["reason"] == "signal")
    try server.waitForClose(of: 0)
  }
}
