import Dispatch
import FreshetStore
import Synchronization

/// Many short random histories with closings, kills and power losses in between, each compared with
/// a list of rows.
package struct RandomSequences: Sendable {
  package var seed: UInt64

  package init(seed: UInt64) { self.seed = seed }

  /// What went wrong, each with the number of its sequence.
  package func run(_ count: Int) -> [String] {
    let found = Mutex<[String]>([])
    DispatchQueue.concurrentPerform(iterations: count) { number in
      let violations = sequence(number)
      if !violations.isEmpty {
        found.withLock { $0 += violations.map { "sequence \(number): \($0)" } }
      }
    }
    return found.withLock { $0 }
  }

  package func sequence(_ number: Int) -> [Violation] {
    var generator = SeededGenerator(seed: seed &+ UInt64(number) &* 0x2545_F491_4F6C_DD1D)
    var image = DiskImage(directory: "/disk")
    var history = History()
    for round in 0..<3 {
      let run = ScriptRun(image, history: history, isRecording: false, segmentBytes: 700)
      let managers = generator.chance(1, of: 3) ? [0, 1] : [0]
      let kept = [0, 0, 4, 1000][generator.below(4)]
      var steps: [Step] = managers.map { .open($0, keeping: kept) }
      steps += Script.work(
        1 + generator.below(8), by: managers, from: round * 100, &generator, compacting: 6)
      let end = generator.below(3)
      if end == 0 { steps += managers.map { .close($0) } }
      run.run(steps + [.kill])
      if !run.violations.isEmpty { return run.violations }
      history = run.history
      image = end == 2 ? PowerLoss(run.disk.image).random(&generator).image : run.disk.image
    }
    let last = ScriptRun(image, history: history, isRecording: false, segmentBytes: 700)
    last.run([.open(0), .verify(0)])
    return last.violations
  }
}
