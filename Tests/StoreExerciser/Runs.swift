import Glibc
import StoreFaults

/// The long runs.
enum Runs {
  static let seed: UInt64 = {
    if let text = getenv("FRESHET_SEED"), let seed = UInt64(String(cString: text)) { return seed }
    return UInt64.random(in: 1...UInt64(UInt32.max))
  }()

  static func seconds(_ work: () throws -> Void) rethrows -> String {
    let time = try ContinuousClock().measure(work)
    let tenths =
      Int(time.components.seconds * 10) + Int(time.components.attoseconds / 100_000_000_000_000_000)
    return "\(tenths / 10).\(tenths % 10) s"
  }

  static func crash(_ wanted: Int) {
    var total = CrashExplorer.Report()
    var points = 0
    var scripts = 0
    let time = seconds {
      while total.states + total.nested < wanted && total.violations.isEmpty {
        var explorer = CrashExplorer()
        explorer.seed = seed &+ UInt64(scripts)
        let run = ScriptRun()
        run.run(Script.long(scripts == 0 ? 240 : 60, seed: explorer.seed))
        let report = explorer.explore(run.points)
        total.states += report.states
        total.nested += report.nested
        total.violations += run.violations + report.violations
        total.places += run.violations.map { _ in "the run itself" } + report.places
        points += report.points
        scripts += 1
      }
    }
    Report.line(
      "crash: \(points) boundaries of \(scripts) scripts, \(total.states) states, "
        + "\(total.nested) more during recovery, \(total.violations.count) broken promises, "
        + "\(time), FRESHET_SEED=\(seed)")
    Report.end(zip(total.violations, total.places).map { "\($0) @ \($1)" })
  }

  /// Places whose absence these runs do not have to notice.
  private static let repeated: Set<SyncSite> = [
    // Recovery has synced the directory for the file that keeps what was cut off.
    SyncSite(call: "sync directory ", after: "truncate log"),
    // Whoever wrote into a new segment has synced its name first.
    SyncSite(call: "sync directory ", after: "write log"),
    // The index of a snapshot that never got its name has come back: nobody looks at it. The same
    // call is missed where something else was removed last.
    SyncSite(call: "sync directory ", after: "remove snap.idx"),
  ]

  static func mutations(_ word: String) {
    var explorer = CrashExplorer()
    explorer.randomStates = 12
    explorer.killedStates = 12
    explorer.segmentBytes = 1200
    explorer.verifiedEvery = 4
    let check = MutationCheck(explorer: explorer, steps: Script.long(24, seed: 1))
    var missed: [String] = []
    let time = seconds {
      for site in check.sites() where site.description.contains(word) {
        let finding = check.check(site)
        Report.line("  \(site): \(finding.violation.map(\.description) ?? "missed by nobody")")
        if finding.violation == nil, !repeated.contains(site) {
          missed.append("\(site) is missed by nobody")
        }
      }
    }
    Report.line("mutations: \(missed.count) syncs that nobody misses, \(time)")
    Report.end(missed)
  }

  static func calls() {
    var report = CallFaults.Report()
    let time = seconds { report = CallFaults().run() }
    Report.line(
      "calls: \(report.calls) calls, \(report.runs) runs, \(report.violations.count) broken "
        + "promises, \(time)")
    Report.end(report.violations)
  }

  static func model(_ count: Int) {
    var violations: [String] = []
    let time = seconds { violations = RandomSequences(seed: seed).run(count) }
    Report.line(
      "model: \(count) sequences, \(violations.count) broken promises, \(time), "
        + "FRESHET_SEED=\(seed)")
    Report.end(violations)
  }

  static func sweep() {
    let sweep = CorruptionSweep()
    var missed: [String] = []
    let time = seconds { missed = sweep.flips(every: 1) + sweep.zeroedSectors() }
    Report.line("sweep: \(sweep.bytes) bytes and their sectors, \(missed.count) missed, \(time)")
    Report.end(missed)
  }

  /// Runs in a folder of its own, which is removed when nothing went wrong.
  private static func inFolder(_ parent: String, _ work: (String) throws -> [String]) throws {
    let folder = "\(parent)/freshet-exerciser-\(getpid())"
    mkdir(folder, 0o700)
    let violations = try work(folder)
    Report.end(violations.map { "\($0) (kept in \(folder))" })
    Folder.remove(folder)
  }

  static func writers(_ parent: String) throws {
    try inFolder(parent) { folder in
      var report = Competition.Report()
      let time = try seconds {
        report = try Competition(seed: seed).run(
          writers: 4, count: 1000, kills: 20, path: folder + "/store")
      }
      Report.line(
        "writers: 4 processes, \(report.raised) times, \(report.stops) stops, "
          + "\(report.kills) kills, \(report.violations.count) broken promises, \(time), "
          + "FRESHET_SEED=\(seed)")
      return report.violations
    }
  }

  static func live(_ seconds: Int, _ parent: String) throws {
    try inFolder(parent) { folder in
      let (violations, summary) = try LiveRun(
        path: folder + "/store", seconds: seconds, seed: seed
      ).run()
      Report.line("live: \(seconds) s, \(summary), FRESHET_SEED=\(seed)")
      return violations
    }
  }

  static func soak(_ minutes: Int, _ folder: String) throws {
    mkdir(folder, 0o700)
    var run = LiveRun(path: folder + "/store", seconds: 60 * minutes, seed: seed)
    run.writerPause = 2000
    run.compactorPause = 1_000_000
    run.kills = true
    run.tells = true
    let (violations, summary) = try run.run()
    Report.line("soak: \(minutes) min, \(summary), FRESHET_SEED=\(seed)")
    Report.end(violations)
  }

  static func kill(_ kills: Int, _ parent: String) throws {
    try inFolder(parent) { folder in
      var report = KillLoop.Report()
      let time = try seconds { report = try KillLoop(seed: seed).run(kills, in: folder) }
      Report.line(
        "kill: \(report.kills) kills, \(report.acknowledged) acknowledged commits, "
          + "\(report.followed) followed, \(report.violations.count) broken promises, \(time), "
          + "FRESHET_SEED=\(seed)")
      return report.violations
    }
  }
}
