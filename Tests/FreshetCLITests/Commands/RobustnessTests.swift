import Foundation
import Freshet
import FreshetStore
import Synchronization
import Testing

/// The world's odd states: nothing is lost, nothing crashes, and the exit code says what it was.
@Suite struct RobustnessTests {
  let sandbox: Sandbox

  init() throws {
    sandbox = try Sandbox()
    _ = try sandbox.run("save", "-f", "-", input: #"{"id":"book:x:1","title":"a"}"#)
  }

  @Test(
    "a full disk under stdout is exit 74, told on stderr",
    .enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "there is no /dev/full"),
    arguments: [["list"], ["save", "-f", "-"], ["man"], ["watch", "--initial", "only"]])
  func fullStandardOutput(_ arguments: [String]) throws {
    let child = try Child(
      arguments, environment: ["FRESHET_STORE": sandbox.store], output: .file("/dev/full"))
    #expect(child.wait() == .exited(74))
    #expect(child.errorText.contains("cannot write to stdout"))
  }

  @Test("an unknown locale and no TERM change nothing")
  func unknownLocale() throws {
    let run = try sandbox.run(
      "list", environment: ["FRESHET_STORE": sandbox.store, "LC_ALL": "xx_XX.nope", "LANG": "?"])
    #expect(run.status == .exited(0))
    #expect(run.items == ["book:x:1"])
  }

  @Test("NUL, lone surrogates, U+2028 and line noise in a record cost at most that record")
  func oddText() throws {
    let lines = [
      #"{"id":"book:x:2","title":"nul \\u0000 inside"}"#,
      #"{"id":"book:x:3","title":"lone \\ud800 half"}"#,
      "{\"id\":\"book:x:4\",\"title\":\"line\u{2028}end\u{85}s\"}",
      "\u{0}\u{1}\u{2}", #"{"id":"book:x:5","title":"last"}"#,
    ]
    let run = try sandbox.run("save", "-f", "-", input: lines.joined(separator: "\n"))
    #expect(run.status == .exited(1))
    #expect(run.results.count { $0["ok"] == true } == 4)
    let list = try sandbox.run("list")
    #expect(list.items == (1...5).map { "book:x:\($0)" })
    for record in list.records {
      #expect(
        !record.text.unicodeScalars.contains { ["\u{2028}", "\u{85}", "\u{0}"].contains($0) })
    }
  }

  @Test("an endless input is answered line by line, in constant memory")
  func endlessInput() throws {
    let child = try sandbox.start("run", "-f", "-", input: .pipe)
    let isOver = Atomic(false)
    let sender = Thread {
      while !isOver.load(ordering: .acquiring) { child.send("delete book:x:none\n") }
    }
    sender.start()
    var answers = 0
    var memory: [Int] = []
    while answers < 4000, let record = try child.nextRecord() {
      if record.type == "cmd.result" { answers += 1 }
      if answers == 1000 || answers == 4000, record.type == "cmd.result" {
        memory.append(try child.residentKilobytes())
      }
    }
    child.signal(SIGTERM)
    child.closeOutput()
    _ = child.wait()
    isOver.store(true, ordering: .releasing)
    try #require(memory.count == 2)
    #expect(memory[1] - memory[0] < 4096, "grew from \(memory[0]) to \(memory[1]) KiB")
  }

  @Test("a clock that goes backwards: the order is that of the commits, and nothing is lost")
  func clockBackwards() async throws {
    var options = StoreOptions()
    let future: Int64 = 4_000_000_000_000_000
    options.now = { future }
    let manager = try DatabaseManager.open(at: sandbox.store, options: options)
    _ = try await manager.save(id: "book:x:2", body: Array(#"{"title":"b"}"#.utf8)).value()
    manager.close()
    _ = try sandbox.run("save", "-f", "-", input: #"{"id":"book:x:3"}"#)
    #expect(try sandbox.run("delete", "book:x:1").status == .exited(0))
    let run = try sandbox.run("watch", "--since", "start", "--count", "4")
    let commits = run.records.filter { $0.type.hasPrefix("item.") }
    #expect(commits.map(\.id) == ["book:x:1", "book:x:2", "book:x:3", "book:x:1"])
    #expect(commits.map(\.revision) == [1, 2, 3, 4])
    let times = commits.compactMap { $0.object["ts"]?.stringValue }
    #expect(times.count == 4 && times[1].hasPrefix("2096") && times[2] < times[1])
    #expect(try sandbox.run("store", "verify").status == .exited(0))
  }

  @Test(
    "a store of somebody else can be read and followed, not written",
    .enabled(if: geteuid() != 0 || Tool.isInstalled("setpriv"), "root may write anywhere"))
  func readOnlyStore() throws {
    for path in [sandbox.folder.path, sandbox.store] {
      try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: path)
    }
    for name in try FileManager.default.contentsOfDirectory(atPath: sandbox.store) {
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o444], ofItemAtPath: "\(sandbox.store)/\(name)")
    }
    defer {
      // So that the folder can go away.
      try? FileManager.default.setAttributes(
        [.posixPermissions: 0o755], ofItemAtPath: sandbox.folder.path)
    }
    func run(_ words: String...) throws -> Run {
      if geteuid() != 0 { return try sandbox.run(words, bytes: nil) }
      let child = try Child(
        ["--reuid=65534", "--regid=65534", "--clear-groups", Child.executable] + words,
        environment: ["FRESHET_STORE": sandbox.store], program: "/usr/bin/setpriv")
      return Run(records: try child.rest(), child)
    }
    #expect(try run("list").items == ["book:x:1"])
    #expect(try run("show", "book:x:1").status == .exited(0))
    #expect(try run("watch", "--since", "start", "--count", "1").status == .exited(0))
    #expect(try run("delete", "--dry-run", "book:x:1").status == .exited(0))
    let write = try run("delete", "book:x:1")
    #expect(write.status == .exited(7))
    #expect(write.all("stream.error").map(\.errorCode) == ["not_writable"])
  }

  @Test("two terminals on one store: each sees what the other does")
  func twoTerminals() throws {
    let environment = ["FRESHET_STORE": sandbox.store, "TERM": "xterm", "NO_COLOR": "1"]
    let watchers = try (0..<2).map { _ in
      try Child(["watch"], environment: environment, output: .terminal)
    }
    for watcher in watchers { _ = try line(of: watcher) { $0.contains("book:x:1") } }
    let writers = try (2..<4).map { number in
      try Child(
        ["save", "-f", try sandbox.file("\(number).json", "{\"id\":\"book:x:\(number)\"}")],
        environment: environment, output: .terminal)
    }
    for writer in writers {
      _ = try line(of: writer) { $0.contains("saved") }
      #expect(writer.wait() == .exited(0))
    }
    for watcher in watchers {
      var seen: Set<String> = []
      while seen.count < 2 {
        let text = try line(of: watcher) { $0.hasPrefix("added") }
        seen.insert(String(text.split(separator: " ")[1]))
      }
      #expect(seen == ["book:x:2", "book:x:3"])
      watcher.signal(SIGINT)
      #expect(watcher.wait() == .signaled(SIGINT))
    }
  }

  /// The next line of a terminal that is meant.
  private func line(of child: Child, _ isMeant: (String) -> Bool) throws -> String {
    while let bytes = try child.nextLine() {
      let text = String(decoding: bytes, as: UTF8.self)
      if isMeant(text) { return text }
    }
    throw Child.Missing(type: "a line")
  }
}
