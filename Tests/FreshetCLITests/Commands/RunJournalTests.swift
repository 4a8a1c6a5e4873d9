import Foundation
import FreshetStore
import Testing

@Suite("freshet run --journal")
struct RunJournalTests {
  private let sandbox: Sandbox
  private let journal: String

  init() throws {
    sandbox = try Sandbox()
    journal = sandbox.path("journal")
  }

  private func run(_ script: String, _ options: String...) throws -> Run {
    try sandbox.run(
      ["run", "-f", "-", "--journal", journal] + options, bytes: Array(script.utf8))
  }

  private func save(_ number: Int, _ id: String? = nil) -> String {
    let own = id.map { "\"id\":\"\($0)\"," } ?? ""
    return "{\"op\":\"save\",\(own)\"record\":{\"id\":\"book:local:\(number)\"}}\n"
  }

  private func told(_ run: Run) -> [String] {
    run.results.map {
      "\($0["line"]?.jsonText ?? "") \($0.errorCode ?? $0["status"]?.stringValue ?? "")"
    }
  }

  private var text: String { (try? String(contentsOfFile: journal, encoding: .utf8)) ?? "" }

  @Test("a rerun passes over what is finished; what failed and what only reads is done again")
  func rerun() throws {
    let script =
      save(1, "a") + "delete book:local:9\nrestore book:local:8\nlist\n" + save(2) + "wait a\n"
    #expect(
      told(try run(script)) == [
        "1 done", "2 done", "3 not_found", "4 done", "5 done", "6 done",
      ])
    // Somebody else's change stays: nothing is done again.
    _ = try sandbox.run("delete", "book:local:1")
    let again = try run(script)
    #expect(
      told(again) == [
        "1 replayed", "2 replayed", "3 not_found", "4 done", "5 replayed", "6 done",
      ])
    #expect(again.results[0]["ok"] == true)
    #expect(again.results[0]["changed"] == false)
    #expect(again.results[0]["outcome"] == "saved")
    #expect(try sandbox.run("list").items == ["book:local:2"])
    // `off` is none.
    let off = try sandbox.run(
      ["run", "-f", "-", "--journal", "off"], bytes: Array(save(1, "a").utf8))
    #expect(told(off) == ["1 done"])
  }

  @Test("another line under the same name is an error, and is not done")
  func changedLine() throws {
    _ = try run(save(1, "a") + save(2))
    let changed = try run(save(3, "a") + save(4) + save(5, "b"))
    #expect(told(changed) == ["1 changed_line", "2 changed_line", "3 done"])
    #expect(changed.status == .exited(2))
    #expect(try sandbox.run("list").items == ["book:local:1", "book:local:2", "book:local:5"])
  }

  @Test("a transaction is in the journal as a whole, or not at all")
  func transaction() throws {
    let script = "begin t\n" + save(1, "a") + save(2) + "commit t\n"
    #expect(told(try run(script)) == ["1 done", "2 done", "3 done", "4 done"])
    #expect(text.split(separator: "\n").count == 2)
    _ = try sandbox.run("delete", "--all", "--yes")
    let again = try run(script)
    #expect(told(again) == ["1 replayed", "2 replayed", "3 replayed", "4 replayed"])
    #expect(again.status == .exited(0))
    // A line that came into a finished transaction later cannot be part of it.
    let grown = try run("begin t\n" + save(1, "a") + save(2) + save(3, "c") + "commit t\n")
    #expect(grown.results.contains { $0.errorCode == "changed_line" })
    #expect(grown.status == .exited(5))
    #expect(try sandbox.run("list").items.isEmpty)
    let rolled = try run("begin u\n" + save(4, "d") + "nonsense\ncommit u\n")
    #expect(rolled.status == .exited(5))
    #expect(!text.contains("\"d\""))
    let atomic = try run(save(7, "x") + save(8, "y"), "--atomic")
    #expect(atomic.status == .exited(0))
    #expect(text.split(separator: "\n").last?.hasPrefix("{\"transaction\":[") == true)
    #expect(
      told(try run(save(7, "x") + save(8, "y"), "--atomic")) == ["1 replayed", "2 replayed"])
  }

  @Test("a finished transaction that lost a line is noticed, and nothing is done for it")
  func shrunkTransaction() throws {
    let whole = "begin t\n" + save(1, "a") + save(2, "b") + "commit t\n"
    _ = try run(whole)
    let shrunk = try run("begin t\n" + save(1, "a") + "commit t\n" + save(3, "c"))
    #expect(told(shrunk) == ["1 replayed", "2 replayed", "3 changed_line", "4 done"])
    #expect(shrunk.errors.contains("with b (save) in it"))
    #expect(shrunk.status == .exited(2))
    #expect(told(try run(whole)).allSatisfy { $0.hasSuffix("replayed") })
    _ = try run(save(7, "x") + save(8, "y"), "--atomic")
    let atomic = try run(save(7, "x") + save(9, "z"), "--atomic")
    #expect(told(atomic) == ["1 replayed", "2 rolled_back"])
    #expect(atomic.all("stream.error").map(\.errorCode) == ["changed_line"])
    #expect(atomic.status == .exited(5))
    #expect(
      try sandbox.run("list").items == [1, 2, 3, 7, 8].map { "book:local:\($0)" })
  }

  @Test("a torn last line is cut off; a run that was killed goes on where it was")
  func torn() throws {
    _ = try run(save(1, "a"))
    let whole = text
    for rest in ["{\"id\":\"b\",\"op\":\"sa", "\u{0}\u{0}\u{0}", "{\"id\":\"b\"\n"] {
      try sandbox.file("journal", whole + rest)
      let again = try run(save(1, "a"))
      #expect(told(again) == ["1 replayed"], "\(rest)")
      #expect(text == whole, "\(rest)")
    }
    // Killed at a moment of its own choosing, over and over: each id is done, none is lost.
    let script = (1...400).map { save($0, "k\($0)") + "wait\n" }.joined()
    var finished = 0
    for kill in 0..<6 {
      let child = try Child(
        ["run", "-f", "-", "--journal", journal],
        environment: ["FRESHET_STORE": sandbox.store, "HOME": sandbox.folder.path], input: .pipe)
      let sender = Thread {
        child.send(script)
        child.closeInput()
      }
      sender.start()
      var replayed = 0
      while let record = try child.nextRecord() {
        guard record.type == "cmd.result", record["op"] == "save" else { continue }
        if record["status"] == "replayed" { replayed += 1 }
        if record["line"]?.numberValue?.int64 ?? 0 > Int64(100 * (kill + 1)) {
          child.signal(SIGKILL)
          break
        }
      }
      while try child.nextLine() != nil {}
      _ = child.wait()
      #expect(replayed >= finished)
      finished = replayed
    }
    let last = try run(script)
    #expect(last.status == .exited(0))
    #expect(try sandbox.run("list").items.count == 400)
  }

  @Test("a journal is a file: a pipe, a device and a folder are refused, and not read")
  func noFile() throws {
    let pipe = sandbox.path("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    for path in [pipe, "/dev/zero", sandbox.folder.path] {
      for options in [[], ["--dry-run"]] {
        let result = try sandbox.run(
          ["run", "-f", "-", "--journal", path] + options, bytes: Array(save(1).utf8))
        #expect(result.status == .exited(2))
        #expect(result.all("stream.error").map(\.errorCode) == ["bad_journal"])
        #expect(result.errors.contains(path))
      }
    }
  }

  @Test("a journal that cannot be used is said to be so, before anything is done")
  func unusable() throws {
    _ = try run(save(1, "a"))
    let whole = text
    func refused(_ text: String) throws -> String {
      try sandbox.file("journal", text)
      let result = try run(save(2, "b"))
      #expect(result.status == .exited(2))
      #expect(result.results.isEmpty)
      #expect(self.text == text)
      return result.records.first { $0.type == "stream.error" }?.errorCode ?? ""
    }
    #expect(try refused("my shopping list\n") == "bad_journal")
    #expect(try refused("my shopping list") == "bad_journal")
    #expect(try refused(whole + "broken\n" + whole) == "bad_journal")
    #expect(try refused(whole.replacing("\"store\":\"", with: "\"store\":\"f")) == "bad_journal")
    try sandbox.file("journal", whole)
    let first = try Child(
      ["run", "-f", "-", "--journal", journal],
      environment: ["FRESHET_STORE": sandbox.store, "HOME": sandbox.folder.path], input: .pipe)
    first.send("list\n")
    _ = try first.record("cmd.result")
    let second = try run(save(2, "b"))
    #expect(second.records.first { $0.type == "stream.error" }?.errorCode == "journal_in_use")
    first.closeInput()
    #expect(first.wait() == .exited(0))
    #expect(try sandbox.run("list").items == ["book:local:1"])
  }

  @Test("a dry run reads the journal and does not write it")
  func dryRun() throws {
    _ = try run(save(1, "a"))
    let before = text
    let dry = try run(save(1, "a") + save(2, "b"), "--dry-run")
    #expect(told(dry) == ["1 replayed", "2 done"])
    #expect(text == before)
    try FileManager.default.removeItem(atPath: journal)
    _ = try run(save(1, "a"), "--dry-run")
    #expect(!FileManager.default.fileExists(atPath: journal))
  }
}
