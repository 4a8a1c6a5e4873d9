import Freshet
import FreshetTesting

/// The source sends 1, 2, 3: each stands for the subject of that number.
private let lists: [[Step]] = [
  [.value(0, 1), .value(0, 2), .finish(0)], [.value(1, 10), .finish(1)],
  [.value(2, 20), .value(2, 21), .finish(2)],
]
private let failingLists: [[Step]] = [
  [.value(0, 1), .value(0, 2), .finish(0)], [.value(1, 10), .fail(1)], [.value(2, 20), .finish(2)],
]

/// What inner subjects have ended, and how; shared by the models below.
private struct Inners {
  var ends: [Int: String] = [:]
  var running: [Int] = []
  var waiting: [Int] = []
  var sourceIsOver = false
  var sum = 0

  /// Takes note of an end; nil for steps that are none.
  mutating func noteEnd(_ step: Step) -> Int? {
    switch step {
    case .finish(let port) where port > 0:
      ends[port] = "finished"
      return port
    case .fail(let port) where port > 0:
      ends[port] = "failed(first)"
      return port
    default: return nil
    }
  }
}

/// Up to so many at a time; the rest wait.
private func sideBySide(
  limit: Int, delaysFailures: Bool = false
) -> @Sendable ([Step]) -> [String] {
  model((inners: Inners(), failed: false)) { state, step, out in
    func start(_ port: Int) {
      guard let end = state.inners.ends[port] else {
        state.inners.running.append(port)
        return
      }
      // It has ended before: its end comes at once.
      if end != "finished" {
        if delaysFailures { state.failed = true } else { out.append(end) }
      }
    }
    func startNext() {
      while state.inners.running.count < limit, !state.inners.waiting.isEmpty {
        start(state.inners.waiting.removeFirst())
      }
    }
    switch step {
    case .value(0, let port):
      state.inners.waiting.append(port)
      startNext()
    case .value(let port, let value):
      if state.inners.running.contains(port) { out.append("\(value)") }
    case .finish(0): state.inners.sourceIsOver = true
    default:
      if let port = state.inners.noteEnd(step), state.inners.running.contains(port) {
        state.inners.running.removeAll { $0 == port }
        if case .fail = step {
          if delaysFailures { state.failed = true } else { out.append("failed(first)") }
        }
        if out.last?.hasPrefix("failed") != true { startNext() }
      }
    }
    if out.last?.hasPrefix("failed") != true, state.inners.sourceIsOver,
      state.inners.running.isEmpty, state.inners.waiting.isEmpty
    {
      out.append(state.failed ? "failed(first)" : "finished")
    }
  }
}

/// One at a time: the latest, or the first.
private func oneAtATime(keepsFirst: Bool) -> @Sendable ([Step]) -> [String] {
  model(Inners()) { state, step, out in
    switch step {
    case .value(0, let port):
      if keepsFirst, !state.running.isEmpty { return }
      state.running = []
      switch state.ends[port] {
      case nil: state.running = [port]
      case "finished"?: break
      case let end?: out.append(end)
      }
    case .value(let port, let value):
      if state.running == [port] { out.append("\(value)") }
    case .finish(0): state.sourceIsOver = true
    default:
      if let port = state.noteEnd(step), state.running == [port] {
        state.running = []
        if case .fail = step { out.append("failed(first)") }
      }
    }
    if out.last?.hasPrefix("failed") != true, state.sourceIsOver, state.running.isEmpty {
      out.append("finished")
    }
  }
}

let flatteningOrders: [OrdersCase] = [lists, failingLists].flatMap { lists in
  [
    OrdersCase("flatMap", rules: ["FlatMapRule"], lists) { subjects, _ in
      subjects[0].flatMap { subjects[$0] }
    } model: {
      sideBySide(limit: .max)($0)
    },
    OrdersCase("concatMap", rules: ["FlatMapRule"], lists) { subjects, _ in
      subjects[0].concatMap { subjects[$0] }
    } model: {
      sideBySide(limit: 1)($0)
    },
    OrdersCase("flatMapDelayingFailures", rules: ["DelayFailuresRule"], lists) { subjects, _ in
      subjects[0].flatMapDelayingFailures { subjects[$0] }
    } model: {
      sideBySide(limit: .max, delaysFailures: true)($0)
    },
    OrdersCase(
      "flatMapDelayingFailures, one at a time", rules: ["DelayFailuresRule"], lists
    ) { subjects, _ in
      subjects[0].flatMapDelayingFailures(maxConcurrent: 1) { subjects[$0] }
    } model: {
      sideBySide(limit: 1, delaysFailures: true)($0)
    },
    OrdersCase("switchMap", rules: ["SwitchMapRule"], lists) { subjects, _ in
      subjects[0].switchMap { subjects[$0] }
    } model: {
      oneAtATime(keepsFirst: false)($0)
    },
    OrdersCase("exhaustMap", rules: ["ExhaustMapRule"], lists) { subjects, _ in
      subjects[0].exhaustMap { subjects[$0] }
    } model: {
      oneAtATime(keepsFirst: true)($0)
    },
    OrdersCase("mergeScan", rules: ["MergeScanRule"], lists) { subjects, _ in
      // The sum so far does not change what the step is, so the model stays plain.
      subjects[0].mergeScan(0, maxConcurrent: 1) { sum, port in subjects[port] }
    } model: {
      sideBySide(limit: 1)($0)
    },
    OrdersCase("expand", rules: ["ExpandRule"], lists) { subjects, _ in
      // 10 and 20 stand for nothing further.
      subjects[0].expand { value in
        value < 10 ? subjects[value].erased() : Empty<Int, Problem>().erased()
      }
    } model: { steps in
      model(Inners()) { state, step, out in
        switch step {
        case .value(0, let port):
          out.append("\(port)")
          switch state.ends[port] {
          case nil: state.running.append(port)
          case "finished"?: break
          case let end?: out.append(end)
          }
        case .value(let port, let value):
          if state.running.contains(port) { out.append("\(value)") }
        case .finish(0): state.sourceIsOver = true
        default:
          if let port = state.noteEnd(step), state.running.contains(port) {
            state.running.removeAll { $0 == port }
            if case .fail = step { out.append("failed(first)") }
          }
        }
        if out.last?.hasPrefix("failed") != true, state.sourceIsOver, state.running.isEmpty {
          out.append("finished")
        }
      }(steps)
    },
    OrdersCase("window until, with marks", rules: ["WindowRule"], [lists[0], lists[2]]) {
      subjects, _ in
      subjects[0].window(until: subjects[2]).concatMap { window in
        window.map { "\($0)" }.startWith("[").endWith("]")
      }
    } model: { steps in
      ["["]
        + model(()) { _, step, out in
          switch step {
          case .value(0, let value): out.append("\(value)")
          case .value: out += ["]", "["]
          case .finish(0): out += ["]", "finished"]
          default: break
          }
        }(steps)
    },
  ]
}
