import StoreFaults
import Testing

@testable import FreshetStore

@Suite("I2: nothing that is not durable is delivered")
struct I02OnlyDurableIsDeliveredTests {
  @Test("what HEAD said before a power loss is there after it")
  func powerLoss() { CrashResults.expectNone(2) }

  @Test("a process that ends between a failed sync and the word of it leaves no false promise")
  func failedSyncThenEnd() {
    let save: (Int) -> Step = { number in
      .apply(0, [.save(id: "id-\(number)", body: Array(#"{"n":\#(number)}"#.utf8))])
    }
    let run = ScriptRun()
    run.run([
      .open(0), save(1), .faults { $0.kind == .synchronizeData ? .fail(5) : nil }, save(2),
    ])
    // Right after the sync that failed: the cache shows bytes that no sync would write any more.
    let failed = run.points.firstIndex { $0.step == 3 && $0.image.nodes.contains { $0.hasLost } }
    guard let failed else {
      Issue.record("no sync failed")
      return
    }
    let point = run.points[failed]
    let next = ScriptRun(point.image, history: point.history)
    next.run([.open(0), save(3)])
    let after = ScriptRun(PowerLoss(next.disk.image).everything().image, history: next.history)
    after.run([.open(0), .verify(0)])
    #expect(next.violations + after.violations == [])
  }
}
