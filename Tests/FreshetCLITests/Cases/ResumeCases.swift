import Foundation
import Freshet
import FreshetStore
import Testing

@testable import FreshetCLI

/// What users of such tools complained about: loss, resuming, and the end of a stream.
@Suite("Cases: resuming")
struct ResumeCases {
  private let sandbox: Sandbox

  init() throws {
    sandbox = try Sandbox()
    try save("book:x:1")
  }

  private func save(_ id: String) throws {
    _ = try sandbox.run("save", "-f", "-", input: "{\"id\":\"\(id)\"}")
  }

  private func manager(_ options: StoreOptions = StoreOptions()) throws -> DatabaseManager {
    try DatabaseManager.open(at: sandbox.store, options: options)
  }

  private func cursors(_ words: String...) throws -> [String] {
    let run = try sandbox.run(
      ["watch", "--since", "start", "--until-idle", "30ms"] + words, bytes: nil)
    return run.records.filter { $0.type != "stream.bookmark" }.compactMap(\.cursor)
  }

  @Test("cli-1: a source that goes away is told, and is no success")
  func sourceGone() throws {
    let child = try sandbox.start("watch", "--heartbeat", "off")
    _ = try child.record("stream.bookmark")
    try FileManager.default.removeItem(atPath: sandbox.store)
    let end = try child.record("stream.end")
    #expect(end["reason"] == "store_lost")
    #expect(child.wait() == .exited(7))
    #expect(child.errorText.contains("removed or replaced"))
  }

  /// A store of which compaction has kept nothing but the present items.
  private func trimmed() async throws -> String {
    let old = try #require(try cursors().first)
    for number in 2...4 { try save("book:x:\(number)") }
    var options = StoreOptions()
    options.retention.commits = 0
    options.retention.age = .zero
    let manager = try manager(options)
    _ = try await manager.compact().value()
    manager.close()
    return old
  }

