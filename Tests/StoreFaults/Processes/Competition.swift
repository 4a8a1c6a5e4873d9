import Freshet
import FreshetStore
import Glibc

/// Several processes raise one counter, each on condition that nobody was faster, while some are
/// stopped for a moment and some are killed.
package struct Competition: Sendable {
  package struct Report: Sendable {
    package var raised = 0
    package var stops = 0
    package var kills = 0
    package var violations: [String] = []

    package init() {}
  }

  package var seed: UInt64
  package var program = ExerciserProgram.path

  package init(seed: UInt64) { self.seed = seed }

  package func run(writers: Int, count: Int, kills: Int, path: String) throws -> Report {
    var report = Report()
    var generator = SeededGenerator(seed: seed)
    try DatabaseManager.open(at: path, options: ChildWork.options()).close()
    var lines: [String] = []
    var children = try (0..<writers).map { _ in try start(path, count) }
    var hasEnded = false
    while !hasEnded {
      hasEnded = true
      for at in children.indices {
        let new = children[at].lines(wait: false)
        lines += new
        // A child that has nothing more to say has closed its end, and waits here for nothing.
        if lines.count < writers * count || !new.isEmpty { hasEnded = false }
      }
      guard !hasEnded else { break }
      let victim = generator.below(writers)
      if report.kills < kills, generator.chance(1, of: 4) {
        children[victim].signal(SIGKILL)
        children[victim].wait()
        lines += children[victim].lines(wait: true)
        children[victim] = try start(path, count)
        report.kills += 1
      } else {
        children[victim].signal(SIGSTOP)
        usleep(UInt32(generator.below(4000)))
        children[victim].signal(SIGCONT)
        report.stops += 1
      }
      usleep(2000)
    }
    for child in children {
      child.signal(SIGKILL)
      child.wait()
      lines += child.lines(wait: true)
    }
    report.raised = lines.count
    try compare(lines, path, &report)
    return report
  }

  private func start(_ path: String, _ count: Int) throws -> ChildProcess {
    try ChildProcess(program, ["compete", path, "\(count)"])
  }

  private func compare(_ lines: [String], _ path: String, _ report: inout Report) throws {
    let manager = try DatabaseManager.open(at: path, options: ChildWork.options())
    let pending = PendingChanges(manager.changes(since: .oldest))
    manager.close()
    let sets = try pending.wait().get()
    let revisions = sets.map(\.revision)
    if revisions != Array(1...Int64(max(1, sets.count))) {
      report.violations.append("the revisions are not 1 to \(sets.count)")
    }
    for (number, set) in sets.enumerated() {
      let value = set.changes.first?.body.flatMap { ChildWork.value(of: $0) }
      if value != number + 1 {
        report.violations.append("revision \(set.revision) is \(String(describing: value))")
      }
    }
    let answers = lines.map { $0.split(separator: " ").compactMap { Int($0) } }
    if Set(answers.map { $0.first ?? 0 }).count != answers.count {
      report.violations.append("a revision was given to two writers")
    }
    for answer in answers where answer.count != 2 || answer[0] != answer[1] {
      report.violations.append("an answer was \(answer)")
    }
    if answers.count > sets.count {
      report.violations.append("\(answers.count) answers, \(sets.count) commits")
    }
  }
}
