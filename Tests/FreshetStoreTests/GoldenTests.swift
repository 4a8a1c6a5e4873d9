import Foundation
import Freshet
import Glibc
import Synchronization
import Testing

@testable import FreshetStore

/// The stores of released formats, as they were written then: every later version opens them.
@Suite("Golden stores")
struct GoldenTests {
  private static let files = [
    "HEAD", "STORE", FileNames.segment(1), FileNames.segment(6),
    FileNames.segment(8), "lost+10-1764485776000000.ndjson",
  ]

  private func golden(_ name: String) throws -> [UInt8] {
    let folder = try #require(Bundle.module.url(forResource: "Golden", withExtension: nil))
    return [UInt8](try Data(contentsOf: folder.appendingPathComponent("v1/" + name)))
  }

  /// Writes the golden store of format 1.
  private func write(to directory: TemporaryDirectory) async throws {
    let options = StoreOptions.fixed { $0.segmentBytes = 500 }
    let manager = try DatabaseManager.open(at: directory.store, options: options)
    let steps: [[FreshetStore.Operation]] = [
      [.save(id: "film:tmdb:movie:603", body: Array(#"{"title":"The Matrix","year":1999}"#.utf8))],
      [.save(id: "book:local:1", body: Array(#"{"title":"한국어 🎬","n":7.0}"#.utf8))],
      [.save(id: #"odd "id" \ here"#, body: Array("{}".utf8))],
      [.save(id: "book:local:1", body: Array(#"{"title":"new","n":9007199254740993}"#.utf8))],
      [.delete(id: "film:tmdb:movie:603")],
      [.restore(id: "film:tmdb:movie:603")],
      [
        .save(id: "a", body: body(1)), .save(id: "b", body: body(2)), .delete(id: "a"),
        .save(id: "film:tmdb:movie:603", body: body(603)),
      ],
      [.deleteAll],
      [.restore(id: "b"), .restore(id: "book:local:1")],
      [.save(id: "a", body: body(3))],
    ]
    for step in steps { _ = try await manager.apply(step).value() }
    manager.close()
    // An append that was torn, recovered by a writer that does not sync each commit.
    let last = FileNames.segment(8)
    try directory.write(try directory.read(last) + Array(#"{"c":"0badc0de","r":11"#.utf8), to: last)
    var relaxed = options
    relaxed.durability = .interval(.seconds(3600))
    let recovered = try DatabaseManager.open(at: directory.store, options: relaxed)
    _ = try await recovered.save(id: "z", body: body(26)).value()
    recovered.close()
  }

  @Test("the store of format 1 is read as it was written, and left as it was")
  func read() async throws {
    let directory = try TemporaryDirectory()
    try FileManager.default.createDirectory(
      atPath: directory.store, withIntermediateDirectories: false,
      attributes: [.posixPermissions: 0o700])
    for name in GoldenTests.files { try directory.write(try golden(name), to: name) }
    let manager = try DatabaseManager.open(at: directory.store)
    #expect(manager.storeID == "00112233445566778899aabbccddeeff")
    #expect(manager.token.epoch == 2 && manager.token.revision == 10 + (1 << 20) + 1)
    #expect(
      try await manager.contents() == [
        #"book:local:1={"title":"new","n":9007199254740993}"#, #"b={"n":2}"#, #"a={"n":3}"#,
        #"z={"n":26}"#,
      ])
    #expect(
      try await manager.fetch(includingDeleted: true).value().map {
        "\($0.id) \($0.revision) \($0.created) \($0.isDeleted)"
      } == [
        "film:tmdb:movie:603 8 1 true", "book:local:1 9 2 false", #"odd "id" \ here 8 3 true"#,
        "b 9 7 false", "a 10 10 false", "z 1048587 1048587 false",
      ])
    let sets = await Collector(manager.changes(since: .oldest)).values(11)
    #expect(sets.map(\.epoch) == [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2])
    #expect(
      sets[7].changes.map(\.id) == [
        "film:tmdb:movie:603", "book:local:1", #"odd "id" \ here"#, "b",
      ])
    manager.close()
    for name in GoldenTests.files { #expect(try directory.read(name) == golden(name), "\(name)") }
  }

  @Test("the same operations still write the same bytes")
  func writeAgain() async throws {
    let directory = try TemporaryDirectory()
    try await write(to: directory)
    if let out = ProcessInfo.processInfo.environment["FRESHET_GOLDEN_OUT"] {
      try FileManager.default.copyItem(atPath: directory.store, toPath: out)
    }
    #expect(try directory.names() == (GoldenTests.files + ["LOCK"]).sorted())
    for name in GoldenTests.files { #expect(try directory.read(name) == golden(name), "\(name)") }
  }

  // MARK: A compacted store

  private static let compactedFiles = [
    "HEAD", "STORE", "followers/night-export", FileNames.segment(8), FileNames.segment(12),
    FileNames.snapshotIndex(7), FileNames.snapshot(7), FileNames.snapshotIndex(11),
    FileNames.snapshot(11),
  ]

  private func compacted(_ name: String) throws -> [UInt8] {
    let folder = try #require(Bundle.module.url(forResource: "Golden", withExtension: nil))
    return [UInt8](
      try Data(contentsOf: folder.appendingPathComponent("v1-compacted/" + name)))
  }

  private func writeCompacted(to directory: TemporaryDirectory) async throws {
    // Set by hand: how often the store looks at its clock is no part of the format.
    let clock = SetClock()
    let manager = try DatabaseManager.open(
      at: directory.store,
      options: .fixed {
        $0.now = { clock.now }
        $0.retention.commits = 4
        $0.retention.age = .zero
        $0.compactsAutomatically = false
      })
    let id = #"odd "id" \ here"#
    let steps: [[FreshetStore.Operation]?] = [
      [.save(id: "film:tmdb:movie:603", body: Array(#"{"title":"The Matrix","year":1999}"#.utf8))],
      [.save(id: "a", body: body(1)), .save(id: "b", body: body(2)), .save(id: id, body: body(3))],
      [.delete(id: "a")], [.save(id: "b", body: body(4))], [.delete(id: "film:tmdb:movie:603")],
      [.restore(id: "film:tmdb:movie:603")],
      [.save(id: "book:local:1", body: Array(#"{"title":"한국어 🎬"}"#.utf8))], nil,
      [.deleteAll], [.restore(id: "b"), .restore(id: id)], [.save(id: "a", body: body(5))],
      [.save(id: id, body: body(6))], nil, [.save(id: "z", body: body(26)), .delete(id: "b")],
    ]
    let seconds: [Int64] = [65, 66, 67, 68, 69, 70, 71, 73, 76, 77, 78, 79, 82, 85]
    for (step, second) in zip(steps, seconds) {
      clock.set(second)
      if let step {
        _ = try await manager.apply(step).value()
      } else {
        _ = try await manager.compact().value()
      }
    }
    clock.set(88)
    _ = try await manager.keepChanges(
      after: Token(storeID: manager.storeID, epoch: 1, revision: 9), for: "night-export",
      during: .seconds(86_398)
    ).value()
    manager.close()
  }

  @Test("the compacted store of format 1 is read as it was written, and left as it was")
  func readCompacted() async throws {
    let directory = try TemporaryDirectory()
    try FileManager.default.createDirectory(
      atPath: directory.store + "/followers", withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    chmod(directory.store, 0o700)
    for name in GoldenTests.compactedFiles { try directory.write(try compacted(name), to: name) }
    let manager = try DatabaseManager.open(at: directory.store)
    #expect(manager.token == Token(storeID: manager.storeID, epoch: 1, revision: 12))
    #expect(try manager.oldestToken.revision == 7)
    #expect(
      try await manager.fetch(includingDeleted: true).value().map {
        "\($0.id) \($0.revision) \($0.created) \($0.createdIndex) \($0.isDeleted) \(text($0.body))"
      } == [
        #"film:tmdb:movie:603 8 1 1 true {"title":"The Matrix","year":1999}"#,
        #"b 12 2 2 true {"n":4}"#, #"odd "id" \ here 11 2 3 false {"n":6}"#,
        #"book:local:1 8 7 1 true {"title":"한국어 🎬"}"#, #"a 10 10 1 false {"n":5}"#,
        #"z 12 12 1 false {"n":26}"#,
      ])
    let sets = await Collector(manager.changes(since: .oldest)).values(5)
    #expect(sets.map(\.revision) == [8, 9, 10, 11, 12])
    #expect(
      sets[0].changes.map { text($0.body) } == [
        #"{"title":"The Matrix","year":1999}"#, #"{"n":4}"#, #"{"n":3}"#,
        #"{"title":"한국어 🎬"}"#,
      ])
    #expect(try await manager.verify().value().problems == [])
    let lists = await Collector(manager.observe(from: .oldest)).values(6)
    #expect(lists[0].records.map(\.id) == sets[0].changes.map(\.id))
    manager.close()
    for name in GoldenTests.compactedFiles {
      #expect(try directory.read(name) == compacted(name), "\(name)")
    }
  }

  @Test("the same compactions still write the same bytes")
  func compactAgain() async throws {
    let directory = try TemporaryDirectory()
    try await writeCompacted(to: directory)
    if let out = ProcessInfo.processInfo.environment["FRESHET_GOLDEN_OUT"] {
      try FileManager.default.copyItem(atPath: directory.store, toPath: out + "-compacted")
    }
    let names = GoldenTests.compactedFiles.map { $0.hasPrefix("followers/") ? "followers" : $0 }
    #expect(try directory.names() == (names + ["COMPACT", "LOCK"]).sorted())
    for name in GoldenTests.compactedFiles {
      #expect(try directory.read(name) == compacted(name), "\(name)")
    }
  }

  @Test("every line is JSON with the checksum first, as other tools read it")
  func lines() throws {
    for name in GoldenTests.files where name.hasPrefix("log-") || name == "STORE" {
      for line in try golden(name).split(separator: 0x0A) {
        let value = try JSONValue(parsing: Array(line))
        guard case .object(let object) = value, case .string(let sum)? = object["c"] else {
          Issue.record("\(name) has a line without a checksum")
          continue
        }
        let found = Checksum.of(line.dropFirst(Frame.coverStart))
        #expect(UInt32(sum, radix: 16) == found)
      }
    }
  }
}

/// A clock that stands where it is put.
private final class SetClock: Sendable {
  private let second = Atomic<Int64>(64)

  var now: Int64 { (1_764_485_700 + second.load(ordering: .relaxed)) * 1_000_000 }

  func set(_ value: Int64) { second.store(value, ordering: .relaxed) }
}
