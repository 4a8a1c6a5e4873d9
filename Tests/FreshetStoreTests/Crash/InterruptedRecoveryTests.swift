import StoreFaults
import Testing

@testable import FreshetStore

/// I1 and I3: what a process left right in the cache and wrong on the disk, before it ended in the
/// middle of making, of recovering, or of taking an append back, is put right by the next one.
@Suite("Interrupted makings, recoveries and takings back")
struct InterruptedRecoveryTests {
  private func save(_ number: Int) -> Step {
    .apply(0, [.save(id: "id-\(number)", body: Array(#"{"n":\#(number)}"#.utf8))])
  }

  /// Opens what is left of an image in every order of the writes that are not on the disk yet.
  private func openAll(
    _ image: DiskImage, _ history: History, _ place: String, segmentBytes: Int64 = 3000
  ) {
    let loss = PowerLoss(image)
    let states =
      [loss.nothing(), loss.everything()] + loss.operations.map { loss.prefix(through: $0) }
    for state in states {
      let after = ScriptRun(
        state.image, history: history, isRecording: false, segmentBytes: segmentBytes)
      after.run([.open(0), .verify(0)])
      #expect(after.violations == [], "\(place), state \(state.key)")
    }
  }

  @Test("a store whose STORE is on the disk has its first segment and HEAD there too")
  func making() {
    let run = ScriptRun()
    run.run([.open(0)])
    for (number, point) in run.points.enumerated() {
      openAll(point.image, point.history, "point \(number)")
      // The names by themselves, in each combination.
      var generator = SeededGenerator(seed: UInt64(number))
      for _ in 0..<24 {
        let after = ScriptRun(
          PowerLoss(point.image).random(&generator).image, history: point.history,
          isRecording: false)
        after.run([.open(0), save(1), .verify(0)])
        #expect(after.violations == [], "point \(number)")
      }
    }
    // And it would be noticed: without the sync before it, STORE's name may come first.
    var explorer = CrashExplorer()
    explorer.randomStates = 24
    let site = SyncSite(call: "sync directory ", after: "fsync HEAD")
    let finding = MutationCheck(explorer: explorer, steps: [.open(0)]).check(site)
    #expect(finding.violation != nil)
  }

  @Test("a recovery that its process did not finish is finished before anything is answered")
  func recovery() {
    // A sync that fails poisons HEAD; all of it reaches the disk, and the power goes.
    let run = ScriptRun()
    run.run([
      .open(0), save(1), .faults { $0.kind == .synchronizeData ? .fail(5) : nil }, save(2), save(3),
    ])
    let poisoned = PowerLoss(run.disk.image).everything().image
    let first = ScriptRun(poisoned, history: run.history)
    first.run([.open(0)])
    #expect(first.violations == [] && first.points.count > 3)
    // Its process ends at each of its calls, and the next one goes on with what it left in the cache.
    for (number, point) in first.points.enumerated() {
      let next = ScriptRun(point.image, history: point.history)
      next.run([.open(0), save(4), save(5)])
      #expect(next.violations == [], "point \(number)")
      openAll(next.disk.image, next.history, "point \(number)")
    }
  }

  @Test("an append that was taken back only in the cache is taken back on the disk")
  func takingBack() {
    let torn = TurnCounter()
    let run = ScriptRun()
    run.run([
      .open(0), save(1),
      .faults { call in
        // The whole commit is written, and the next call of the loop finds no room.
        guard call.kind == .write, call.file == "log" else { return nil }
        return torn.next() == 0 ? .short(call.count - 1) : .fail(28)
      },
      save(2),
    ])
    #expect(run.history.answered == 1)
    // All but the newline would do as well; what counts is that the bytes were there for a while.
    for (number, point) in run.points.enumerated() where point.step == 3 {
      let next = ScriptRun(point.image, history: point.history)
      next.run([.open(0)])
      // Nobody was told of the commit, and this process has shown the store without it.
      #expect(next.violations == [], "point \(number)")
      openAll(next.disk.image, next.history, "point \(number)")
    }
  }

  @Test(
    "several commits of one append that cannot be taken back: nobody is told that nothing was done")
  func cannotTakeBack() {
    let torn = TurnCounter()
    let group = (1...3).map { number -> [FreshetStore.Operation] in
      [.save(id: "g-\(number)", body: Array(#"{"n":\#(number)}"#.utf8))]
    }
    for written in [90, 150, 240] {
      let run = ScriptRun()
      run.run([
        .open(0), save(1),
        .faults { call in
          if call.kind == .truncate, call.file == "log" { return .fail(5) }
          guard call.kind == .write, call.file == "log" else { return nil }
          return torn.next() % 2 == 0 ? .short(written) : .fail(28)
        },
        .group(0, group), .faults(nil), .close(0), .open(0), save(2), .verify(0),
      ])
      #expect(run.violations == [], "\(written) bytes")
    }
  }

  @Test("a relaxed store says so on the disk before it answers, from its first opening on")
  func relaxed() {
    let relaxed = Step.open(0, .interval(.seconds(86_400)))
    let first = ScriptRun()
    first.run([relaxed])
    for (number, point) in first.points.enumerated() {
      let next = ScriptRun(point.image, history: point.history)
      next.run([relaxed, save(1), save(2)])
      // All that was not synced is gone: the numbers of what was answered must not come again.
      let after = ScriptRun(PowerLoss(next.disk.image).nothing().image, history: next.history)
      after.run([.open(0), save(3), .verify(0)])
      #expect(after.violations == [], "point \(number)")
    }
  }
}
