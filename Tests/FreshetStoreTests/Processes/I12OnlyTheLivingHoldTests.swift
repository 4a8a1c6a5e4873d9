import Freshet
import StoreFaults
import Testing

@testable import FreshetStore

@Suite("I12: a stopped or killed writer blocks others only while it lives")
struct I12OnlyTheLivingHoldTests {
  @Test("three processes compare and set while some are stopped and some are killed")
  func competition() throws {
    let directory = try TemporaryDirectory()
    let seed = UInt64.random(in: 1...UInt64(UInt32.max))
    let report = try Competition(seed: seed).run(
      writers: 3, count: 60, kills: 3, path: directory.store)
    #expect(report.violations == [], "seed \(seed)")
    #expect(report.raised >= 180)
  }

  @Test("a program that this one starts inherits nothing of an open store")
  func descriptors() async throws {
    let directory = try TemporaryDirectory()
    let manager = try DatabaseManager.open(at: directory.store, options: .fixed())
    _ = try await manager.save(id: "a", body: body(1)).value()
    let changes = Collector(manager.changes(since: .oldest))
    _ = await changes.values(1)
    let child = try ChildProcess(ExerciserProgram.path, ["descriptors"])
    var lines: [String] = []
    while lines.last != "end" {
      let more = child.lines(wait: true)
      if more.isEmpty { break }
      lines += more
    }
    #expect(lines.last == "end")
    #expect(lines.filter { $0.contains(directory.path) || $0.contains("inotify") } == [])
    manager.close()
  }
}
