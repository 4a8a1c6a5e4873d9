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
}
