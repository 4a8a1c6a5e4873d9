import Foundation
import FreshetStore
import FreshetTestServer
import Testing

/// What users of other tools complained about, as far as it concerns scripts.
@Suite("freshet run: what went wrong elsewhere")
struct RunCaseTests {
  private let sandbox: Sandbox
  private let servers = Servers()

  /// Keeps servers as long as the test runs.
  private final class Servers { var all: [TestServer] = [] }

  init() throws { sandbox = try Sandbox() }

  private func server(_ answer: @escaping @Sendable (TestRequest) -> TestAnswer) throws
    -> TestServer
  {
    let server = try TestServer(answer)
    servers.all.append(server)
    return server
  }

  private static let picture: [UInt8] =
    [0xFF, 0xD8, 0xFF, 0xE0] + [UInt8](repeating: 1, count: 19_996)

  /// Films with pictures, and searches of 20 long rows.
  private static func tmdb(_ request: TestRequest) -> TestAnswer {
    let last = request.path.split(separator: "/").last.map(String.init) ?? ""
    if request.path.hasPrefix("/movie/") {
      return .json("{\"id\":\(last),\"title\":\"F\",\"poster_path\":\"/\(last).jpg\"}")
    }
    if request.path.hasPrefix("/search/") {
      let text = String(repeating: "밤", count: 3000)
      let rows = (1...20).map {
        "{\"id\":\($0),\"media_type\":\"movie\",\"title\":\"F\",\"overview\":\"\(text)\"}"
      }
      return .json(
        "{\"page\":1,\"total_pages\":1,\"results\":[\(rows.joined(separator: ","))]}")
    }
    return .file(picture, for: request)
  }

  private func start(_ server: TestServer, _ options: String..., key: String = "K") throws -> Child
  {
    let file = try sandbox.file("key", key)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
    return try Child(
      ["run", "-f", "-", "--tmdb-url", server.url, "--tmdb-image-url", server.url]
        + ["--tmdb-key-file", file] + options,
      environment: ["FRESHET_STORE": sandbox.store, "HOME": sandbox.folder.path], input: .pipe)
  }

  private func run(_ script: String, _ options: String...) throws -> Run {
    try sandbox.run(["run", "-f", "-"] + options, bytes: Array(script.utf8))
  }

  @Test("cli-16: answers come whole through a pipe while the script waits; a signal loses none")
  func flush() throws {
    let child = try sandbox.start("run", "-f", "-", input: .pipe)
    for number in 1...5 {
      child.send("save '{\"id\":\"book:x:\(number)\"}'\n")
      #expect(try child.record("cmd.result").id == "book:x:\(number)")
    }
    child.send("delete book:x:1\ndelete book:x:2\n")
    _ = try child.record("cmd.result")
    child.signal(SIGTERM)
    #expect(try child.rest().last?.type == "stream.end")
    #expect(child.wait() == .signaled(SIGTERM))
  }

  @Test("cli-17: records of jobs that run beside each other are never spliced")
  func whole() throws {
    let child = try start(try server(Self.tmdb), "--jobs", "16")
    let script = (1...20).map { "search f --source tmdb\ndownload film:tmdb:movie:\($0)\n" }
    child.send(script.joined())
    child.closeInput()
    let records = try child.rest()
    #expect(records.map(\.sequence) == (1...Int64(records.count)).map { $0 })
    #expect(records.count { $0.type == "cmd.result" && $0["ok"] == true } == 40)
    #expect(records.count { $0.type == "search.item" } == 400)
    #expect(child.wait() == .exited(0))
  }

  @Test("cli-25: a bad line is told by its number, and the next one is done")
  func badLine() throws {
    let result = try run("save {\n\u{2028}\nsave '{\"id\":\"book:x:1\"}'\n{\"op\":\n")
    #expect(result.results.map { $0["line"] } == [1, 2, 3, 4])
    #expect(result.results.map { $0["ok"] } == [false, false, true, false])
    #expect(result.errors.contains("line 1: ") && result.errors.contains("line 4: "))
  }

  @Test("cli-30: errors go to stderr, every record of a command names it, one hello a run")
  func correlation() throws {
    let child = try start(try server(Self.tmdb))
    child.send(
      "search f --source tmdb\n{\"id\":\"d\",\"op\":\"download\",\"item\":\"film:tmdb:movie:1\"}\n"
        + "{\"id\":\"w\",\"op\":\"watch\"}\nnonsense\n")
    child.closeInput()
    let records = try child.rest()
    #expect(records.count { $0.type == "stream.hello" } == 1)
    let middle = records.dropFirst().dropLast()
    #expect(middle.allSatisfy { $0.correlation != nil })
    #expect(Set(middle.compactMap(\.correlation)) == ["s1:L1", "s1:d", "s1:w", "s1:L4"])
    _ = child.wait()
    #expect(child.errorText.hasPrefix("freshet: line 4: "))
  }

