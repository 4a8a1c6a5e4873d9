import Dispatch
import FreshetStore
import Synchronization

/// Lets each call of a run fail in turn, once or from then on.
package struct CallFaults: Sendable {
  package enum Kind: Sendable, CaseIterable {
    case inputOutput, noSpace, interrupted, oneByte, halfWritten

    fileprivate func fault(_ call: DiskCall) -> DiskFault? {
      switch self {
      case .inputOutput: .fail(5)
      case .noSpace: .fail(28)
      case .interrupted: .fail(4)
      case .oneByte: call.kind == .write ? .short(1) : nil
      case .halfWritten: call.kind == .write ? .short(max(1, call.count / 2)) : nil
      }
    }
  }

  package struct Report: Sendable {
    package var calls = 0
    package var runs = 0
    package var violations: [String] = []

    package init() {}
  }

  package var steps = Script.calls
  package var seed: UInt64 = 1
  /// Every so many calls; 1 for each.
  package var stride = 1

  package init() {}

  package func run() -> Report {
    let probe = ScriptRun(isRecording: false, segmentBytes: 600)
    probe.run(steps)
    let calls = probe.disk.calls
    let cases = Swift.stride(from: 1, through: calls, by: stride).flatMap { number in
      Kind.allCases.flatMap { [(number, $0, false), (number, $0, true)] }
    }
    let total = Mutex(Report())
    total.withLock { total in
      total.calls = calls
      total.violations = probe.violations.map(\.description)
    }
    DispatchQueue.concurrentPerform(iterations: cases.count) { at in
      let (number, kind, isSticky) = cases[at]
      let violations = run(number, kind, isSticky)
      total.withLock { total in
        total.runs += 1
        total.violations += violations.map {
          "call \(number), \(kind)\(isSticky ? " from then on" : ""): \($0)"
        }
      }
    }
    return total.withLock { $0 }
  }

  private func run(_ number: Int, _ kind: Kind, _ isSticky: Bool) -> [Violation] {
    let turn = TurnCounter()
    let failed = Mutex<DiskCall?>(nil)
    let run = ScriptRun(isRecording: false, segmentBytes: 600)
    let rule: SimulatedDisk.Rule = { call in
      if turn.next() == number - 1 {
        failed.withLock { $0 = call }
        return kind.fault(call)
      }
      guard isSticky, let first = failed.withLock({ $0 }) else { return nil }
      return first.kind == call.kind && first.file == call.file ? kind.fault(call) : nil
    }
    // Interrupted for ever is no disk; the loops would be right not to end.
    if isSticky && kind == .interrupted { return [] }
    run.run([.faults(rule)] + steps + [.faults(nil), .kill])
    var violations = run.violations
    let image = run.disk.image
    var generator = SeededGenerator(seed: seed &+ UInt64(number))
    let loss = PowerLoss(image)
    for image in [image, loss.nothing().image, loss.random(&generator).image] {
      let after = ScriptRun(image, history: run.history, isRecording: false, segmentBytes: 600)
      after.run([.open(0), .apply(0, [.save(id: "after", body: Array("{}".utf8))]), .verify(0)])
      violations += after.violations
    }
    return violations
  }
}
