import Dispatch
import FreshetStore
import Synchronization

/// Lets the power go at each moment of a run, in many ways, and looks at what is left.
package struct CrashExplorer: Sendable {
  /// Random states per moment, beside nothing, everything and the prefixes.
  package var randomStates = 64
  package var prefixes = 8
  /// Of so many states one is examined through its own recovery, too.
  package var nestedEvery = 32
  package var nestedStates = 3
  /// The same for moments at which only the process ends.
  package var killedStates = 8
  package var nestedPrefixes = 4
  /// Of so many states one is read in every way.
  package var verifiedEvery = 16
  /// Of so many states one is compacted after it was opened.
  package var compactedEvery = 12
  package var seed: UInt64 = 1
  package var ignoring: Set<SyncSite> = []
  /// Ends with the first violation.
  package var stopsEarly = false
  package var segmentBytes: Int64 = 3000

  package init() {}

  package struct Report: Sendable {
    package var points = 0
    package var states = 0
    package var nested = 0
    package var sites: Set<SyncSite> = []
    package var violations: [Violation] = []
    /// How each came about.
    package var places: [String] = []

    package init() {}

    mutating func add(_ other: Report) {
      states += other.states
      nested += other.nested
      sites.formUnion(other.sites)
      violations += other.violations
      places += other.places
    }

    mutating func add(_ found: [Violation], at place: @autoclosure () -> String) {
      if found.isEmpty { return }
      violations += found
      places += Array(repeating: place(), count: found.count)
    }
  }

  package func explore(_ points: [ScriptRun.Point]) -> Report {
    let total = Mutex(Report())
    DispatchQueue.concurrentPerform(iterations: points.count) { number in
      if stopsEarly, total.withLock({ !$0.violations.isEmpty }) { return }
      let report = explore(points[number], number)
      total.withLock { $0.add(report) }
    }
    var report = total.withLock { $0 }
    report.points = points.count
    return report
  }

  private func explore(_ point: ScriptRun.Point, _ number: Int) -> Report {
    var report = Report()
    var generator = SeededGenerator(seed: seed &+ UInt64(number) &* 0x9E37)
    var seen: Set<UInt64> = []
    for state in states(PowerLoss(point.image), randomStates, prefixes, &generator)
    where seen.insert(state.key).inserted {
      examine(
        state.image, point.history, isNested: generator.below(nestedEvery) == 0,
        isVerified: generator.below(verifiedEvery) == 0, &generator, &report
      ) { "point \(number), step \(point.step), state \(state.key)" }
      if stopsEarly && !report.violations.isEmpty { return report }
    }
    // Only the process ends: what was in the cache stays there, and the next one goes on with it.
    examine(point.image, point.history, isNested: true, isVerified: false, &generator, &report) {
      "point \(number), step \(point.step), killed"
    }
    return report
  }

  private func states(
    _ loss: PowerLoss, _ random: Int, _ prefixes: Int, _ generator: inout SeededGenerator
  ) -> [PowerLoss.State] {
    var states = [loss.nothing(), loss.everything()]
    let operations = loss.operations
    let step = max(1, operations.count / max(1, prefixes))
    for at in stride(from: operations.count - 1, through: 0, by: -step) {
      states.append(loss.prefix(through: operations[at]))
    }
    for _ in 0..<random { states.append(loss.random(&generator)) }
    return states
  }

  /// Opens what is left, and writes to it; nested: lets the power go again during that.
  private func examine(
    _ image: DiskImage, _ history: History, isNested: Bool, isVerified: Bool,
    _ generator: inout SeededGenerator, _ report: inout Report, _ place: () -> String
  ) {
    report.states += 1
    report.add(SnapshotIndexCheck.violations(of: image), at: place())
    var history = history
    if isNested && !image.hasUnsynced { history.found = lastSegment(of: image) }
    let run = ScriptRun(
      image, history: history, ignoring: ignoring, isRecording: isNested,
      segmentBytes: segmentBytes)
    let save = FreshetStore.Operation.save(id: "after", body: Array(#"{"after":1}"#.utf8))
    let delete = FreshetStore.Operation.delete(id: "after")
    // After the end of a process another like it may come, which takes over what that one said of
    // itself in HEAD.
    let head = image.bytes(at: ScriptRun.path + "/HEAD").flatMap { HeadReader.watermark(in: $0) }
    let isRelaxed = isNested && image.hasUnsynced && head.map { $0.flags & 2 != 0 } ?? false
    var steps: [Step] = [
      .open(0, isRelaxed ? .interval(.seconds(86_400)) : .everyCommit), .apply(0, [save]),
    ]
    if isRelaxed { steps.append(.apply(0, [delete])) }
    if generator.below(compactedEvery) == 0 { steps += [.compact(0), .apply(0, [delete])] }
    if isVerified { steps.append(.verify(0)) }
    run.run(steps)
    report.sites.formUnion(run.sites)
    report.add(run.violations, at: place())
    guard isNested, run.violations.isEmpty else { return }
    let count = image.hasUnsynced ? killedStates : nestedStates
    for (number, point) in run.points.enumerated() {
      var seen: Set<UInt64> = []
      for state in states(PowerLoss(point.image), count, nestedPrefixes, &generator)
      where seen.insert(state.key).inserted {
        let again = ScriptRun(
          state.image, history: point.history, ignoring: ignoring, isRecording: false,
          segmentBytes: segmentBytes)
        again.run([.open(0), .apply(0, [save, delete])])
        report.nested += 1
        report.add(again.violations, at: "\(place()), then point \(number), state \(state.key)")
      }
    }
  }

  private func lastSegment(of image: DiskImage) -> (path: String, bytes: [UInt8])? {
    let logs = image.names(in: ScriptRun.path).filter { $0.hasPrefix("log-") }.sorted()
    guard let last = logs.last else { return nil }
    let path = ScriptRun.path + "/" + last
    return image.bytes(at: path).map { (path, $0) }
  }
}
