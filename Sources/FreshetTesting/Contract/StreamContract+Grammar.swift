import Freshet
import Synchronization

/// What the unruly source does, step by step.
enum ContractStep: Sendable, CustomStringConvertible {
  case value(Int)
  case finish
  case fail
  case dispose

  var description: String {
    switch self {
    case .value(let value): "send \(value)"
    case .finish: "finish"
    case .fail: "fail"
    case .dispose: "(observer disposes)"
    }
  }
}

extension StreamContract {
  /// Each script, and how many of its steps a polite source would have done.
  static var unrulyScripts: [(steps: [ContractStep], polite: Int)] {
    [
      ([.value(1), .finish, .value(2), .finish], 2),
      ([.value(1), .value(2), .finish, .fail, .value(3), .finish], 3),
      ([.fail, .value(1), .finish, .fail], 1),
      ([.value(1), .fail, .fail, .value(2)], 2),
      ([.finish, .finish, .value(1), .fail], 1),
      ([.value(1), .dispose, .value(2), .finish, .fail], 2),
      ([.value(1), .value(2), .value(3), .dispose, .fail, .value(4)], 4),
      ([.dispose, .value(1), .finish], 1),
    ]
  }

  /// Rule 1: `value* (finished | failed)?`, whatever the source does.
  func grammarViolations() -> [ContractViolation] {
    guard !traits.contains(.noSource) else { return [] }
    var found: [ContractViolation] = []
    for (steps, polite) in Self.unrulyScripts {
      let expected = transcript(of: Array(steps[..<polite]), manners: .polite)
      let actual = transcript(of: steps, manners: .unruly)
      if actual != expected {
        found.append(
          violation(1, "an unruly source did \(steps): expected \(expected), got \(actual)"))
      }
    }
    // A second start: the first source lives, the second handle is disposed of.
    let source = ScriptedSource<Int, ContractFailure>(.unruly)
    let setup = rig(source)
    let log = EventLog()
    let token = log.subscribe(to: setup.flow)
    if source.log.subscriptions == 1 {
      source.send(1)
      setup.settle()
      let second = source.startAgain()
      for value in 2...3 {
        source.send(value)
        setup.settle()
      }
      source.finish()
      setup.settle()
      if !second.allSatisfy(\.isDisposed) {
        found.append(violation(1, "a second start: the second handle was not disposed of"))
      }
      let steps: [ContractStep] = [.value(1), .value(2), .value(3), .finish]
      let expected = transcript(of: steps, manners: .polite)
      if log.lines != expected {
        found.append(
          violation(1, "a second start in the middle: expected \(expected), got \(log.lines)"))
      }
    }
    token.dispose()
    source.release()
    return found
  }

  private func transcript(
    of steps: [ContractStep], manners: ScriptedSource<Int, ContractFailure>.Manners
  ) -> [String] {
    let source = ScriptedSource<Int, ContractFailure>(manners)
    let setup = rig(source)
    let log = EventLog()
    let token = log.subscribe(to: setup.flow)
    // What subscribes late must have done so: each attempt of the source counts.
    if traits.contains(.late) { setup.settle() }
    for step in steps {
      switch step {
      case .value(let value): source.send(value)
      case .finish: source.finish()
      case .fail: source.fail(ContractFailure())
      case .dispose: token.dispose()
      }
      setup.settle()
    }
    token.dispose()
    source.release()
    return log.lines
  }
}

/// What a subscription by closures was told, as text.
final class EventLog: Sendable {
  private let state = Mutex<[String]>([])

  var lines: [String] { state.withLock { $0 } }

  func note(_ line: String) {
    state.withLock { $0.append(line) }
  }

  func subscribe<Source: Flow>(to flow: Source) -> Disposable {
    flow.subscribe(
      onValue: { self.note("\($0)") },
      onEnd: { end in
        switch end {
        case .finished: self.note("finished")
        case .failed(let failure): self.note("failed(\(failure))")
        }
      })
  }
}
