import Freshet
import FreshetTesting

extension Duration {
  /// A length of time in characters of a diagram, as long as a tick is a millisecond.
  static func ticks(_ count: Int) -> Duration { .milliseconds(count) }
}

extension Recorder {
  /// What was recorded, each with its tick, as in `7@13`.
  var ticked: [String] {
    events.map { event in
      let tick = event.moment.ticks
      return switch event.signal {
      case .value(let value): "\(value)@\(tick)"
      case .end(.finished): "finished@\(tick)"
      case .end(.failed(let failure)): "failed(\(failure))@\(tick)"
      }
    }
  }
}

extension ScriptedSource {
  /// At which ticks it was subscribed to.
  var starts: [Int] { subscriptions.map(\.start.ticks) }
}

extension Moment {
  fileprivate var ticks: Int { Int((sinceOrigin / .ticks(1)).rounded()) }
}
