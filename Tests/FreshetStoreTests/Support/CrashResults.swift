import StoreFaults
import Testing

/// One exploration of power losses, which the classes of the invariants share.
///
/// Small, as this is a debug build; `.ci/run` makes the large one.
enum CrashResults {
  static let seed = UInt64.random(in: 1...UInt64(UInt32.max))

  static let report: CrashExplorer.Report = {
    var explorer = CrashExplorer()
    explorer.randomStates = 3
    explorer.prefixes = 2
    explorer.nestedEvery = 24
    explorer.nestedStates = 2
    explorer.killedStates = 2
    explorer.seed = seed
    let run = ScriptRun()
    run.run(Script.long(16, seed: seed))
    var report = explorer.explore(run.points)
    report.violations += run.violations
    report.places += run.violations.map { _ in "the run itself" }
    return report
  }()

  static func expectNone(_ invariant: Int) {
    #expect(report.points > 80 && report.states > 300)
    for (violation, place) in zip(report.violations, report.places)
    where violation.invariant == invariant {
      Issue.record("\(violation), \(place), seed \(seed)")
    }
  }
}
