import StoreFaults
import Testing

@testable import FreshetStore

@Suite("I1: what is acknowledged survives")
struct I01AcknowledgedSurvivesTests {
  @Test("a power loss at every boundary, also of the recovery")
  func powerLoss() { CrashResults.expectNone(1) }

  @Test("writers are killed at random moments")
  func kills() throws {
    let directory = try TemporaryDirectory()
    let seed = UInt64.random(in: 1...UInt64(UInt32.max))
    var loop = KillLoop(seed: seed)
    loop.killsPerStore = 10
    let report = try loop.run(30, in: directory.path)
    #expect(report.violations == [], "seed \(seed)")
    #expect(report.kills == 30 && report.followed > 0)
  }

  @Test("the name of a segment is durable before its first commit is answered")
  func segmentName() {
    // The roll gets as far as the name, and fails before that is durable; the next commit uses it.
    let turn = TurnCounter()
    let run = ScriptRun(segmentBytes: 100)
    let save: (Int) -> Step = { number in
      .apply(0, [.save(id: "id-\(number)", body: Array(#"{"n":\#(number)}"#.utf8))])
    }
    let fault: SimulatedDisk.Rule = { call in
      call.kind == .synchronizeDirectory && turn.next() == 0 ? .fail(5) : nil
    }
    run.run([.open(0), save(1), save(2), .faults(fault), save(3), .faults(nil), save(4)])
    #expect(turn.next() > 0 && run.history.answered == 3)
    let after = ScriptRun(
      PowerLoss(run.disk.image).nothing().image, history: run.history, segmentBytes: 100)
    after.run([.open(0), .verify(0)])
    #expect(after.violations == [])
  }

  @Test("a store that its creator did not finish is finished before it answers")
  func creation() {
    let first = ScriptRun()
    first.run([.open(0)])
    for point in first.points {
      let second = ScriptRun(point.image, history: point.history)
      second.run([.open(0), .apply(0, [.save(id: "a", body: Array("{}".utf8))])])
      let after = ScriptRun(
        PowerLoss(second.disk.image).nothing().image, history: second.history)
      after.run([.open(0), .verify(0)])
      #expect(second.violations + after.violations == [])
    }
  }

  @Test("a sync that is left out is noticed")
  func mutation() {
    var explorer = CrashExplorer()
    explorer.randomStates = 2
    explorer.prefixes = 2
    explorer.nestedEvery = 1000
    let check = MutationCheck(explorer: explorer, steps: Script.long(8, seed: 1))
    for (call, after) in [("fdatasync log", "write log"), ("fsync HEAD", "write HEAD")] {
      let finding = check.check(SyncSite(call: call, after: after))
      #expect(finding.violation != nil, "\(call) after \(after)")
    }
  }

  // The large run, in `.ci/run`, leaves out every one.
  @Test("a sync of a compaction that is left out is noticed")
  func mutationOfCompaction() {
    var explorer = CrashExplorer()
    explorer.randomStates = 16
    explorer.prefixes = 2
    explorer.nestedEvery = 1000
    explorer.killedStates = 1
    explorer.nestedPrefixes = 1
    explorer.verifiedEvery = 2
    explorer.compactedEvery = 3
    explorer.segmentBytes = 300
    let save: (Int) -> Step = { number in
      .apply(0, [.save(id: "id-\(number)", body: Array(#"{"n":\(number)}"#.utf8))])
    }
    let steps =
      [.open(0)] + (1...6).map(save) + [.compact(0)] + (7...9).map(save) + [.compact(0)]
    let check = MutationCheck(explorer: explorer, steps: steps)
    for (call, after) in [
      ("fsync snap.tmp", "write snap.tmp"), ("sync directory ", "rename snap.tmp"),
    ] {
      let finding = check.check(SyncSite(call: call, after: after))
      #expect(finding.violation != nil, "\(call) after \(after)")
    }
  }
}
