import Foundation
import Freshet
import Testing

@testable import FreshetStore

/// The reader in `Examples/follow.py`, which was written from `docs/file-format.md` alone.
@Suite("A reader in another language")
struct PythonReaderTests {
  private static let hasPython = ["/usr/bin/python3", "/usr/local/bin/python3"].contains {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  private static let script = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Examples/follow.py").path

  /// The reader's records, once it has read up to a revision.
  private func follow(_ store: String, until revision: Int64) throws -> [JSONObject] {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", Self.script, store, "--until", String(revision)]
    process.standardOutput = output
    try process.run()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return try [UInt8](text).split(separator: 0x0A).map {
      try #require(try JSONValue(parsing: Array($0)).objectValue)
    }
  }

  private func check(_ records: [JSONObject], _ sets: [ChangeSet]) {
    let expected = sets.flatMap { set in
      set.changes.map { "\(set.revision) \($0.kind.rawValue) \($0.id)" }
    }
    var live: [String] = []
    let found = records.flatMap { record -> [String] in
      let revision = record["r"]?.numberValue?.text ?? "?"
      let id = record["k"]?.stringValue ?? "?"
      switch record["o"]?.stringValue {
      case "put":
        let kind = live.contains(id) ? "changed" : "added"
        if kind == "added" { live.append(id) }
        return ["\(revision) \(kind) \(id)"]
      case "soft":
        live.removeAll { $0 == id }
        return ["\(revision) removed \(id)"]
      case "restore":
        live.append(id)
        return ["\(revision) restored \(id)"]
      case "clear":
        defer { live = [] }
        return live.map { "\(revision) removed \($0)" }
      default: return []
      }
    }
    #expect(found == expected)
  }

  @Test(
    "it follows a live store over segments, commit by commit",
    .enabled(if: hasPython, "there is no python3 here"))
  func live() async throws {
    let directory = try TemporaryDirectory()
    let store = try DatabaseManager.open(
      at: directory.store, options: .fixed { $0.segmentBytes = 700 })
    _ = try await store.save(id: "first", body: body(0)).value()
    // The reader starts on a store that it must wait for: 41 commits come while it reads.
    async let writing: Void = {
      for number in 1...20 {
        _ = try await store.apply([
          .save(id: "odd \"\(number)\" \\", body: Array(#"{"t":"밤 🎬 \#(number)"}"#.utf8)),
          .save(id: "first", body: body(number)),
        ]).value()
        _ = try await store.delete(id: "odd \"\(number)\" \\").value()
      }
      _ = try await store.deleteAll().value()
    }()
    let records = try await Task.detached { try follow(directory.store, until: 42) }.value
    try await writing
    let sets = await Collector(store.changes(since: .oldest)).values(42)
    #expect(sets.last?.revision == 42)
    check(records, sets)
  }

  @Test(
    "it goes on across a compaction, and begins with the snapshot after it",
    .enabled(if: hasPython, "there is no python3 here"))
  func compaction() async throws {
    let directory = try TemporaryDirectory()
    let store = try DatabaseManager.open(
      at: directory.store,
      options: .fixed {
        $0.segmentBytes = 500
        $0.retention = .none
      })
    for number in 1...10 { _ = try await store.save(id: "a\(number)", body: body(number)).value() }
    _ = try await store.delete(id: "a4").value()
    _ = try await store.compact().value()
    // One reader that is live while the store is compacted: the commits before it are paced by the
    // reader's own progress, so that it is never too late.
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", Self.script, directory.store, "--until", "40"]
    process.standardOutput = output
    try process.run()
    var lines: [JSONObject] = []
    var rest: [UInt8] = []
    func read(until revision: Int64) throws {
      while (lines.last?["r"]?.numberValue?.int64 ?? 0) < revision {
        let bytes = output.fileHandleForReading.availableData
        try #require(!bytes.isEmpty, "the reader has ended")
        rest += bytes
        while let end = rest.firstIndex(of: 0x0A) {
          lines.append(try #require(try JSONValue(parsing: Array(rest[..<end])).objectValue))
          rest.removeFirst(end + 1)
        }
      }
    }
    for number in 12...40 {
      _ = try await store.save(id: "b\(number)", body: body(number)).value()
      try read(until: Int64(number))
      if number % 7 == 0 { _ = try await store.compact().value() }
    }
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    let words = lines.map { "\($0["o"]?.stringValue ?? "") \($0["k"]?.stringValue ?? "")" }
    let items = (1...10).map { $0 == 4 ? "deleted a4" : "item a\($0)" }
    #expect(words == items + (12...40).map { "put b\($0)" })
    // And one that begins now.
    let again = try follow(directory.store, until: 40)
    #expect(again.count == 39 && again.contains { $0["k"] == "b40" })
    store.close()
  }

  @Test("it has at most 60 lines, as the page about the format says")
  func length() throws {
    let text = try String(contentsOfFile: Self.script, encoding: .utf8)
    #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count - 1 <= 60)
  }

  @Test(
    "it stops at a line that does not check", .enabled(if: hasPython, "there is no python3 here"))
  func damage() async throws {
    let directory = try TemporaryDirectory()
    try await VerifyTests.sample(directory)
    let name = FileNames.segment(1)
    var bytes = try directory.read(name)
    bytes[200] ^= 1
    try directory.write(bytes, to: name)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", Self.script, directory.store, "--until", "10"]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 1)
  }
}
