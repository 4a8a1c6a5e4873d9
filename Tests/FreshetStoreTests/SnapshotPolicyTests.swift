import Freshet
import Testing

@testable import FreshetStore

/// When a store makes a snapshot by itself, so that the next opening need not read its whole journal.
@Suite("Snapshots by themselves")
struct SnapshotPolicyTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  @Test("a store that only grows makes a snapshot whenever its journal is longer than the last one")
  func growing() async throws {
    let manager = try directory.open {
      $0.compactsAutomatically = true
      $0.compactionBytes = 4000
      $0.durability = .never
    }
    var snapshots: Set<Int64> = []
    for number in 0..<600 {
      _ = try await manager.save(id: "i\(number)", body: body(number)).value()
      if number % 10 == 9 {
        // Statistics run after what was begun before them.
        let stats = try await manager.stats().value()
        if let found = stats.snapshotRevision { snapshots.insert(found) }
        let base = try stats.snapshotRevision.map {
          try directory.read(FileNames.snapshot($0)).count
        }
        // The commits of one round may have come after the one that made a snapshot due.
        #expect(stats.tailBytes <= max(4000, Int64(base ?? 0)) + 1200)
      }
    }
    // Each is of half as many items again: a snapshot's lines are that much shorter here.
    #expect((4...9).contains(snapshots.count), "\(snapshots.sorted())")
    #expect(try await manager.stats().value().compactionProblem == nil)
    #expect(try await manager.verify().value().problems == [])
  }

  @Test("a writer that closes leaves a snapshot behind when it has written much; others leave none")
  func closing() async throws {
    func open(compacts: Bool = true) throws -> DatabaseManager {
      try directory.open {
        $0.compactsAutomatically = compacts
        $0.compactionBytes = 120_000
        $0.durability = .never
      }
    }
    func write(_ manager: DatabaseManager, _ range: Range<Int>) async throws {
      for number in range {
        _ = try await manager.save(id: "i\(number)", body: body(number)).value()
      }
    }
    // Little is not worth it, and who only reads owes nothing.
    var manager = try open()
    try await write(manager, 0..<100)
    manager.close()
    #expect(try directory.names("snap-").isEmpty)
    manager = try open(compacts: false)
    try await write(manager, 100..<500)
    manager.close()
    #expect(try directory.names("snap-").isEmpty)
    manager = try open()
    #expect(try await manager.fetch().value().count == 500)
    manager.close()
    #expect(try directory.names("snap-").isEmpty)

    manager = try open()
    let feed = Collector(manager.changes(since: .now))
    try await write(manager, 500..<900)
    let token = manager.token
    manager.close()
    #expect(await feed.ended() == .finished)
    let named = try directory.names("snap-").filter { $0.hasSuffix(".ndjson") }
    #expect(named == [FileNames.snapshot(token.revision)])
    #expect(try directory.names("snap-").count == 2, "no draft is left")

    // A quarter more is worth it, less is not.
    manager = try open()
    try await write(manager, 900..<1000)
    manager.close()
    #expect(try directory.names("snap-").count == 2)
    manager = try open()
    #expect(try await manager.stats().value().snapshotRevision == token.revision)
    #expect(try await manager.fetch().value().map(\.id) == (0..<1000).map { "i\($0)" })
    #expect(try await manager.verify().value().problems == [])
    // Letting go of a manager is no moment to wait at.
    try await write(manager, 1000..<1400)
    manager = try open()
    #expect(try directory.names("snap-").count == 2)
    manager.close()
  }

  @Test("who is told to end makes a snapshot that is soon made, and no larger one")
  func closingQuickly() async throws {
    func write(
      _ range: Range<Int>, to directory: TemporaryDirectory, quickly: Bool
    ) async throws -> [String] {
      let manager = try directory.open {
        $0.compactsAutomatically = true
        $0.compactionBytes = 16_000
        $0.durability = .never
      }
      for start in stride(from: range.lowerBound, to: range.upperBound, by: 10) {
        _ = try await manager.apply(
          (start..<(start + 10)).map { .save(id: "i\($0)", body: body($0)) }
        ).value()
      }
      let last = FileNames.snapshot(manager.token.revision)
      manager.close(quickly: quickly)
      #expect(try directory.names().allSatisfy { !$0.hasSuffix(FileNames.unfinished) })
      return try directory.names("snap-").filter { $0.hasSuffix(".ndjson") }.map {
        $0 == last ? "last" : $0
      }
    }
    let small = try TemporaryDirectory()
    #expect(try await write(0..<150, to: small, quickly: true) == ["last"])
    let first = try await write(0..<1000, to: directory, quickly: false)
    #expect(first.last == "last")
    // A quarter of the snapshot, and more than twice 16 000 bytes of items.
    let next = try await write(1000..<1300, to: directory, quickly: true)
    #expect(next.count == first.count && !next.contains("last"))
    #expect(try await write(1300..<1400, to: directory, quickly: false).last == "last")
  }
}
