import StoreFaults
import Testing

@testable import FreshetStore

@Suite("I7: folding the journal gives the list and the index")
struct I07FoldTests {
  @Test("after every power loss the store is as some commit left it")
  func powerLoss() { CrashResults.expectNone(7) }

  @Test("random histories with closings, kills and power losses equal a list of rows")
  func sequences() {
    // `.ci/run` takes 10 000.
    let seed = UInt64.random(in: 1...UInt64(UInt32.max))
    #expect(RandomSequences(seed: seed).run(250) == [], "seed \(seed)")
  }

  @Test("an item is restored after two delete-alls that one append, or two processes, have made")
  func twoClears() throws {
    let body = Array("{}".utf8)
    let batch: [FreshetStore.Operation] = [
      .save(id: "b", body: body), .deleteAll, .restore(id: "a"),
    ]
    for requests in [
      // In one append.
      [Step.group(0, [[.save(id: "c", body: body)], [.deleteAll], batch])],
      // By another process first.
      [.apply(1, [.deleteAll]), .apply(0, batch)],
    ] {
      let run = ScriptRun()
      run.run([.open(0), .open(1), .apply(0, [.save(id: "a", body: body)])] + requests)
      #expect(run.violations == [])
      let after = ScriptRun(run.disk.image, history: run.history)
      after.run([.open(0), .verify(0)])
      #expect(after.violations == [])
    }
  }
}
