@testable import FreshetModels

extension Step {
  /// Each transition as `from cause to`.
  var phases: [String] {
    transitions.map { "\($0.from.name) \($0.cause.rawValue) \($0.to.name)" }
  }

  /// This step and the next as one.
  func followed(by step: Step) -> Step {
    var all = self
    all.state = step.state
    all.transitions += step.transitions
    all.effects += step.effects
    all.notices += step.notices
    return all
  }

  /// What some events lead to, one after the other.
  func after(_ events: S.Event...) -> Step { after(events) }

  /// What some events lead to, one after the other.
  func after(_ events: [S.Event]) -> Step {
    events.reduce(self) { all, event in all.followed(by: S.reduce(all.state, event)) }
  }

  /// What some events lead to from here on, without what led here.
  func then(_ events: S.Event...) -> Step { Step(state: state).after(events) }
}
