import Freshet
import StoreFaults
import Synchronization
import Testing

@testable import FreshetStore

/// I7 and I10 while everybody is at it: several writers save, delete and restore the same few items
/// while compactions run one after another.
///
/// Each snapshot takes the place of the state below the writers' commits, so an item's place in the
/// list, which is the commit that inserted it, comes from the journal for one read and from a
/// snapshot's line for the next.
@Suite("Compaction among writers", .timeLimit(.minutes(15)))
struct CompactionRaceTests {
  private static let ids = (1...8).map { "item-\($0)" }

  private struct Commit: Sendable {
    let revision: Int64
    let operations: [FreshetStore.Operation]
    let outcomes: [Outcome]
  }

  /// What everybody saw.
  private struct Seen: Sendable {
    var commits: [Commit] = []
    var pages: [Page] = []
    var compactions: [Collector<CompactionReport>] = []
  }

  private final class Log: Sendable {
    private let seen = Mutex(Seen())

    func withLock<R: Sendable>(_ work: (inout Seen) -> R) -> R {
      seen.withLock { work(&$0) }
    }
  }

  private static func batch(_ generator: inout SeededGenerator) -> [FreshetStore.Operation] {
    (0..<Int.random(in: 1...3, using: &generator)).map { _ in
      let id = ids[Int.random(in: 0..<ids.count, using: &generator)]
      return switch Int.random(in: 0..<40, using: &generator) {
      case 0: .deleteAll
      case 1..<16: .delete(id: id)
      case 16..<22: .restore(id: id)
      default: .save(id: id, body: body(Int.random(in: 0..<3, using: &generator)))
      }
    }
  }

  @Test(
    "each item's first commit, last commit and place are those of a plain model, at every moment",
    arguments: [StoreOptions.Retention.none, StoreOptions.Retention()])
  func race(_ retention: StoreOptions.Retention) async throws {
    let directory = try TemporaryDirectory()
    let seed = UInt64.random(in: 1...UInt64(UInt32.max))
    func open(isReadOnly: Bool = false) throws -> DatabaseManager {
      try directory.open {
        $0.retention = retention
        $0.segmentBytes = 20_000
        // Nothing here is about what a power cut leaves.
        $0.durability = .never
        $0.lockTimeout = .seconds(120)
        $0.isReadOnly = isReadOnly
      }
    }
    // Two managers exclude each other as two processes do, and two writers of one share its commits.
    let managers = [try open(), try open()]
    let (compactor, reader) = (try open(), try open(isReadOnly: true))
    let seen = Log()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<4 {
        let manager = managers[writer % 2]
        group.addTask {
          var generator = SeededGenerator(seed: seed &+ UInt64(writer))
          for round in 0..<120 {
            let operations = Self.batch(&generator)
            let receipt = try await manager.apply(operations).value()
            if let token = receipt.token {
              let commit = Commit(
                revision: token.revision, operations: operations, outcomes: receipt.outcomes)
              seen.withLock { $0.commits.append(commit) }
            }
            if writer == 0 && round % 10 == 5 {
              // On a thread of the store's, while the writers go on: by who writes, too, whose state
              // it puts on another base.
              let compaction = Collector(([compactor] + managers)[round / 10 % 3].compact())
              seen.withLock { $0.compactions.append(compaction) }
            }
            if round % 3 == 0 {
              let page = try await [manager, reader][round / 3 % 2].page(limit: 100).value()
              seen.withLock { $0.pages.append(page) }
            }
            // Commits are made on the caller's thread, and there may be fewer threads than tasks.
            await Task.yield()
          }
        }
      }
      try await group.waitForAll()
    }

    let result = seen.withLock { $0 }
    let commits = result.commits.sorted { $0.revision < $1.revision }
    var compacted: Set<Int64> = []
    for compaction in result.compactions {
      let end = await compaction.ended()
      if case .failed(let error) = end {
        // Another one was at it.
        #expect(error.code == .locked, "\(error), seed \(seed)")
      }
      for report in compaction.values { compacted.insert(report.token.revision) }
    }
    #expect(result.compactions.count == 12 && compacted.count > 1, "seed \(seed)")
    #expect(commits.map(\.revision) == (0..<commits.count).map { Int64($0 + 1) }, "seed \(seed)")
    var model = StoreModel()
    var states: [Int64: [StoreModel.Row]] = [0: []]
    for commit in commits {
      let (outcomes, _) = model.apply(commit.operations, revision: commit.revision)
      #expect(outcomes == commit.outcomes, "revision \(commit.revision), seed \(seed)")
      states[commit.revision] = model.live
    }
    for page in result.pages {
      #expect(
        StoreModel(page.records).rows == states[page.token.revision],
        "revision \(page.token.revision), seed \(seed)")
    }
    // Those who were there, and one who only knows the files.
    for manager in managers + [compactor, reader, try open()] {
      let rows = StoreModel(try await manager.fetch(includingDeleted: true).value()).rows
      #expect(rows == model.rows, "seed \(seed)")
      for id in Self.ids {
        let record = try await manager.fetch(id: id, includingDeleted: true).value()
        #expect(
          StoreModel(record.map { [$0] } ?? []).rows == model.rows.filter { $0.id == id },
          "seed \(seed)")
      }
      #expect(try await manager.verify().value().problems == [], "seed \(seed)")
      manager.close()
    }
    #expect(try StoreFiles.verify(at: directory.store).findings == [], "seed \(seed)")
  }
}
