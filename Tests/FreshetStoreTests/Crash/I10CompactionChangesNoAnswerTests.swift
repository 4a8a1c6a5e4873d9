import StoreFaults
import Testing

@testable import FreshetStore

@Suite("I10: compaction changes no answer")
struct I10CompactionChangesNoAnswerTests {
  private func save(_ number: Int) -> Step {
    .apply(0, [.save(id: "id-\(number)", body: Array(#"{"n":\#(number)}"#.utf8))])
  }

  @Test("a power loss at every boundary of a compaction leaves what was there, at every revision")
  func powerLoss() { CrashResults.expectNone(10) }

  @Test("every state after a small compaction that erases is read in every way")
  func everyWay() {
    var explorer = CrashExplorer()
    explorer.randomStates = 2
    explorer.prefixes = 4
    explorer.verifiedEvery = 1
    explorer.compactedEvery = 3
    explorer.nestedEvery = 1000
    explorer.killedStates = 1
    explorer.nestedPrefixes = 1
    explorer.segmentBytes = 300
    explorer.seed = CrashResults.seed
    let run = ScriptRun(segmentBytes: 300)
    run.run(
      [.open(0)] + (1...5).map(save) + [.apply(0, [.delete(id: "id-2")]), .compact(0), save(6)]
        + (10...20).map(save) + [.compact(0), save(7), .compact(0)])
    #expect(run.violations == [])
    // The deleted item was erased on the way.
    #expect(run.history.model.rows.count == 17)
    let report = explorer.explore(run.points)
    #expect(report.violations == [], "seed \(explorer.seed)")
    #expect(report.states > 400)
  }

  @Test("a segment whose name may not be durable is made so before a snapshot rests on it")
  func segmentName() {
    // A compaction gets as far as the next segment's name, and fails before that is durable.
    let turn = TurnCounter()
    let fault: SimulatedDisk.Rule = { call in
      call.kind == .synchronizeDirectory && turn.next() == 0 ? .fail(5) : nil
    }
    let run = ScriptRun()
    run.run([.open(0), save(1), .faults(fault), .compact(0), .faults(nil), .compact(0)])
    #expect(turn.next() > 0 && run.violations == [])
    // The snapshot's name has reached the disk at each moment, and nothing else that was not synced.
    for point in run.points {
      let image = point.image
      let names = image.names(in: ScriptRun.path).filter { $0.hasPrefix("snap-") }
      if names.isEmpty { continue }
      var generator = SeededGenerator(seed: CrashResults.seed)
      for _ in 0..<24 {
        let after = ScriptRun(
          PowerLoss(image).random(&generator).image, history: point.history, isRecording: false)
        after.run([.open(0), .verify(0)])
        #expect(after.violations == [], "seed \(CrashResults.seed)")
      }
    }
  }
}
