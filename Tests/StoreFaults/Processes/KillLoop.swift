import Freshet
import FreshetStore
import Glibc

/// Kills writers at random moments while a third process follows, and compares what was
/// acknowledged, what was followed, and what is there.
package struct KillLoop: Sendable {
  package struct Report: Sendable {
    package var kills = 0
    package var acknowledged = 0
    package var followed = 0
    package var violations: [String] = []

    package init() {}
  }

  package var seed: UInt64
  package var program = ExerciserProgram.path
  /// A fresh store after so many kills.
  package var killsPerStore = 50

  package init(seed: UInt64) { self.seed = seed }

  /// Works in `folder`, which must be there.
  package func run(_ kills: Int, in folder: String) throws -> Report {
    var report = Report()
    var generator = SeededGenerator(seed: seed)
    var store = 0
    while report.kills < kills, report.violations.isEmpty {
      let count = min(killsPerStore, kills - report.kills)
      try round(
        count, path: "\(folder)/kill-\(seed)-\(store)", isRelaxed: store % 3 == 2, &generator,
        &report)
      store += 1
    }
    return report
  }

  private func round(
    _ kills: Int, path: String, isRelaxed: Bool, _ generator: inout SeededGenerator,
    _ report: inout Report
  ) throws {
    try DatabaseManager.open(at: path, options: ChildWork.options()).close()
    let follower = try ChildProcess(program, ["follow", path])
    var seen: [String] = []
    var acknowledged: [(number: Int, revision: Int64)] = []
    var next = 0
    for kill in 0..<kills {
      let writer = try ChildProcess(
        program, ["write", path, "w\(kill)", "\(next)", isRelaxed ? "relaxed" : "strict"])
      usleep(UInt32(generator.below(50_000)))
      writer.signal(SIGKILL)
      writer.wait()
      for line in writer.lines(wait: true) {
        let words = line.split(separator: " ").compactMap { Int64($0) }
        guard words.count == 2 else {
          report.violations.append("writer said: \(line)")
          continue
        }
        acknowledged.append((Int(words[0]), words[1]))
        next = max(next, Int(words[0]) + 1)
      }
      // The commit after the last acknowledged one may be there too.
      next += 1
      seen += follower.lines(wait: false)
      report.kills += 1
    }
    try compare(path, follower, seen, acknowledged, &report)
  }

  private func compare(
    _ path: String, _ follower: ChildProcess, _ early: [String],
    _ acknowledged: [(number: Int, revision: Int64)], _ report: inout Report
  ) throws {
    let manager = try DatabaseManager.open(at: path, options: ChildWork.options())
    let marker = try manager.apply([.save(id: "end", body: Array("{}".utf8))]).wait()?.get()
    let last = "\(marker?.token?.revision ?? 0) added:end"
    var seen = early
    while seen.last != last {
      let more = follower.lines(wait: true)
      if more.isEmpty { break }
      seen += more
    }
    let all = PendingChanges(manager.changes(since: .oldest))
    manager.close()
    let there = try all.wait().get()
    let expected = there.map { "\($0.revision) \(ChildWork.line(of: $0))" }
    if seen != expected {
      let at = zip(seen, expected).prefix { $0 == $1 }.count
      report.violations.append(
        "follower differs at change \(at) of \(expected.count): "
          + "\(seen.dropFirst(at).first ?? "end") instead of "
          + "\(expected.dropFirst(at).first ?? "end")")
    }
    let lines = Dictionary(
      uniqueKeysWithValues: there.map { ($0.revision, ChildWork.line(of: $0)) })
    for (number, revision) in acknowledged {
      if lines[revision]?.contains("-\(number)") != true {
        report.violations.append("revision \(revision), acknowledged for \(number), is lost")
      }
    }
    report.acknowledged += acknowledged.count
    report.followed += seen.count
  }
}