  @Test("cli-31: a reader that goes away ends a script quietly, exit 141")
  func readerGone() throws {
    let child = try sandbox.start("run", "-f", "-", input: .pipe)
    let sender = Thread {
      for number in 1... {
        child.send("save '{\"id\":\"book:x:\(number % 9)\",\"title\":\"\(number)\"}'\n")
        if number == 200_000 { break }
      }
    }
    sender.start()
    _ = try child.record("cmd.result")
    child.closeOutput()
    #expect(child.wait() == .exited(141))
    #expect(child.errorText.isEmpty)
  }

  @Test("cli-33: a line over 1 MiB costs itself; lines are taken as slots come free")
  func unbounded() throws {
    let long = String(repeating: "x", count: 1 << 20)
    let result = try run("delete book:x:\(long)\ndelete book:x:1\n")
    #expect(result.results.map(\.errorCode) == ["too_large", nil])
    let many = try server(Self.tmdb)
    let child = try start(many, "--jobs", "3")
    child.send((1...30).map { "download film:tmdb:movie:\($0)\n" }.joined())
    child.closeInput()
    #expect(try child.rest().count { $0.type == "cmd.result" } == 30)
    #expect(many.mostAtOnce <= 3)
  }

  @Test("cli-35: the end of the input is the end; a signal ends what is tried again and again")
  func ends() throws {
    let busy = try server { _ in .json("{}", status: 503, headers: [("Retry-After", "20")]) }
    let child = try start(busy, "--retry", "50")
    child.send("download film:tmdb:movie:1\nsave '{\"id\":\"book:x:1\"}'\n")
    #expect(try child.record("cmd.result").id == "book:x:1")
    try busy.waitForRequests(1)
    child.signal(SIGTERM)
    let rest = try child.rest()
    #expect(rest.first { $0.type == "cmd.result" }?.errorCode == "canceled")
    #expect(rest.last?.type == "stream.end")
    #expect(child.wait() == .signaled(SIGTERM))
    let idle = try sandbox.start("run", "-f", "-", input: .pipe)
    idle.send("watch\nnonsense\n")
    idle.closeInput()
    _ = try idle.rest()
    #expect(idle.wait() == .exited(2))
  }

  @Test(
    "cli-36: a picture that is not whole has no final name, however the run ends",
    arguments: [
      SIGINT, SIGKILL,
    ])
  func noHalfPicture(_ number: Int32) throws {
    let gate = TestGate()
    let child = try start(
      try server { request in
        request.path.hasPrefix("/movie/")
          ? Self.tmdb(request) : .file(Self.picture, for: request, hold: (1000, gate))
      })
    child.send("download film:tmdb:movie:1\n")
    while let record = try child.nextRecord(), record["done"] != 1000 {}
    child.signal(number)
    while try child.nextLine() != nil {}
    #expect(child.wait() == .signaled(number))
    gate.open()
    let files = try FileManager.default.contentsOfDirectory(atPath: sandbox.store + "/assets")
    #expect(!files.isEmpty)
    #expect(files.allSatisfy { $0.hasSuffix(".part") || $0.hasSuffix(".note") }, "\(files)")
    #expect(try sandbox.run("list").items.isEmpty)
  }

  @Test("cli-39: progress is records on stdout; stderr that is no terminal has no bar")
  func progress() throws {
    let child = try start(try server(Self.tmdb))
    child.send("download film:tmdb:movie:1\ndownload film:tmdb:movie:2\n")
    child.closeInput()
    let progress = try child.rest().filter { $0.type == "download.progress" }
    for line in ["s1:L1", "s1:L2"] {
      let told = progress.filter { $0.correlation == line }
      #expect(told.first?["done"] == 0 && told.last?["done"] == 20_000)
    }
    #expect(child.wait() == .exited(0))
    #expect(child.errorText.isEmpty)
  }

  @Test("cli-41: a key is in no record, on no line of stderr and in no journal, whatever fails")
  func secret() throws {
    let canary = "CANARY-0123456789abcdef"
    let journal = sandbox.path("journal")
    let child = try start(
      try server { _ in
        .json("{\"status_code\":7,\"status_message\":\"bad \(canary)\"}", status: 401)
      }, "--journal", journal, "--retry", "0", key: canary)
    child.send("download film:tmdb:movie:1\nsearch x --source tmdb\nsave '{\"id\":\"book:x:1\"}'\n")
    child.closeInput()
    let records = try child.rest()
    #expect(records.count { $0.type == "cmd.result" } == 3)
    #expect(child.wait() == .exited(4))
    let kept = try String(contentsOfFile: journal, encoding: .utf8)
    #expect(kept.contains("book:x:1") || kept.contains("L3"))
    for text in records.map(\.text) + [child.errorText, kept] {
      #expect(!text.contains("CANARY"))
    }
  }
}
