import Foundation
import FreshetStore
import FreshetTestServer
import Testing

@Suite("freshet run: jobs, order, waiting, following")
struct RunJobsTests {
  private let sandbox: Sandbox
  private let servers = Servers()

  init() throws { sandbox = try Sandbox() }

  /// Keeps servers as long as the test runs.
  private final class Servers { var all: [TestServer] = [] }

  private static let picture: [UInt8] =
    [0xFF, 0xD8, 0xFF, 0xE0] + (4..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }

  /// A TMDB; the pictures of these films wait for their gate after a thousand bytes.
  private func tmdb(_ gates: [Int: TestGate] = [:]) throws -> TestServer {
    let server = try TestServer { request in
      let last = request.path.split(separator: "/").last.map(String.init) ?? ""
      if request.path == "/search/multi" {
        return .json(
          "{\"page\":1,\"total_pages\":1,\"results\":"
            + "[{\"id\":7,\"media_type\":\"movie\",\"title\":\"F\"}]}")
      }
      if request.path.hasPrefix("/movie/") {
        return last == "404"
          ? .json("{}", status: 404)
          : .json("{\"id\":\(last),\"title\":\"F\",\"poster_path\":\"/\(last).jpg\"}")
      }
      guard let number = Int(last.dropLast(4)) else { return .json("{}", status: 404) }
      return .file(Self.picture, for: request, hold: gates[number].map { (1000, $0) })
    }
    servers.all.append(server)
    return server
  }

  private func words(_ server: TestServer, _ options: [String]) throws -> [String] {
    let key = try sandbox.file("key", "THE-KEY")
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
    return ["run", "-f", "-", "--tmdb-url", server.url, "--tmdb-image-url", server.url]
      + ["--tmdb-key-file", key] + options
  }

  private func start(_ server: TestServer, _ script: String, _ options: String...) throws -> Child {
    let child = try Child(
      try words(server, options),
      environment: ["FRESHET_STORE": sandbox.store, "HOME": sandbox.folder.path], input: .pipe)
    child.send(script)
    return child
  }

  private func run(_ script: String, _ options: String...) throws -> Run {
    try sandbox.run(["run", "-f", "-"] + options, bytes: Array(script.utf8))
  }

  private func lines(_ records: [Record]) -> [String] {
    records.filter { $0.type == "cmd.result" }.map {
      "\($0["line"]?.jsonText ?? "") \($0.errorCode ?? $0["outcome"]?.stringValue ?? "ok")"
    }
  }

  // MARK: Jobs

  @Test("downloads run beside each other; what is done first is told first")
  func completionOrder() throws {
    let gate = TestGate()
    let child = try start(
      try tmdb([1: gate]), "download film:tmdb:movie:1\ndownload film:tmdb:movie:2\n")
    #expect(try child.record("cmd.result").id == "film:tmdb:movie:2")
    gate.open()
    #expect(try child.record("cmd.result").id == "film:tmdb:movie:1")
    child.closeInput()
    #expect(child.wait() == .exited(0))
  }

  @Test("--ordered holds results back, and nothing else")
  func ordered() throws {
    let gate = TestGate()
    let child = try start(
      try tmdb([1: gate]),
      "download film:tmdb:movie:1\ndownload film:tmdb:movie:2\ndelete book:local:1\n", "--ordered")
    var records: [Record] = []
    while let record = try child.nextRecord() {
      records.append(record)
      if record.id == "film:tmdb:movie:2", record["done"] == 20_000 { break }
    }
    #expect(lines(records).isEmpty)
    gate.open()
    child.closeInput()
    #expect(lines(try child.rest()) == ["1 saved", "2 saved", "3 not_found"])
    #expect(child.wait() == .exited(0))
  }

  @Test("a line is taken when a slot is free, not before")
  func slots() throws {
    let gate = TestGate()
    let server = try tmdb([1: gate])
    let child = try start(
      server, "download film:tmdb:movie:1\nsave '{\"id\":\"book:local:1\"}'\n", "--jobs", "1")
    try server.waitForRequests(2)
    gate.open()
    child.closeInput()
    #expect(lines(try child.rest()) == ["1 saved", "2 saved"])
    #expect(child.wait() == .exited(0))
    let many = (10..<16).map { "download film:tmdb:movie:\($0)\n" }.joined()
    let second = try tmdb()
    let other = try start(second, many, "--jobs", "2")
    other.closeInput()
    #expect(lines(try other.rest()).count == 6)
    #expect(second.mostAtOnce <= 2)
  }

