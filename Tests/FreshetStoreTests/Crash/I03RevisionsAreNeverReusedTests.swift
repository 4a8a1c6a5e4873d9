import Freshet
import StoreFaults
import Testing

@testable import FreshetStore

@Suite("I3: revisions increase and never stand for two contents")
struct I03RevisionsAreNeverReusedTests {
  @Test("after every power loss, what comes next has a number that nobody was told of")
  func powerLoss() { CrashResults.expectNone(3) }

  @Test("relaxed commits that vanish without a trace end their epoch")
  func relaxed() throws {
    let save: (String) -> Step = { .apply(0, [.save(id: $0, body: Array("{}".utf8))]) }
    let run = ScriptRun()
    run.run([.open(0, .interval(.seconds(86_400))), save("a"), save("b")])
    let point = try #require(run.points.last)
    // Both were answered, neither was durable, and the file has its old size again.
    let after = ScriptRun(PowerLoss(point.image).nothing().image, history: run.history)
    after.run([.open(0), save("c"), .verify(0)])
    #expect(after.violations == [])
    #expect(after.history.epoch == 2 && after.history.tail > Limits.epochGap)
    // Without a power loss nothing is lost, and the epoch goes on.
    let killed = ScriptRun(point.image, history: run.history)
    killed.run([.open(0), save("c"), .verify(0)])
    #expect(killed.violations == [])
    #expect(killed.history.epoch == 1 && killed.history.tail == 3)
  }

  @Test("a clock that jumps a year back and forth changes no order")
  func clock() async throws {
    let directory = try TemporaryDirectory()
    let ticks = Counter()
    let year: Int64 = 365 * 86_400 * 1_000_000
    let options = StoreOptions.fixed {
      $0.segmentBytes = 1000
      $0.now = { 1_764_485_763_000_000 + (ticks.next() % 2 == 0 ? year : -year) }
    }
    var manager = try DatabaseManager.open(at: directory.store, options: options)
    let changes = Collector(manager.changes(since: .oldest))
    for number in 1...30 {
      _ = try await manager.save(id: "id-\(number)", body: body(number)).value()
      #expect(manager.token.revision == Int64(number))
    }
    #expect(await changes.values(30).map(\.revision) == Array(1...30))
    manager.close()
    manager = try DatabaseManager.open(at: directory.store, options: options)
    #expect(try await manager.fetch().value().map(\.id) == (1...30).map { "id-\($0)" })
    #expect(manager.token.revision == 30 && manager.epoch == 1)
    manager.close()
  }
}
