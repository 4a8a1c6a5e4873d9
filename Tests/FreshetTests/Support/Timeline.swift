import Freshet
import FreshetTesting
import Synchronization
import Testing

extension Duration {
  /// A length of time on a timeline.
  static func ticks(_ count: Int) -> Duration { .milliseconds(count) }
}

/// What happens at which tick; one character is one tick.
///
/// `-` time passes, `|` finished, `#` failed with `Problem.first`, `(ab)` several
/// events in one tick, `{xyz}` one value with a longer name, anything else a value.
struct Timeline: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
  enum Event: Sendable, Hashable {
    case value(String)
    case finished
    case failed
  }

  private(set) var ticks: [[Event]] = []

  init() {}

  init(stringLiteral text: String) {
    self.init(text)
  }

  init(_ text: String) {
    var group: [Event]?
    var rest = Substring(text)
    func put(_ event: Event) {
      if group == nil { ticks.append([event]) } else { group?.append(event) }
    }
    while let character = rest.popFirst() {
      switch character {
      case " ": continue
      case "-": ticks.append([])
      case "(": group = []
      case ")":
        ticks.append(group ?? [])
        group = nil
      case "{":
        put(.value(String(rest.prefix { $0 != "}" })))
        rest = rest.drop { $0 != "}" }.dropFirst()
      case "|": put(.finished)
      case "#": put(.failed)
      default: put(.value(String(character)))
      }
    }
    dropSilence()
  }

  mutating func add(_ event: Event, at tick: Int) {
    while ticks.count <= tick { ticks.append([]) }
    ticks[tick].append(event)
  }

  private mutating func dropSilence() {
    while ticks.last?.isEmpty == true { ticks.removeLast() }
  }

  var description: String {
    ticks.map { events in
      let texts = events.map { event in
        switch event {
        case .value(let name): name.count == 1 ? name : "{\(name)}"
        case .finished: "|"
        case .failed: "#"
        }
      }
      return texts.count == 1 ? texts[0] : texts.isEmpty ? "-" : "(\(texts.joined()))"
    }.joined()
  }
}

/// A virtual clock with sources that play timelines on it.
struct TimeRig: Sendable {
  let scheduler = VirtualScheduler()
  private let events = DisposeBag()

  /// A source that plays from now on, whether somebody listens or not.
  ///
  /// Its events come before the timers that operators set for the same tick.
  func hot(_ timeline: Timeline) -> ScriptedSource<String, Problem> {
    let source = ScriptedSource<String, Problem>()
    play(timeline, into: source)
    return source
  }

  /// A source that plays for each subscription, from its beginning.
  func cold(_ timeline: Timeline) -> ColdTimeline {
    ColdTimeline(timeline, self)
  }

  fileprivate func play(_ timeline: Timeline, into source: ScriptedSource<String, Problem>) {
    for (tick, events) in timeline.ticks.enumerated() {
      for event in events {
        scheduler.schedule(after: .ticks(tick)) {
          switch event {
          case .value(let name): source.send(name)
          case .finished: source.finish()
          case .failed: source.fail(.first)
          }
        }.store(in: self.events)
      }
    }
  }

  /// Subscribes, lets time pass and tells what came when.
  func play<Source: Flow>(
    _ flow: Source, for ticks: Int = 100, disposingAt disposal: Int? = nil,
    at location: SourceLocation = #_sourceLocation
  ) -> Timeline {
    let recorder = Recorder<Source.Element, Source.Failure>(scheduler: scheduler)
    let start = scheduler.now
    recorder.subscribe(to: flow)
    scheduler.advance(by: .ticks(disposal ?? ticks))
    let seen = recorder.events.count
    recorder.dispose()
    scheduler.advance(by: .ticks(ticks))
    #expect(recorder.events.count == seen, "nothing after a dispose", sourceLocation: location)
    #expect(recorder.violations == [], sourceLocation: location)
    return recorder.timeline(from: start)
  }
}

extension Recorder {
  /// What was recorded, each with its tick, as in `7@13`.
  var ticked: [String] {
    events.map { event in
      let tick = Int((event.moment.sinceOrigin / .ticks(1)).rounded())
      return switch event.signal {
      case .value(let value): "\(value)@\(tick)"
      case .end(.finished): "finished@\(tick)"
      case .end(.failed(let failure)): "failed(\(failure))@\(tick)"
      }
    }
  }

  /// What was recorded, by ticks.
  func timeline(from start: Moment = .zero) -> Timeline {
    var timeline = Timeline()
    for event in events {
      let tick = Int(((event.moment - start) / .ticks(1)).rounded())
      switch event.signal {
      case .value(let value): timeline.add(.value("\(value)"), at: tick)
      case .end(.finished): timeline.add(.finished, at: tick)
      case .end(.failed): timeline.add(.failed, at: tick)
      }
    }
    return timeline
  }
}

/// A cold source that plays a timeline for each subscription.
final class ColdTimeline: Flow {
  typealias Element = String
  typealias Failure = Problem
  private let timeline: Timeline
  private let rig: TimeRig
  private let runs = Mutex<[(start: Moment, source: ScriptedSource<String, Problem>)]>([])

  init(_ timeline: Timeline, _ rig: TimeRig) {
    self.timeline = timeline
    self.rig = rig
  }

  func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    let source = ScriptedSource<String, Problem>()
    runs.withLock { $0.append((rig.scheduler.now, source)) }
    let subscription = source.subscribe(observer)
    rig.play(timeline, into: source)
    return subscription
  }

  /// At which ticks it was subscribed to.
  var starts: [Int] {
    runs.withLock { $0.map { Int(($0.start.sinceOrigin / .ticks(1)).rounded()) } }
  }

  /// How many subscriptions were disposed of before their end.
  var disposals: Int { runs.withLock { $0.reduce(0) { $0 + $1.source.log.disposals } } }

  /// How many run.
  var activeCount: Int { runs.withLock { $0.reduce(0) { $0 + $1.source.activeCount } } }
}
