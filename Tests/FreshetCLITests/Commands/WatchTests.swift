import Foundation
import FreshetStore
import Testing

@testable import FreshetCLI

@Suite("freshet watch")
struct WatchTests {
  private let sandbox: Sandbox

  init() throws {
    sandbox = try Sandbox()
    _ = try save(["book:local:1"])
  }

  @discardableResult
  private func save(_ ids: [String], title: String = "t") throws -> Run {
    let lines = ids.map { "{\"id\":\"\($0)\",\"title\":\"\(title)\"}" }
    return try sandbox.run("save", "-f", "-", input: lines.map { $0 + "\n" }.joined())
  }

  /// The records of one commit: up to the one with the cursor.
  private func commit(_ child: Child) throws -> [Record] {
    var records: [Record] = []
    while let record = try child.nextRecord() {
      records.append(record)
      if record.cursor != nil { break }
    }
    return records
  }

  @Test("the state first, closed by the initial bookmark, with the screen's own steps")
  func snapshot() throws {
    let run = try sandbox.run("watch", "downloads", "--initial", "only")
    #expect(
      run.records.map(\.type) == [
        "stream.hello", "snapshot.begin", "view.changed", "snapshot.item", "view.changed",
        "stream.bookmark", "stream.end",
      ])
    #expect(run.records[5]["initial"] == true)
    #expect(run.records[5].cursor != nil)
    let steps = run.all("view.changed").map { [$0["from"], $0["to"], $0["cause"]] }
    #expect(steps == [["idle", "loading", "appear"], ["loading", "loaded", "fetched"]])
  }

  @Test("a batch is one revision: i and n, the transition last, the cursor only there")
  func batch() throws {
    let child = try sandbox.start("watch", "downloads", "--heartbeat", "off")
    _ = try child.record("stream.bookmark")
    let script = """
      {"op":"begin"}
      {"op":"save","record":{"id":"book:local:2","title":"a"}}
      {"op":"save","record":{"id":"book:local:3","title":"b"}}
      {"op":"save","record":{"id":"book:local:1","title":"new"}}
      {"op":"delete","item":"book:local:2"}
      {"op":"commit"}
      """
    #expect(try sandbox.run("run", "-f", "-", input: script).status == .exited(0))
    let records = try commit(child)
    #expect(records.last?.type == "view.changed")
    #expect(Set(records.map(\.revision)) == [2])
    #expect(Set(records.map { $0.object["ts"] }).count == 1)
    #expect(
      records.map { $0.object["i"] }
        == records.indices.map { .number(JSONNumber(Int64($0))) })
    #expect(records.allSatisfy { $0.object["n"] == .number(JSONNumber(Int64(records.count))) })
    #expect(records.dropLast().allSatisfy { $0.cursor == nil && $0.type.hasPrefix("item.") })
    #expect(records.allSatisfy { $0.correlation == nil })
    let last = try #require(records.last)
    #expect(last["state"]?.objectValue?["count"] == 2)
    #expect(last["diff"]?.objectValue?["updated"] == ["book:local:1"])
    #expect(
      last["diff"]?.objectValue?["inserted"]?.arrayValue?.map { $0.objectValue?["id"] }
        == ["book:local:3"])
  }

  @Test("every kind of change has its event")
  func kinds() throws {
    let child = try sandbox.start("watch", "--heartbeat", "off")
    _ = try child.record("stream.bookmark")
    try save(["book:local:2"])
    try save(["book:local:2"], title: "other")
    _ = try sandbox.run("delete", "book:local:2")
    _ = try sandbox.run("restore", "book:local:2")
    _ = try sandbox.run("delete", "--all", "--yes")
    var types: [String] = []
    var states: [String] = []
    for _ in 0..<5 {
      let records = try commit(child)
      types += records.map(\.type).filter { $0 != "view.changed" }
      states += records.last?["to"]?.stringValue.map { [$0] } ?? []
    }
    #expect(
      types == [
        "item.added", "item.changed", "item.removed", "item.restored", "item.removed",
        "item.removed",
      ])
    #expect(states == ["loaded", "loaded", "loaded", "loaded", "empty"])
    child.signal(SIGTERM)
    #expect(try child.record("stream.end")["reason"] == "signal")
    #expect(child.wait() == .signaled(SIGTERM))
  }

  @Test("--since start tells everything kept, --since now only what follows")
  func since() throws {
    try save(["book:local:2"])
    let start = try sandbox.run("watch", "--since", "start", "--count", "2")
    #expect(start.all("item.added").map(\.id) == ["book:local:1", "book:local:2"])
    #expect(start.all("snapshot.begin").isEmpty)
    #expect(
      start.records.map(\.type).prefix(3) == ["stream.hello", "stream.bookmark", "item.added"])
    let child = try sandbox.start("watch", "--since", "now", "--count", "1", "--heartbeat", "off")
    _ = try child.record("stream.bookmark")
    try save(["book:local:3"])
    #expect(try child.record("item.added").id == "book:local:3")
    #expect(child.wait() == .exited(0))
  }

  @Test("a cursor means after: nothing twice, nothing missed")
  func cursor() throws {
    try save(["book:local:2"])
    try save(["book:local:3"])
    let all = try sandbox.run("watch", "--since", "start", "--count", "3")
    let cursors = all.records.filter { $0.type == "view.changed" }.compactMap(\.cursor)
    #expect(cursors.count == 3)
    let rest = try sandbox.run("watch", "--since", cursors[0], "--count", "2")
    #expect(rest.all("item.added").map(\.id) == ["book:local:2", "book:local:3"])
    let state = try sandbox.run("watch", "--since", cursors[1], "--initial", "only")
    #expect(state.items == ["book:local:1", "book:local:2"])
  }

  @Test("--count never cuts a commit")
  func countKeepsCommits() throws {
    try save(["book:local:2", "book:local:3", "book:local:4"])
    let run = try sandbox.run("watch", "--since", "start", "--count", "2")
    #expect(run.all("item.added").count == 4)
    #expect(run.records.dropLast().last?.cursor != nil)
    #expect(run.end?["reason"] == "count")
  }

  @Test("a time without a unit is refused, and the units are named")
  func units() throws {
    let run = try sandbox.run("watch", "--timeout", "200")
    #expect(run.status == .exited(2))
    #expect(run.errors.contains("ms, s, m or h"))
  }

  @Test("--timeout ends with exit 6")
  func timeout() throws {
    let run = try sandbox.run("watch", "--timeout", "300ms")
    #expect(run.status == .exited(6))
    #expect(run.end?["reason"] == "timeout")
  }

  @Test("a heartbeat is a bookmark, as often as it is asked for")
  func heartbeat() throws {
    let child = try sandbox.start("watch", "--heartbeat", "10ms")
    var bookmarks: [Record] = []
    while bookmarks.count < 4 { bookmarks.append(try child.record("stream.bookmark")) }
    child.signal(15)
    _ = try child.rest()
    #expect(child.wait() == .signaled(15))
    #expect(bookmarks.dropFirst().allSatisfy { $0["initial"] == false && $0.cursor != nil })
  }

  // MARK: Cursor files

  @Test("killed and restarted with its cursor file, it misses nothing")
  func killedAndRestarted() throws {
    let file = sandbox.path("cursor.json")
    let log = sandbox.path("log.ndjson")
    var wanted: [String] = []
    for round in 0..<3 {
      let child = try sandbox.start(
        "watch", "--since", "start", "--cursor-file", file, "--count", "1000",
        output: .file(log))
      for number in 0..<5 {
        let id = "book:local:\(round)-\(number)"
        wanted.append(id)
        try save([id])
      }
      // Until the file shows that something of this round has arrived.
      while !((try? String(contentsOfFile: log, encoding: .utf8))?.contains(":\(round)-0\"")
        ?? false)
      {
        sched_yield()
      }
      child.signal(9)
      #expect(child.wait() == .signaled(9))
    }
    try save(["book:local:last"])
    let finish = try sandbox.start(
      "watch", "--cursor-file", file, "--timeout", "20s", "--count", "1000", output: .file(log))
    while !((try? String(contentsOfFile: log, encoding: .utf8))?.contains(":last\"") ?? false) {
      sched_yield()
    }
    finish.signal(SIGTERM)
    _ = finish.wait()
    var seen: [String] = []
    for line in try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n") {
      // A line may be cut where its writer was killed.
      guard let record = try? Record(Array(line.utf8)), record.type == "item.added" else {
        continue
      }
      if let id = record.id, !seen.contains(id) { seen.append(id) }
    }
    #expect(seen == ["book:local:1"] + wanted + ["book:local:last"])
  }

  @Test("a missing cursor file is made, with the state first")
  func cursorFileMade() throws {
    let file = sandbox.path("cursor.json")
    let first = try sandbox.run("watch", "--cursor-file", file, "--initial", "only")
    #expect(first.items == ["book:local:1"])
    let text = try String(contentsOfFile: file, encoding: .utf8)
    #expect(text == "{\"cursor\":\"\(first.all("stream.bookmark")[0].cursor ?? "")\"}\n")
    try save(["book:local:2"])
    let second = try sandbox.run("watch", "--cursor-file", file, "--count", "1")
    #expect(second.items.isEmpty)
    #expect(second.records[1].type == "stream.bookmark")
    #expect(second.records[2].type == "item.added")
    #expect(second.all("item.added").map(\.id) == ["book:local:2"])
  }

  @Test(
    "an empty or damaged cursor file is exit 2 with its name",
    arguments: ["", "{}", "{\"cursor\":7}", "nonsense", "{\"cursor\":\"c1.x-1.5.00000000\"}"])
  func badCursorFile(_ text: String) throws {
    let file = try sandbox.file("cursor.json", text)
    let run = try sandbox.run("watch", "--cursor-file", file)
    #expect(run.status == .exited(2))
    #expect(run.all("stream.error").map(\.errorCode) == ["bad_cursor_file"])
    #expect(run.errors.contains(file))
    #expect(try String(contentsOfFile: file, encoding: .utf8) == text)
  }

  @Test("a cursor file is a file: a pipe is refused, and not read")
  func cursorPipe() throws {
    let pipe = sandbox.path("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    let run = try sandbox.run("watch", "--cursor-file", pipe)
    #expect(run.status == .exited(2))
    #expect(run.all("stream.error").map(\.errorCode) == ["bad_cursor_file"])
  }

  @Test("a cursor of another store: a reset and a new snapshot, or exit 3 under --strict")
  func otherStore() throws {
    let other = try Sandbox()
    _ = try other.run("save", "-f", "-", input: "{\"id\":\"book:local:x\"}")
    let cursor = try #require(try other.run("list").all("stream.bookmark")[0].cursor)
    let run = try sandbox.run("watch", "--since", cursor, "--initial", "only")
    #expect(run.all("stream.reset").map { $0["reason"] } == ["different_store"])
    #expect(run.items == ["book:local:1"])
    #expect(run.errors.contains("follow from there. A new snapshot follows."))
    let strict = try sandbox.run("watch", "--since", cursor, "--strict")
    #expect(strict.status == .exited(3))
    #expect(strict.all("stream.error").map(\.errorCode) == ["different_store"])
  }

  @Test("a cursor of a commit that never was: the same")
  func future() throws {
    let store = try #require(try sandbox.run("list").records[0]["store"]?.stringValue)
    let cursor = Cursor(
      token: Token(storeID: store, epoch: 1, revision: 1000), filter: Cursor.Filter())
    let run = try sandbox.run("watch", "--since", cursor.text, "--initial", "only")
    #expect(run.all("stream.reset").map { $0["reason"] } == ["diverged"])
    #expect(try sandbox.run("watch", "--since", cursor.text, "--strict").status == .exited(3))
  }

  @Test("a cursor of another filter, or what is no cursor, is exit 2")
  func otherFilter() throws {
    let books = try #require(
      try sandbox.run("list", "--kind", "book").all("stream.bookmark")[0].cursor)
    let run = try sandbox.run("watch", "--since", books)
    #expect(run.status == .exited(2))
    #expect(run.all("stream.error").map(\.errorCode) == ["filter_mismatch"])
    #expect(try sandbox.run("watch", "--since", "yesterday").status == .exited(2))
    var damaged = books
    damaged.removeLast()
    damaged.append(books.last == "0" ? "1" : "0")
    let bad = try sandbox.run("watch", "--since", damaged)
    #expect(bad.status == .exited(2))
    #expect(bad.errors.contains("is damaged"))
    #expect(try sandbox.run("watch", "shelf").status == .exited(2))
  }

  // MARK: Readers

  @Test("a reader that stops reading lags, and misses nothing")
  func slowReader() throws {
    let child = try sandbox.start("watch", "--since", "now", "--heartbeat", "off")
    _ = try child.record("stream.bookmark")
    let padding = String(repeating: "x", count: 500)
    for round in 0..<10 {
      try save((0..<200).map { "book:local:\(round)-\($0)" }, title: padding)
    }
    var ids: [String] = []
    while ids.count < 2000, let record = try child.nextRecord() {
      if record.type == "item.added", let id = record.id { ids.append(id) }
    }
    #expect(ids == (0..<10).flatMap { round in (0..<200).map { "book:local:\(round)-\($0)" } })
  }

  @Test("a commit of thousands of items is one revision, whole and in order")
  func largeCommit() throws {
    let ids = (0..<5000).map { "book:local:n\($0)" }
    let script = ids.map { "save '{\"id\":\"\($0)\"}'\n" }.joined()
    #expect(try sandbox.run("run", "--atomic", "-f", "-", input: script).status == .exited(0))
    let run = try sandbox.run("watch", "--since", "start", "--count", "2")
    let commit = run.records.filter { $0.revision == 2 }
    #expect(commit.filter { $0.type == "item.added" }.map(\.id) == ids)
    #expect(commit.filter { $0.cursor != nil }.count == 1)
    #expect(commit.last?.type == "view.changed")
    #expect(commit.last?.cursor != nil)
    #expect(commit.last?.object["i"] == 5000)
    #expect(commit.last?.object["n"] == 5001)
  }

  @Test("a reader that dies while nothing happens ends it quietly with 141")
  func readerDies() throws {
    let child = try sandbox.start("watch", "--heartbeat", "off")
    _ = try child.record("stream.bookmark")
    child.closeOutput()
    #expect(child.wait() == .exited(141))
    #expect(child.errorText.isEmpty)
  }

  @Test(
    "each signal is answered with stream.end and then obeyed", arguments: [SIGINT, SIGTERM, SIGHUP])
  func signals(_ number: Int32) throws {
    let child = try sandbox.start("watch", "--heartbeat", "off")
    _ = try child.record("stream.bookmark")
    child.signal(number)
    let end = try child.record("stream.end")
    #expect(end["reason"] == "signal")
    #expect(end["signal"] == .number(JSONNumber(Int64(number))))
    #expect(child.wait() == .signaled(number))
    #expect(child.errorText.isEmpty)
  }
}