  @Test(
    "a live watch that compaction overtakes: a gap and a new snapshot, or exit 3",
    arguments: [false, true])
  func overtaken(isStrict: Bool) async throws {
    let child = try Child(
      ["watch", "downloads", "--heartbeat", "off"] + (isStrict ? ["--strict"] : []),
      environment: ["FRESHET_STORE": sandbox.store])
    _ = try child.record("stream.bookmark")
    // Nobody reads: a pipe and a buffer are full long before a megabyte.
    var options = StoreOptions()
    options.retention.commits = 0
    options.retention.age = .zero
    options.durability = .interval(.seconds(3600))
    let manager = try manager(options)
    let text = String(repeating: "x", count: 8000)
    func commit(_ numbers: Range<Int>) async throws {
      for number in numbers {
        let id = "book:y:\(number)"
        let body = Array(#"{"id":"\#(id)","title":"\#(text)"}"#.utf8)
        _ = try await manager.save(id: id, body: body).value()
      }
      _ = try await manager.compact().value()
    }
    // The segment that it sleeps in is finished, the next one is gone.
    try await commit(0..<300)
    try await commit(300..<600)
    if isStrict {
      let error = try child.record("stream.error")
      #expect(error.errorCode == "compacted")
      _ = try child.rest()
      #expect(child.wait() == .exited(3))
    } else {
      let gap = try child.record("stream.gap")
      #expect(gap["reason"] == "compacted" && gap["from"] != .null)
      #expect(try child.record("snapshot.begin")["count"] == 601)
      #expect(try child.record("stream.bookmark")["initial"] == true)
      _ = try await manager.save(id: "book:y:last", body: Array(#"{"id":"book:y:last"}"#.utf8))
        .value()
      manager.close()
      #expect(try child.record("item.added").id == "book:y:last")
    }
    manager.close()
  }

  @Test("cli-4: a cursor older than what is kept is a gap and a new snapshot, or exit 3")
  func trimmedLog() async throws {
    let old = try await trimmed()
    let run = try sandbox.run("watch", "--since", old, "--until-idle", "30ms")
    let gap = try #require(run.all("stream.gap").first)
    #expect(gap["reason"] == "compacted")
    #expect(gap["from"]?.stringValue == old)
    #expect(gap["oldest"]?.stringValue?.hasPrefix("c1.") == true)
    #expect(run.items == (1...4).map { "book:x:\($0)" })
    #expect(run.errors.contains("A new snapshot follows."))
    let strict = try sandbox.run("watch", "--since", old, "--strict")
    #expect(strict.status == .exited(3))
    #expect(strict.all("stream.error").map(\.errorCode) == ["compacted"])
  }

  @Test("cli-5: a reader that sleeps under tens of thousands of events gets them all")
  func sleepingReader() async throws {
    let child = try sandbox.start("watch", "--since", "now", "--heartbeat", "off")
    _ = try child.record("stream.bookmark")
    let manager = try manager()
    let body = Array("{\"title\":\"\(String(repeating: "x", count: 100))\"}".utf8)
    for round in 0..<40 {
      _ = try await manager.apply(
        (0..<500).map { .save(id: "book:r\(round):\($0)", body: body) }
      ).value()
    }
    manager.close()
    var ids: [String] = []
    while ids.count < 20_000, let record = try child.nextRecord() {
      #expect(record.type != "stream.gap")
      if record.type == "item.added", let id = record.id { ids.append(id) }
    }
    #expect(ids == (0..<40).flatMap { round in (0..<500).map { "book:r\(round):\($0)" } })
    child.signal(SIGTERM)
    _ = try child.rest()
  }

  @Test("cli-7: a cursor on an event that the filter keeps back skips nothing after it")
  func cursorOnFiltered() throws {
    try save("film:tmdb:movie:1")
    try save("book:x:2")
    let list = try sandbox.run("list").all("stream.bookmark")[0].cursor
    let here = try Cursor(parsing: try #require(list)).token
    let place = Cursor(
      token: Token(storeID: here.storeID, epoch: here.epoch, revision: 2),
      filter: Cursor.Filter(kind: "book"))
    let run = try sandbox.run(
      "watch", "--filter", "kind=book", "--since", place.text, "--count", "1")
    #expect(run.all("item.added").map(\.id) == ["book:x:2"])
  }

  @Test("cli-8: a cursor from the future of a restored copy is a reset, or exit 3")
  func restoredCopy() throws {
    let copy = sandbox.path("copy")
    try FileManager.default.copyItem(atPath: sandbox.store, toPath: copy)
    try save("book:x:2")
    let future = try #require(try cursors().last)
    try FileManager.default.removeItem(atPath: sandbox.store)
    try FileManager.default.moveItem(atPath: copy, toPath: sandbox.store)
    let run = try sandbox.run("watch", "--since", future, "--until-idle", "30ms")
    #expect(run.all("stream.reset").map { $0["reason"] } == ["diverged"])
    #expect(run.items == ["book:x:1"])
    #expect(try sandbox.run("watch", "--since", future, "--strict").status == .exited(3))
  }

  @Test("cli-9: a cursor file that is missing is made, one that is empty is named")
  func cursorFile() throws {
    let missing = sandbox.path("missing.json")
    let made = try sandbox.run("watch", "--cursor-file", missing, "--initial", "only")
    #expect(made.status == .exited(0))
    #expect(FileManager.default.fileExists(atPath: missing))
    let empty = try sandbox.file("empty.json", "")
    let run = try sandbox.run("watch", "--cursor-file", empty)
    #expect(run.status == .exited(2))
    #expect(run.errors.contains("\(empty) is empty"))
  }

  @Test("cli-11: silence has bookmarks, and they go past what a quiet filter keeps back")
  func bookmarks() throws {
    let child = try sandbox.start("watch", "--filter", "kind=film", "--heartbeat", "10ms")
    let first = try child.record("stream.bookmark")
    #expect(first["initial"] == true)
    try save("book:x:2")
    var last = first
    while last.revision != 2 { last = try child.record("stream.bookmark") }
    #expect(last["initial"] == false)
    child.signal(SIGTERM)
    _ = child.wait()
  }

  @Test("cli-12: a delete that compaction meets is an event still")
  func deleteAndCompaction() async throws {
    let cursor = try #require(try cursors().first)
    let child = try sandbox.start("watch", "--since", cursor, "--heartbeat", "off")
    _ = try child.record("stream.bookmark")
    child.signal(SIGSTOP)
    _ = try sandbox.run("delete", "book:x:1")
    #expect(try sandbox.run("store", "compact").status == .exited(0))
    child.signal(SIGCONT)
    #expect(try child.record("item.removed").id == "book:x:1")
    child.signal(SIGTERM)
    _ = child.wait()
    let later = try sandbox.run("watch", "--since", cursor, "--count", "1")
    #expect(later.all("item.removed").map(\.id) == ["book:x:1"])
  }

  @Test("cli-13: nothing twice at the boundary; a cursor of another filter is exit 2")
  func boundary() throws {
    for number in 2...5 { try save("book:x:\(number)") }
    let cursors = try cursors()
    #expect(cursors.count == 5)
    for (place, cursor) in cursors.enumerated() {
      let run = try sandbox.run("watch", "--since", cursor, "--until-idle", "20ms")
      let expected: [String] = (place + 1..<5).map { "book:x:\($0 + 1)" }
      #expect(run.all("item.added").compactMap(\.id) == expected)
    }
    let other = try sandbox.run("watch", "--filter", "kind=book", "--since", cursors[0])
    #expect(other.status == .exited(2))
    #expect(other.all("stream.error").map(\.errorCode) == ["filter_mismatch"])
  }

  @Test("cli-15: every run says who it is and that it ends; a log that is appended to keeps both")
  func runs() throws {
    let log = sandbox.path("log.ndjson")
    for _ in 0..<2 {
      let child = try sandbox.start("watch", "--initial", "only", output: .file(log))
      #expect(child.wait() == .exited(0))
    }
    let records = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").map {
      try FreshetCLITests.Record(Array($0.utf8))
    }
    let hellos = records.filter { $0.type == "stream.hello" }
    #expect(Set(hellos.compactMap { $0["run"]?.stringValue }).count == 2)
    #expect(records.filter { $0.type == "stream.end" }.count == 2)
    #expect(records.last?.type == "stream.end")
  }
}
