import Freshet
import Synchronization

extension StreamContract {
  /// How and when a paused observer resumes.
  private enum Resuming: Sendable, CaseIterable {
    /// From inside the delivery, before the source can have parked.
    case inside
    /// Later, on the same thread.
    case later
    /// Later, on another thread.
    case otherThread
    /// On another thread, while the delivery is still running.
    case otherThreadInside
  }

  /// Rule 6: a paused observer stops the source soon, also when it resumes now and then.
  func boundViolations() -> [ContractViolation] {
    guard !traits.contains(.noSource) else { return [] }
    var found: [ContractViolation] = []
    let limit = 20_000
    let source = ScriptedSource<Int, ContractFailure>(
      generating: { $0 < limit ? $0 : nil }, end: nil)
    let setup = rig(source)
    let recorder = Recorder<Subject.Element, Subject.Failure> { _, _ in .pause }
    recorder.subscribe(to: setup.flow)
    setup.settle()
    for round in 0..<50 where recorder.valueCount > 0 {
      let taken = recorder.valueCount
      if taken > round + 1 {
        found.append(
          violation(
            6, "an observer that pauses at each value and has resumed \(round) times got \(taken)"))
        break
      }
      let excess = source.log.sent - taken
      if excess > allowance {
        found.append(
          violation(
            6,
            "an observer that pauses has taken \(taken) values by round \(round); the source "
              + "was asked for \(source.log.sent), more than \(allowance) ahead"))
        break
      }
      recorder.resume()
      setup.settle()
    }
    recorder.dispose()
    return found
  }

  /// Flow control: pausing changes when values come, not which.
  func flowControlViolations() -> [ContractViolation] {
    var found: [ContractViolation] = []
    let expected = outputs(pausingEvery: 0, .later)
    let plain = outputs(pausingEvery: 0, .later, plainly: true)
    if plain.lines != expected.lines {
      found.append(
        violation(
          6, "an observer that cannot pause: expected \(expected.lines), got \(plain.lines)"))
    }
    for interval in 1...3 {
      for resuming in Resuming.allCases {
        let actual = outputs(pausingEvery: interval, resuming)
        let when = "pausing at every \(interval). value, resuming \(resuming)"
        found += complaints(actual.complaints, rule: 2, when: when)
        if actual.lines != expected.lines {
          found.append(
            violation(6, "\(when): expected \(expected.lines), got \(actual.lines)"))
        }
      }
    }
    return found
  }

  private func outputs(
    pausingEvery interval: Int, _ resuming: Resuming, plainly: Bool = false
  ) -> (lines: [String], complaints: [String]) {
    let source = ScriptedSource<Int, ContractFailure>(playing: Array(1...7))
    let setup = rig(source)
    let recorder = Recorder<Subject.Element, Subject.Failure> { recorder, _ in
      guard interval > 0, recorder.valueCount.isMultiple(of: interval) else { return .more }
      switch resuming {
      case .inside: recorder.resume()
      case .otherThreadInside: Threads.concurrently(1) { _ in recorder.resume() }
      case .later, .otherThread: break
      }
      return .pause
    }
    if plainly {
      recorder.subscribeWithoutPausing(to: setup.flow)
    } else {
      recorder.subscribe(to: setup.flow)
    }
    setup.settle()
    for _ in 0..<20 where interval > 0 && !recorder.hasEnded {
      switch resuming {
      case .later: recorder.resume()
      case .otherThread: Threads.concurrently(1) { _ in recorder.resume() }
      case .inside, .otherThreadInside: break
      }
      setup.settle()
    }
    recorder.dispose()
    let lines = recorder.transcript
    return (traits.contains(.reorders) ? lines.sorted() : lines, recorder.violations)
  }
}
