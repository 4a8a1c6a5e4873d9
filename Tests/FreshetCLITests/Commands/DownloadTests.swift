import Foundation
import FreshetStore
import FreshetTestServer
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite("freshet download, against a server")
struct DownloadTests {
  private let sandbox: Sandbox

  init() throws { sandbox = try Sandbox() }

  private static func picture(_ number: Int, _ count: Int = 20_000) -> [UInt8] {
    [0xFF, 0xD8, 0xFF, 0xE0]
      + (4..<count).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761 &+ number) >> 8) }
  }

  /// A TMDB whose films have posters, at `/w342/<number>.jpg`.
  private static func tmdb(_ request: TestRequest) -> TestAnswer {
    let last = request.path.split(separator: "/").last.map(String.init) ?? ""
    if request.path.hasPrefix("/movie/") {
      return last == "404"
        ? .json("{\"status_code\":34,\"status_message\":\"no\"}", status: 404)
        : .json("{\"id\":\(last),\"title\":\"Film \(last)\",\"poster_path\":\"/\(last).jpg\"}")
    }
    guard let number = Int(last.dropLast(4)) else { return .json("{}", status: 404) }
    return .file(picture(number), for: request)
  }

  private func words(_ server: TestServer, _ words: [String]) throws -> [String] {
    let key = try sandbox.file("key", "THE-SECRET-KEY-OF-TMDB")
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
    return ["download", "--tmdb-url", server.url, "--tmdb-image-url", server.url]
      + ["--tmdb-key-file", key] + words
  }

  private func download(
    _ server: TestServer, _ arguments: String..., input: String? = nil
  ) throws -> Run {
    try sandbox.run(try words(server, arguments), bytes: input.map { Array($0.utf8) })
  }

  private func assets() throws -> [String] {
    let path = sandbox.store + "/assets"
    guard FileManager.default.fileExists(atPath: path) else { return [] }
    return try FileManager.default.contentsOfDirectory(atPath: path).sorted()
  }

  private func record(_ number: Int, _ server: TestServer) -> String {
    "{\"id\":\"book:local:\(number)\",\"thumbnail\":\"\(server.url)/p/\(number).jpg\"}\n"
  }

  @Test("an id: its record from the catalogue, its picture, then the item; twice is once")
  func download() throws {
    let server = try TestServer(Self.tmdb)
    let run = try download(server, "film:tmdb:movie:1", "film:tmdb:movie:2")
    #expect(run.status == .exited(0))
    #expect(Set(run.results.compactMap(\.id)) == ["film:tmdb:movie:1", "film:tmdb:movie:2"])
    for result in run.results {
      #expect(result["outcome"] == "saved")
      let poster = try #require(result["poster"]?.stringValue)
      let number = result.id?.last?.wholeNumberValue ?? 0
      #expect(
        Array(try Data(contentsOf: URL(fileURLWithPath: poster))) == Self.picture(number))
      let progress = run.all("download.progress").filter { $0.id == result.id }
      #expect(progress.first?["done"] == 0)
      #expect(progress.last?["done"] == 20_000)
      #expect(progress.last?["total"] == 20_000)
      // The answer comes after everything else about it.
      #expect((progress.last?.sequence ?? 0) < (result.sequence ?? 0))
    }
    #expect(Set(try sandbox.run("list").items) == ["film:tmdb:movie:1", "film:tmdb:movie:2"])
    let asked = server.requests.count
    let again = try download(server, "film:tmdb:movie:1")
    #expect(again.results.map { $0["outcome"] } == ["unchanged"])
    #expect(again.results.map { $0["changed"] } == [false])
    #expect(server.requests.count == asked)
  }

  @Test(
    "show, watch detail and watch downloads tell where a picture lies, or how much of it is there")
  func shown() throws {
    let gate = TestGate()
    let server = try TestServer { request in
      request.path == "/w342/2.jpg"
        ? .file(Self.picture(2), for: request, hold: (after: 5_000, gate)) : Self.tmdb(request)
    }
    let settings = [
      "FRESHET_STORE": sandbox.store, "HOME": sandbox.folder.path,
      "FRESHET_TMDB_IMAGE_URL": server.url,
    ]
    // Saved without its picture: nobody tells of pictures while none is kept.
    _ = try download(server, "film:tmdb:movie:1", "--no-poster")
    let bare = try sandbox.run("watch", "downloads", "--initial", "only", environment: settings)
    #expect(bare.all("snapshot.item")[0].data["poster"] == nil)
    #expect(
      try sandbox.run("show", "film:tmdb:movie:1", environment: settings)
        .all("snapshot.item")[0].data["poster"] == .null)
    let detail = try Child(
      ["watch", "detail", "film:tmdb:movie:1"], environment: settings)
    _ = try detail.record("stream.bookmark")
    let list = try Child(["watch", "downloads", "--count", "1"], environment: settings)
    _ = try list.record("stream.bookmark")

    let poster = try #require(
      try download(server, "film:tmdb:movie:1").results[0]["poster"]?.stringValue)
    #expect(
      try sandbox.run("show", "film:tmdb:movie:1", environment: settings)
        .all("snapshot.item")[0]["poster"]?.stringValue == poster)
    _ = try sandbox.run(
      "save", "-f", "-",
      input: #"{"id":"film:tmdb:movie:1","kind":"film","title":"x","poster":"/1.jpg"}"#)
    let steps = try [detail.record("view.changed"), detail.record("view.changed")]
    #expect(steps.map { $0["cause"] } == ["externalChange", "poster"])
    let last = try detail.record("view.changed")
    let state = last["state"]?.objectValue?["poster"]?.objectValue
    #expect(state?["state"] == "cached" && state?["path"]?.stringValue == poster)
    detail.signal(SIGTERM)
    _ = detail.wait()
    #expect(try list.record("item.changed")["poster"]?.stringValue == poster)
    #expect(list.wait() == .exited(0))

    let running = try Child(
      try words(server, ["film:tmdb:movie:2"]), environment: settings)
    while let record = try running.nextRecord() {
      if record.type == "download.progress", record["done"] == 5_000 { break }
    }
    _ = try download(server, "film:tmdb:movie:2", "--no-poster")
    let part = try sandbox.run("show", "film:tmdb:movie:2", environment: settings)
      .all("snapshot.item")[0]
    #expect(part["poster"] == .null)
    #expect(part["poster_part"]?.jsonText == #"{"done":5000,"total":20000}"#)
    gate.open()
    #expect(try running.rest().last?["exit"] == 0)
    #expect(running.wait() == .exited(0))
    let lines = try sandbox.lines(
      "show", "film:tmdb:movie:2", "--format", "text",
      environment: ["FRESHET_TMDB_IMAGE_URL": server.url]
    ).lines
    #expect(lines.contains { $0.hasPrefix("picture  ") && $0.contains("/assets/") })
  }

  @Test("failures are told one by one, and nothing of them is saved")
  func failures() throws {
    let server = try TestServer { request in
      request.path == "/w342/9.jpg" ? .json("{}", status: 404) : Self.tmdb(request)
    }
    let run = try download(
      server, "film:tmdb:movie:404", "film:tmdb:movie:9", "book:local:1", "nonsense",
      "film:tmdb:movie:1")
    #expect(run.status == .exited(1))
    let codes = Dictionary(
      uniqueKeysWithValues: run.results.map { ($0.id ?? "", $0.errorCode ?? "") })
    #expect(
      codes == [
        "film:tmdb:movie:404": "not_found", "film:tmdb:movie:9": "not_found",
        "book:local:1": "not_found", "nonsense": "malformed_id", "film:tmdb:movie:1": "",
      ])
    #expect(try sandbox.run("list").items == ["film:tmdb:movie:1"])
    let without = try download(server, "film:tmdb:movie:9", "--no-poster")
    #expect(without.results.map { $0["outcome"] } == ["saved"])
    #expect(without.results.first?.data["poster"] == nil)
  }

  @Test("lines of a file: ids, records and events of a search; other events are passed over")
  func lines() throws {
    let server = try TestServer(Self.tmdb)
    let event = """
      {"v":1,"seq":3,"ts":"x","type":"search.item","data":{"item":{"id":"book:local:2"}}}
      """
    let run = try download(
      server, "-f", "-",
      input: "# comment\n\nfilm:tmdb:movie:1\n" + record(1, server) + event
        + "\n{\"v\":1,\"type\":\"search.end\",\"data\":{}}\n{broken\n")
    #expect(run.status == .exited(1))
    #expect(
      Set(run.results.map { "\($0["line"]?.jsonText ?? "") \($0.id ?? "-")" })
        == ["3 film:tmdb:movie:1", "4 book:local:1", "5 book:local:2", "7 -"])
    #expect(run.results.filter { $0["ok"] == true }.count == 3)
    #expect(try assets().count == 2)
  }

  @Test("two hundred over a server that cuts every fifth connection; the rest after kill -9")
  func killed() throws {
    let gate = TestGate()
    let server = try TestServer { request in
      guard request.path.hasPrefix("/p/"),
        let number = Int(request.path.dropFirst(3).dropLast(4))
      else { return .json("{}", status: 404) }
      if number == 120, request.number < 400 {
        return .file(Self.picture(number), for: request, hold: (after: 5_000, gate))
      }
      return .file(
        Self.picture(number), for: request,
        cutAfter: request.number.isMultiple(of: 5) ? 9_000 : nil)
    }
    let input = (1...200).map { record($0, server) }.joined()
    let file = try sandbox.file("items.ndjson", input)
    let child = try Child(
      try words(server, ["-f", file, "--jobs", "4", "--retry", "8"]),
      environment: ["FRESHET_STORE": sandbox.store, "HOME": sandbox.folder.path])
    var done = 0
    while done < 100, let record = try child.nextRecord() {
      if record.type == "cmd.result" { done += 1 }
    }
    child.signal(SIGKILL)
    #expect(child.wait() == .signaled(SIGKILL))
    let finished = Set(try assets().filter { !$0.contains(".") })
    #expect(finished.count >= 100)
    let before = server.requests.count
    gate.open()
    let run = try download(server, "-f", file, "--retry", "8")
    #expect(run.status == .exited(0))
    #expect(run.results.count == 200)
    #expect(try assets().count == 200)
    #expect(try sandbox.run("list").items.count == 200)
    // What was whole is not fetched again.
    let fetched = Set(server.requests.dropFirst(before).map(\.path))
    #expect(fetched.count <= 200 - finished.count)
    #expect(run.results.allSatisfy { $0["ok"] == true })
  }

  @Test(
    "two processes want one picture: the second waits for the first, and goes on where it was killed",
    arguments: [false, true])
  func twoProcesses(isKilled: Bool) throws {
    let gate = TestGate()
    let server = try TestServer { request in
      .file(
        Self.picture(1, 60_000), for: request,
        hold: request.number == 0 ? Optional((after: 30_000, gate: gate)) : nil)
    }
    let file = try sandbox.file("items.ndjson", record(1, server))
    let environment = ["FRESHET_STORE": sandbox.store, "HOME": sandbox.folder.path]
    func isHalf(_ record: Record) -> Bool {
      record.type == "download.progress" && record["done"] == 30_000
    }
    let first = try Child(try words(server, ["-f", file]), environment: environment)
    while let record = try first.nextRecord(), !isHalf(record) {}
    // No attempt is used up by waiting.
    let second = try Child(
      try words(server, ["-f", file, "--retry", "0"]), environment: environment)
    while let record = try second.nextRecord(), !isHalf(record) {}
    #expect(server.requests.count == 1)
    if isKilled { first.signal(SIGKILL) } else { gate.open() }
    let results = try second.rest().filter { $0.type == "cmd.result" }
    #expect(second.wait() == .exited(0))
    #expect(results.map { $0["ok"] } == [true])
    let poster = try #require(results.first?["poster"]?.stringValue)
    #expect(Array(try Data(contentsOf: URL(fileURLWithPath: poster))) == Self.picture(1, 60_000))
    #expect(
      server.requests.map { $0.header("range") } == (isKilled ? [nil, "bytes=30000-"] : [nil]))
    if !isKilled { #expect(try first.rest().last?["exit"] == 0) }
    gate.open()
    _ = first.wait()
    #expect(try assets().count == 1)
  }

  @Test("SIGINT keeps what has come, and answers what is open; the next run goes on there")
  func interrupt() throws {
    let gate = TestGate()
    let server = try TestServer { request in
      .file(
        Self.picture(1, 60_000), for: request,
        hold: request.number == 0 ? Optional((after: 30_000, gate: gate)) : nil)
    }
    let file = try sandbox.file("items.ndjson", record(1, server))
    let child = try Child(
      try words(server, ["-f", file]),
      environment: ["FRESHET_STORE": sandbox.store, "HOME": sandbox.folder.path])
    while let record = try child.nextRecord() {
      if record.type == "download.progress", record["done"] == 30_000 { break }
    }
    child.signal(SIGINT)
    let rest = try child.rest()
    #expect(child.wait() == .signaled(SIGINT))
    #expect(rest.filter { $0.type == "cmd.result" }.map { $0["status"] } == ["canceled"])
    #expect(rest.last?["reason"] == "signal")
    try server.waitForClose(of: 0)
    #expect(try assets().contains { $0.hasSuffix(".part") })
    let run = try download(server, "-f", file)
    #expect(run.status == .exited(0))
    #expect(server.requests[1].header("range") == "bytes=30000-")
    #expect(try assets().filter { $0.contains(".") } == [])
  }

  @Test(
    "an end before the first byte leaves no file behind", arguments: [SIGINT, SIGTERM, SIGKILL])
  func nothingCame(_ signal: Int32) throws {
    let gate = TestGate()
    let server = try TestServer { request in
      .file(Self.picture(1, 60_000), for: request, hold: (after: 0, gate: gate))
    }
    let file = try sandbox.file("items.ndjson", record(1, server) + record(2, server))
    let child = try Child(
      try words(server, ["-f", file]),
      environment: ["FRESHET_STORE": sandbox.store, "HOME": sandbox.folder.path])
    // The head has come, and the file is made.
    var begun: Set<String> = []
    while begun.count < 2 {
      let progress = try child.record("download.progress")
      #expect(progress["done"] == 0)
      begun.insert(progress.id ?? "")
    }
    #expect(try assets().count(where: { $0.hasSuffix(".part") }) == 2)
    child.signal(signal)
    _ = try child.rest()
    #expect(child.wait() == .signaled(signal))
    gate.open()
    if signal == SIGKILL {
      // The next run of the same pictures finishes them, or takes them away.
      #expect(try download(server, "-f", file, "--retry", "0").status == .exited(0))
      #expect(try assets().filter { $0.contains(".") } == [])
    } else {
      #expect(try assets() == [])
    }
  }

  @Test("a bar on a terminal: how many, how far, gone at the end; none with -q")
  func bar() throws {
    let gate = TestGate()
    let server = try TestServer { request in
      .file(Self.picture(1, 61_440), for: request, hold: (after: 30_720, gate: gate))
    }
    let file = try sandbox.file("items.ndjson", record(1, server) + record(2, server))
    let environment = [
      "FRESHET_STORE": sandbox.store, "HOME": sandbox.folder.path, "TERM": "xterm",
    ]
    let quiet = try Child(
      try words(server, ["-f", file, "-q"]), environment: environment, input: .terminal)
    let loud = try Child(
      try words(server, ["-f", file]),
      environment: environment.merging(["FRESHET_STORE": sandbox.store + "2"]) { $1 },
      input: .terminal)
    try loud.waitForScreen("] 0/2  2 running  60/120 KiB")
    gate.open()
    let records = try loud.rest()
    #expect(loud.wait() == .exited(0))
    #expect(records.filter { $0.type == "cmd.result" }.count == 2)
    try loud.readScreenToEnd()
    #expect(loud.screen.hasSuffix("\u{1B}[K"), "\(loud.screen.debugDescription)")
    #expect(try quiet.rest().last?["exit"] == 0)
    #expect(quiet.wait() == .exited(0))
    try quiet.readScreenToEnd()
    #expect(quiet.screen.isEmpty)
  }

  @Test("--dry-run asks nobody and writes nothing")
  func dryRun() throws {
    let server = try TestServer(Self.tmdb)
    _ = try sandbox.run("save", "-f", "-", input: "{\"id\":\"film:tmdb:movie:1\"}\n")
    let run = try download(server, "film:tmdb:movie:1", "film:tmdb:movie:2", "--dry-run")
    #expect(run.results.map { $0["outcome"] } == ["unchanged", "saved"])
    #expect(run.results.allSatisfy { $0["dry"] == true })
    #expect(server.requests.isEmpty)
    #expect(try sandbox.run("list").items.count == 1)
  }

  @Test("a missing key is exit code 4; a picture in a private network is refused")
  func refused() throws {
    let server = try TestServer(Self.tmdb)
    let none = try sandbox.run("download", "film:tmdb:movie:1", "--tmdb-url", server.url)
    #expect(none.status == .exited(4))
    #expect(none.results.first?.errorCode == "missing_key")
    let away = try sandbox.run("download", "-f", "-", input: record(1, server))
    #expect(away.status == .exited(1))
    #expect(away.results.first?.errorCode == "private_address")
    #expect(server.requests.isEmpty)
  }

  @Test("save takes the answers of Kakao and Google")
  func save() throws {
    let kakao = try sandbox.run(
      "save", "--source", "kakao", "-f", "-",
      input: "{\"documents\":[{\"title\":\"t\",\"isbn\":\"9791190000017\"},{\"contents\":\"\"}]}")
    #expect(kakao.results.map { $0["ok"] } == [true, false])
    let google = try sandbox.run(
      "save", "--source", "google", "-f", "-", input: "{\"items\":[{\"id\":\"aB\"}]}")
    #expect(google.results.compactMap(\.id) == ["book:google:aB"])
    let error = try sandbox.run(
      "save", "--source", "google", "-f", "-", input: "{\"error\":{\"message\":\"no\"}}")
    #expect(error.results.first?.errorCode == "catalogue_error")
  }

  @Test("a script searches, reads on, and downloads; not inside a transaction")
  func script() throws {
    let server = try TestServer { request in
      guard request.path == "/search/multi" else { return Self.tmdb(request) }
      let page = Int(request.query["page"] ?? "") ?? 0
      return .json(
        """
        {"page":\(page),"total_pages":2,
        "results":[{"id":\(page),"media_type":"movie","title":"F"}]}
        """)
    }
    let options = try words(server, ["-f", "-"]).dropFirst()
    let script = """
      more
      search 'two words' --source tmdb
      {"op":"more","id":"m"}
      more
      {"op":"download","item":"film:tmdb:movie:1"}
      download film:tmdb:movie:404
      begin
      download film:tmdb:movie:2
      rollback
      search x
      """
    let run = try sandbox.run(["run", "--ordered"] + options, bytes: Array(script.utf8))
    #expect(
      run.results.map { "\($0["line"]?.jsonText ?? "") \($0.errorCode ?? "ok")" } == [
        "1 no_search", "2 ok", "3 ok", "4 ok", "5 ok", "6 not_found", "7 ok",
        "8 not_in_transaction", "9 ok", "10 bad_value",
      ])
    #expect(run.all("search.item").compactMap(\.id) == ["film:tmdb:movie:1", "film:tmdb:movie:2"])
    #expect(run.all("search.item").map(\.correlation) == ["s1:L2", "s1:m"])
    #expect(run.all("search.end").first?["reason"] == "end")
    #expect(try sandbox.run("list").items == ["film:tmdb:movie:1"])
    #expect(run.status == .exited(2))
  }
}
