import Foundation
import FreshetStore
import Testing

/// Several views in one stream, filters, types and bounds.
@Suite("freshet watch: views and filters")
struct WatchViewsTests {
  private let sandbox: Sandbox

  init() throws {
    sandbox = try Sandbox()
    let items = [
      #"{"id":"book:kakao:1","title":"one","authors":["kim","lee"],"price":100}"#,
      #"{"id":"film:tmdb:movie:1","title":"Dune","vote_average":8.0}"#,
      #"{"id":"book:google:2","title":"two","isbn":{"isbn13":"9"},"oddity":{"x":true}}"#,
    ]
    // One commit.
    let script = items.map { "save '\($0)'" }.joined(separator: "\n")
    _ = try sandbox.run("run", "--atomic", "-f", "-", input: script)
  }

  private func save(_ id: String, title: String = "new") throws {
    _ = try sandbox.run("save", "-f", "-", input: "{\"id\":\"\(id)\",\"title\":\"\(title)\"}")
  }

  private func view(_ record: Record) -> String? { record.object["view"]?.stringValue }

  @Test("a commit is told once, for all views, with one revision and one cursor")
  func oneCommit() throws {
    let run = try sandbox.run(
      "watch", "saved", "detail", "book:kakao:1", "downloads", "saved", "--since", "start",
      "--until-idle", "50ms")
    #expect(run.end?["reason"] == "idle")
    let commit = run.records.filter { $0.revision == 1 }
    #expect(
      commit.map { "\(view($0) ?? "") \($0.type) \($0.id ?? "")" } == [
        "downloads item.added book:kakao:1", "downloads item.added film:tmdb:movie:1",
        "downloads item.added book:google:2", "saved item.added book:kakao:1",
        "saved item.added book:google:2", "downloads view.changed ", "saved view.changed ",
        "detail view.changed ",
      ])
    // Three changes for each of two views that hold items, then three transitions.
    #expect(
      commit.map { $0.object["i"]?.numberValue?.int64 } == [0, 1, 2, 3, 5, 6, 7, 8])
    #expect(commit.allSatisfy { $0.object["n"] == 9 })
    #expect(commit.map { $0.cursor != nil } == [Bool](repeating: false, count: 7) + [true])
  }

  @Test("the states come view by view, closed by one bookmark for all")
  func states() throws {
    let run = try sandbox.run("watch", "downloads", "saved", "--initial", "only")
    let frame = run.records.filter { ["snapshot.begin", "stream.bookmark"].contains($0.type) }
    #expect(frame.map(view) == ["downloads", "saved", nil])
    #expect(
      run.items == [
        "book:kakao:1", "film:tmdb:movie:1", "book:google:2", "book:kakao:1", "book:google:2",
      ])
    #expect(run.all("snapshot.begin").map { $0["count"] } == [3, 2])
  }

  @Test("a commit that touches one view alone is told for it alone")
  func untouchedViews() throws {
    let child = try sandbox.start("watch", "saved", "detail", "book:kakao:1", "--heartbeat", "off")
    _ = try child.record("stream.bookmark")
    try save("film:tmdb:movie:9")
    try save("book:kakao:1", title: "renamed")
    #expect(try child.record("item.changed").revision == 3)
    #expect(try child.record("view.changed").object["view"] == "saved")
    let last = try child.record("view.changed")
    #expect(last.object["view"] == "detail")
    #expect(last.cursor != nil)
    child.signal(SIGTERM)
    _ = child.wait()
  }

  // MARK: Filters

  private func added(_ options: String...) throws -> [String] {
    let run = try sandbox.run(
      ["watch", "--since", "start", "--until-idle", "50ms"] + options, bytes: nil)
    #expect(run.status == .exited(0))
    return run.all("item.added").compactMap(\.id)
  }

  @Test("keys are fields of the item, the view, or paths in the record; values may have stars")
  func keys() throws {
    #expect(try added("--filter", "kind=book") == ["book:kakao:1", "book:google:2"])
    #expect(try added("--filter", "authors=lee") == ["book:kakao:1"])
    #expect(try added("--filter", "isbn.isbn13=9") == ["book:google:2"])
    #expect(try added("--filter", "extra.oddity.x=true") == ["book:google:2"])
    #expect(try added("--filter", "vote_average=8") == ["film:tmdb:movie:1"])
    #expect(try added("--filter", "price=1*") == ["book:kakao:1"])
    #expect(try added("--filter", "id=book:*:*") == ["book:kakao:1", "book:google:2"])
    #expect(try added("--filter", "data.item.title=D*e") == ["film:tmdb:movie:1"])
    #expect(try added("--filter", "isbn=*") == ["book:google:2"])
    #expect(try added("--filter", "view=saved").isEmpty)
  }

  @Test("one key repeated is or, different keys are and")
  func combination() throws {
    #expect(
      try added("--filter", "source=kakao", "--filter", "source=tmdb")
        == ["book:kakao:1", "film:tmdb:movie:1"])
    #expect(
      try added("--filter", "source=kakao", "--filter", "source=tmdb", "--filter", "kind=book")
        == ["book:kakao:1"])
  }

  @Test("i and n are counted before the filter, the cursor is on the last that is told")
  func countedBefore() throws {
    let run = try sandbox.run(
      "watch", "--since", "start", "--until-idle", "50ms", "--filter", "source=tmdb")
    let told = run.records.filter { $0.revision == 1 }
    #expect(told.map(\.type) == ["item.added"])
    #expect(told.first?.object["i"] == 1)
    #expect(told.first?.object["n"] == 4)
    #expect(told.first?.cursor != nil)
  }

  @Test("a filter on a transition's data tells transitions")
  func transitions() throws {
    let run = try sandbox.run(
      "watch", "--since", "start", "--until-idle", "50ms", "--filter", "data.to=loaded")
    #expect(run.records.map(\.type).filter { !$0.hasPrefix("stream.") } == ["view.changed"])
  }

  @Test("--type takes types and a star at the end, and a snapshot obeys it")
  func types() throws {
    let run = try sandbox.run(
      "watch", "--type", "snapshot.item", "--type", "item.*", "--initial", "only")
    #expect(run.all("view.changed").isEmpty)
    #expect(run.items.count == 3)
    let none = try sandbox.run("watch", "--type", "item.removed", "--initial", "only")
    #expect(
      none.records.map(\.type) == [
        "stream.hello", "snapshot.begin", "stream.bookmark", "stream.end",
      ])
    #expect(none.all("snapshot.begin").map { $0["count"] } == [3])
  }

  @Test("--count counts what is told")
  func countsTold() throws {
    let run = try sandbox.run(
      "watch", "--since", "start", "--filter", "source=google", "--count", "1")
    #expect(run.all("item.added").map(\.id) == ["book:google:2"])
    #expect(run.end?["reason"] == "count")
    let steps = try sandbox.run("watch", "--since", "start", "--type", "view.*", "--count", "1")
    #expect(steps.all("view.changed").count == 1)
  }

  @Test("a cursor fits the same views, filters and types, in whatever order they are written")
  func cursorsFit() throws {
    let run = try sandbox.run(
      "watch", "saved", "downloads", "--filter", "source=kakao", "--filter", "kind=book", "--type",
      "item.*", "--since", "start", "--count", "1")
    let cursor = try #require(run.records.compactMap(\.cursor).last)
    let same = try sandbox.run(
      "watch", "downloads", "saved", "downloads", "--type", "item.*", "--filter", "kind=book",
      "--filter", "source=kakao", "--since", cursor, "--until-idle", "20ms")
    #expect(same.status == .exited(0))
    for other in [
      ["downloads"], ["downloads", "saved"],
      ["downloads", "saved", "--type", "item.*", "--filter", "kind=book"],
      ["downloads", "saved", "--filter", "kind=book", "--filter", "source=kakao"],
    ] {
      let run = try sandbox.run(["watch"] + other + ["--since", cursor], bytes: nil)
      #expect(run.status == .exited(2))
      #expect(run.all("stream.error").map(\.errorCode) == ["filter_mismatch"])
    }
  }

  @Test("hello's cursor is one of the stream, and list's of a kind fits the filter of that kind")
  func otherCursors() throws {
    let hello = try sandbox.run("watch", "saved", "--filter", "kind=book", "--initial", "only")
    let oldest = try #require(hello.records[0]["oldest"]?.stringValue)
    let run = try sandbox.run(
      "watch", "saved", "--filter", "kind=book", "--since", oldest, "--count", "1")
    #expect(run.all("item.added").count == 2)
    let list = try sandbox.run("list", "--kind", "film")
    let cursor = try #require(list.all("stream.bookmark").first?.cursor)
    try save("film:tmdb:movie:2")
    let films = try sandbox.run("watch", "--filter", "kind=film", "--since", cursor, "--count", "1")
    #expect(films.all("item.added").map(\.id) == ["film:tmdb:movie:2"])
  }

  @Test("what a filter keeps back moves the heartbeat's place, and the cursor file's")
  func keptBack() throws {
    let file = sandbox.path("cursor.json")
    let child = try sandbox.start(
      "watch", "--filter", "kind=film", "--since", "now", "--heartbeat", "20ms", "--cursor-file",
      file)
    _ = try child.record("stream.bookmark")
    try save("book:local:1")
    var bookmark = try child.record("stream.bookmark")
    while bookmark.revision != 2 { bookmark = try child.record("stream.bookmark") }
    child.signal(SIGTERM)
    #expect(child.wait() == .signaled(SIGTERM))
    let text = try String(contentsOfFile: file, encoding: .utf8)
    #expect(text == "{\"cursor\":\"\(bookmark.cursor ?? "")\"}\n")
  }

  @Test("a commit of thousands is filtered before it is told, with the cursor on its last event")
  func largeCommit() throws {
    let lines = (0..<2000).map { "save '{\"id\":\"book:local:\($0)\",\"price\":\($0)}'" }
    _ = try sandbox.run(
      "run", "--atomic", "-f", "-", input: lines.joined(separator: "\n"))
    let run = try sandbox.run(
      "watch", "--since", "start", "--filter", "price=*7", "--until-idle", "50ms")
    let commit = run.records.filter { $0.revision == 2 }
    #expect(commit.count == 200)
    #expect(commit.filter { $0.cursor != nil }.map(\.id) == ["book:local:1997"])
    #expect(commit.last?.object["i"] == 1997)
  }

  // MARK: Bounds and refusals

  @Test("--until-idle reads all there is, then waits for silence")
  func untilIdle() throws {
    // Heartbeats are no news: they would put the end off for ever.
    let run = try sandbox.run(
      "watch", "--until-idle", "30ms", "--heartbeat", "5ms", "--timeout", "20s")
    #expect(run.end?["reason"] == "idle")
    #expect(run.status == .exited(0))
    #expect(try sandbox.run("watch", "--until-idle", "soon").status == .exited(2))
  }

  @Test(
    "what makes no sense is exit 2 and names what is near",
    arguments: [
      (["--filter", "knd=book"], "did you mean kind?"), (["--filter", "kind"], "KEY=VALUE"),
      (["--filter", "=x"], "KEY=VALUE"), (["--filter", "isbn..x=1"], "isbn..x"),
      (["--filter", "colour=red"], "begins with data."), (["--type", "item.aded"], "item.added"),
      (["--type", "nothing.*"], "item.*"), (["dwnloads"], "did you mean downloads?"),
      (["saved", "detail"], "detail needs an ID"), (["detail", "saved"], "saved"),
      (["saved", "search"], "alone"), (["saved", "--grade", "1"], "watch guidance"),
      (["saved", "--source", "tmdb"], "watch search"),
    ])
  func refused(_ words: [String], _ said: String) throws {
    let run = try sandbox.run(["watch"] + words, bytes: nil)
    #expect(run.status == .exited(2))
    #expect(run.errors.contains(said), "\(run.errors)")
    #expect(run.errors.split(separator: "\n").count == 1)
  }
}
