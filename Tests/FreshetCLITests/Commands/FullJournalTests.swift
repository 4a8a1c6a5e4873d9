import Foundation
import FreshetStore
import Testing

/// A disk that is full where the journal of a script is, while the store has room.
@Suite("a journal without room")
struct FullJournalTests {
  private let sandbox: Sandbox
  private let folder: String
  private let journal: String

  init() throws {
    sandbox = try Sandbox()
    folder = sandbox.path("small")
    journal = folder + "/journal"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  /// A script of saves; with `every` they are done in parts of so many.
  private func script(_ count: Int, every: Int? = nil, in transaction: Bool = false) throws
    -> String
  {
    let filler = String(repeating: "x", count: 200)
    var lines = (1...count).map { number in
      "{\"op\":\"save\",\"id\":\"\(filler)\(number)\",\"record\":{\"id\":\"book:local:\(number)\"}}\n"
        + (every.map { number % $0 == 0 ? "wait\n" : "" } ?? "")
    }
    if transaction { lines = ["begin t\n"] + lines + ["commit t\n"] }
    return try sandbox.file("script", lines.joined())
  }

  /// Runs a script with little room for the journal.
  private func run(_ way: FullDiskTests.Way, _ script: String, room: Int, full: Bool = false) throws
    -> Run
  {
    let shell =
      switch way {
      case .sizeLimit: "ulimit -f \(full ? 0 : room * 2); shift; exec \"$@\""
      case .smallFileSystem:
        // What comes of it is brought out.
        """
        mount -t tmpfs -o size=\(room)k,mode=700 none "$1" && small=$1 && shift
        \(full ? "dd if=/dev/zero of=\"$small/filler\" bs=4096 2>/dev/null" : "")
        "$@"
        code=$?
        cp "$small/journal" "$small.out"
        exit $code
        """
      }
    let command = ["run", "-f", script, "--journal", journal, "--store", sandbox.store]
    let words =
      ["sh", "-c", shell, "sh", folder, Child.executable] + command + ["--format", "ndjson"]
    let tool = try #require(Tool(way == .sizeLimit ? "env" : "unshare"))
    let prefix = way == .sizeLimit ? [] : ["--map-root-user", "--mount"]
    let answer = try tool.run(prefix + words)
    if way == .smallFileSystem {
      try FileManager.default.moveItem(atPath: folder + ".out", toPath: journal)
    }
    let records = try answer.output.split(separator: "\n").map { try Record(Array($0.utf8)) }
    return Run(status: .exited(answer.status), records: records, errors: answer.errors)
  }

  private var entries: Int {
    get throws {
      try String(contentsOfFile: journal, encoding: .utf8).split(separator: "\n").count - 1
    }
  }

  private func saves(_ run: Run, _ status: JSONValue) -> [Record] {
    run.results.filter { $0["op"] == "save" && $0["status"] == status }
  }

  @Test(
    "what is told as done is in the journal, the rest is told as it is, and a rerun goes on",
    arguments: FullDiskTests.Way.possible)
  func fills(_ way: FullDiskTests.Way) throws {
    let script = try script(1500, every: way == .sizeLimit ? 23 : nil)
    let full = try run(way, script, room: 100)
    #expect(full.status == .exited(74), "\(full.errors)")
    #expect(full.end?["reason"] == "journal_error")
    let error = try #require(full.all("stream.error").first?["error"]?.objectValue)
    #expect(error["code"] == "disk_full" && error["retryable"] == true)
    #expect(error["message"]?.stringValue?.contains(journal) == true)
    #expect(error["message"]?.stringValue?.contains("make room") == true)

    let done = saves(full, "done")
    let unkept = saves(full, "failed")
    #expect(!done.isEmpty && !unkept.isEmpty)
    #expect(try entries == done.count)
    for result in unkept {
      #expect(result.errorCode == "journal_not_written")
      #expect(result["ok"] == false && result["changed"] == true && result["outcome"] == "saved")
      #expect(result.object["rev"] != nil)
    }
    #expect(done.count + unkept.count + saves(full, "canceled").count == saves(full).count)
    #expect(try sandbox.run("list").items == (done + unkept).map(\.id))

    let again = try sandbox.run(["run", "-f", script, "--journal", journal], bytes: nil)
    #expect(again.status == .exited(0))
    #expect(saves(again, "replayed").count == done.count)
    #expect(saves(again, "done").count == 1500 - done.count)
    #expect(try sandbox.run("list").items.count == 1500)
  }

  private func saves(_ run: Run) -> [Record] { run.results.filter { $0["op"] == "save" } }

  @Test("a transaction that the journal has no room for is told as not in it, as a whole")
  func transaction() throws {
    let script = try script(300, in: true)
    let full = try run(.sizeLimit, script, room: 64)
    #expect(full.status == .exited(74), "\(full.errors)")
    let told = full.results.filter { $0["op"] != "begin" }
    #expect(told.count == 301)
    #expect(told.allSatisfy { $0.errorCode == "journal_not_written" && $0["changed"] == true })
    #expect(try entries == 0)
    #expect(try sandbox.run("list").items.count == 300)
    let again = try sandbox.run(["run", "-f", script, "--journal", journal], bytes: nil)
    #expect(again.status == .exited(0))
    #expect(saves(again, "done").count == 300)
  }

  @Test(
    "a journal that is full before anything is done is a full disk, and nothing is done",
    arguments: FullDiskTests.Way.possible.filter { $0 == .smallFileSystem })
  func isFull(_ way: FullDiskTests.Way) throws {
    _ = try sandbox.run("delete", "book:local:1")
    let script = try script(3)
    let full = try run(way, script, room: 100, full: true)
    #expect(full.status == .exited(74), "\(full.errors)")
    #expect(full.results.isEmpty)
    let error = try #require(full.all("stream.error").first?["error"]?.objectValue)
    #expect(error["code"] == "disk_full" && error["retryable"] == true)
    #expect(full.errors.contains(journal) && full.errors.contains("make room"))
    let again = try sandbox.run(["run", "-f", script, "--journal", journal], bytes: nil)
    #expect(again.status == .exited(0))
    #expect(saves(again, "done").count == 3)
  }

  @Test("a large file that is no journal is refused by its first line, and not read")
  func wrongFile() throws {
    try Data("my shopping list\n".utf8).write(to: URL(fileURLWithPath: journal))
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: journal))
    // As large as no memory; there is nothing in it, so it takes no room.
    try handle.truncate(atOffset: 1 << 42)
    try handle.close()
    for options in [[], ["--dry-run"]] {
      let refused = try sandbox.run(
        ["run", "-f", "-", "--journal", journal] + options, bytes: Array("list\n".utf8))
      #expect(refused.status == .exited(2))
      #expect(refused.all("stream.error").map(\.errorCode) == ["bad_journal"])
      #expect(refused.errors.contains("is no journal of freshet run"))
    }
  }
}