  @Test("commands on one item keep the order of their lines; a list waits for all")
  func itemOrder() throws {
    let gate = TestGate()
    let server = try tmdb([1: gate])
    let child = try start(
      server,
      "download film:tmdb:movie:1\nsearch f --source tmdb\ndelete film:tmdb:movie:1\n"
        + "download film:tmdb:movie:2\nlist\n")
    // The delete waits, and what comes after it too; what came before it does not.
    #expect(try child.record("search.end").correlation == "s1:L2")
    gate.open()
    child.closeInput()
    let rest = try child.rest()
    #expect(
      lines(rest).filter { !$0.hasPrefix("2") } == [
        "1 saved", "3 deleted", "4 saved", "5 ok",
      ])
    #expect(rest.filter { $0.type == "snapshot.item" }.compactMap(\.id) == ["film:tmdb:movie:2"])
    #expect(child.wait() == .exited(0))
  }

  @Test("--fail-fast takes no more lines, and answers those it has taken")
  func failFast() throws {
    let gate = TestGate()
    let server = try tmdb([1: gate])
    let child = try start(
      server, "download film:tmdb:movie:1\ndownload film:tmdb:movie:404\nnonsense\n", "--fail-fast",
      "--jobs", "2")
    #expect(try child.record("cmd.result").errorCode == "not_found")
    gate.open()
    child.closeInput()
    #expect(lines(try child.rest()) == ["1 saved"])
    #expect(child.wait() == .exited(1))
  }

  @Test("a signal: open commands are answered canceled, what came of a picture stays")
  func interrupt() throws {
    let gate = TestGate()
    let server = try tmdb([1: gate, 2: gate])
    let child = try start(
      server,
      "download film:tmdb:movie:1\ndownload film:tmdb:movie:2\ndownload film:tmdb:movie:3\n"
        + "begin\ndelete book:local:1\n", "--ordered")
    var begun: Set<String> = []
    while begun.count < 2, let record = try child.nextRecord() {
      let bytes = record["done"]?.numberValue?.int64 ?? 0
      if record.type == "download.progress", bytes == 1000 { begun.insert(record.id ?? "") }
    }
    child.signal(SIGINT)
    let rest = try child.rest()
    #expect(
      lines(rest) == ["1 canceled", "2 canceled", "3 saved", "4 ok", "5 rolled_back"]
        || lines(rest) == ["1 canceled", "2 canceled", "3 canceled", "4 ok", "5 rolled_back"])
    #expect(rest.last?["reason"] == "signal")
    #expect(child.wait() == .signaled(SIGINT))
    let assets = try FileManager.default.contentsOfDirectory(atPath: sandbox.store + "/assets")
    #expect(assets.filter { $0.contains(".part") }.count >= 2, "\(assets)")
    gate.open()
  }

  @Test("a key that cannot be read costs its line, not the run: exit 4, every line answered")
  func noKey() throws {
    let result = try run(
      "save '{\"id\":\"book:local:1\"}'\ndownload film:tmdb:movie:1\n"
        + "search x --source kakao\nsave '{\"id\":\"book:local:2\"}'\n", "--tmdb-key-file",
      "/no/such")
    #expect(result.results.map { $0["ok"] } == [true, false, false, true])
    #expect(result.status == .exited(4))
    #expect(try sandbox.run("list").items == ["book:local:1", "book:local:2"])
  }

  // MARK: Waiting

  @Test("wait goes on when its command is done, and says how that ended")
  func wait() throws {
    let gate = TestGate()
    let server = try tmdb([1: gate])
    let child = try start(
      server,
      "{\"op\":\"download\",\"id\":\"a\",\"item\":\"film:tmdb:movie:1\"}\n"
        + "{\"op\":\"download\",\"id\":\"b\",\"item\":\"film:tmdb:movie:404\"}\n"
        + "{\"op\":\"wait\",\"id\":\"b\"}\nwait a\nwait\nwait zzz\ndelete book:local:1\n")
    #expect(try child.record("cmd.result").correlation == "s1:b")
    let second = try child.record("cmd.result")
    #expect(second.errorCode == "wait_failed")
    #expect(second.correlation == "s1:L3")
    gate.open()
    child.closeInput()
    #expect(
      lines(try child.rest()) == ["1 saved", "4 ok", "5 ok", "6 unknown_id", "7 not_found"])
    #expect(child.wait() == .exited(2))
  }

  @Test("a wait that would never end is refused")
  func endlessWait() throws {
    let result = try run(
      "{\"op\":\"watch\",\"id\":\"w\"}\nwait w\nbegin t\n"
        + "{\"op\":\"delete\",\"id\":\"d\",\"item\":\"book:local:1\"}\nwait d\ncommit t\n")
    #expect(
      lines(result.records) == [
        "2 endless_wait", "3 ok", "5 endless_wait", "4 rolled_back", "6 rolled_back", "1 ok",
      ])
    #expect(result.status == .exited(5))
  }

  // MARK: Following

  @Test("a view that is followed tells the script's own commits, and ends with the script")
  func watch() throws {
    let result = try run(
      "{\"op\":\"watch\",\"id\":\"w\",\"view\":\"downloads\"}\nsave '{\"id\":\"book:local:1\"}'\nwait\n"
        + "watch downloads --since start --count 1\nwait\ndelete book:local:1\n")
    let seen = result.records.filter { $0.correlation == "s1:w" }
    #expect(
      seen.map(\.type).filter { $0.hasPrefix("item") } == ["item.added", "item.removed"])
    #expect(seen.last?.type == "cmd.result")
    #expect(seen.last?["reason"] == "input_end")
    let bounded = result.records.filter { $0.correlation == "s1:L4" }
    #expect(bounded.last?["reason"] == "count")
    #expect(result.status == .exited(0))
  }

  @Test(
    "a follower in a script is refused what only a command can do",
    arguments: [
      "watch downloads --store x", "watch nonsense", "watch search x --source tmdb --scroll stdin",
      "{\"op\":\"watch\",\"count\":true}", "{\"op\":\"watch\",\"cuont\":1}",
      "{\"op\":\"watch\",\"strict\":3}", "watch --count", "watch --help", "watch --count 0",
    ])
  func badWatch(_ line: String) throws {
    let result = try run(line + "\n")
    #expect(result.results.count == 1)
    #expect(result.results.first?["ok"] == false)
    #expect(result.status == .exited(2))
  }

  @Test("--ordered does not wait for a view that is followed to the end")
  func orderedWatch() throws {
    let script = "watch\n" + (1...6000).map { "delete book:x:\($0)\n" }.joined()
    let result = try run(script, "--ordered")
    #expect(result.results.map { $0["line"] } == ((2...6001) + [1]).map { .number(.init($0)) })
    #expect(result.status == .exited(0))
  }

  @Test("a journal that cannot be written any more ends the run; what was done is told")
  func brokenJournal() throws {
    let tool = try #require(Tool("sh"))
    let filler = String(repeating: "x", count: 200)
    let commands = (1...3000).map { number in
      "{\"op\":\"delete\",\"id\":\"\(filler)\(number)\",\"item\":\"book:x:\(number)\"}\n"
    }
    let script = try sandbox.file("script", commands.joined())
    let answer = try tool.run(
      "-c", "ulimit -f 200; exec \"$@\"", "sh", Child.executable, "run", "-f", script, "--journal",
      sandbox.path("journal"), "--store", sandbox.store, "--format", "ndjson")
    let records = try answer.output.split(separator: "\n").map { try Record(Array($0.utf8)) }
    #expect(answer.status == 74)
    #expect(records.first { $0.type == "stream.error" }?.errorCode == "disk_full")
    let done = lines(records).filter { $0.hasSuffix(" not_found") }
    #expect(!done.isEmpty)
    // The torn line is cut off, and the rest goes in.
    let again = try sandbox.run(
      ["run", "-f", script, "--journal", sandbox.path("journal")], bytes: nil)
    #expect(again.status == .exited(0))
    #expect(again.results.count == 3000)
    #expect(again.results.count { $0["status"] == "replayed" } == done.count)
  }

  @Test("a script follows only so many views")
  func manyWatches() throws {
    let result = try run(String(repeating: "watch\n", count: 18))
    #expect(result.results.count == 18)
    #expect(result.results.filter { $0.errorCode == "too_many" }.count == 2)
  }

  // MARK: Commits

  @Test("lines that are there already share commits; each is told, durable, in its order")
  func groupCommit() throws {
    let script = (1...2000).map { number in
      number % 100 == 0 ? "nonsense\n" : "save '{\"id\":\"book:local:\(number)\"}'\n"
    }
    let result = try run(script.joined())
    #expect(result.results.map { $0["line"] } == (1...2000).map { JSONValue.number(.init($0)) })
    #expect(Set(result.results.compactMap(\.revision)).count < 20)
    #expect(result.all("cmd.result").filter { $0["outcome"] == "saved" }.count == 1980)
    #expect(try sandbox.run("list").items.count == 1980)
    let careful = try run(
      "save '{\"id\":\"book:x:1\"}'\nrestore book:x:9\nsave '{\"id\":\"book:x:2\"}'\n",
      "--fail-fast")
    #expect(lines(careful.records) == ["1 saved", "2 not_found"])
  }

  @Test("an id that is the name of another line is refused")
  func reservedIDs() throws {
    let result = try run(
      "{\"op\":\"delete\",\"id\":\"L7\",\"item\":\"book:local:1\"}\n"
        + "{\"op\":\"delete\",\"id\":\"L2\",\"item\":\"book:local:1\"}\n"
        + "{\"op\":\"delete\",\"id\":\"\",\"item\":\"book:local:1\"}\n")
    #expect(lines(result.records) == ["1 bad_value", "2 not_found", "3 bad_value"])
  }
}
