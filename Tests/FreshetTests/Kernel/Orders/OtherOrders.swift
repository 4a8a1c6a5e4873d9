import Freshet
import FreshetTesting

/// A source that is another subject with each subscription.
private func attempts(
  _ subjects: [PublishSubject<Int, Problem>]
) -> Deferred<PublishSubject<Int, Problem>> {
  let count = Counter()
  return Deferred { subjects[count.next() - 1] }
}

private struct Attempts {
  var ends: [Int: Step] = [:]
  var current = 0
  var left: Int
  var isRunning = true
  var isAsked = false
}

/// Follows one attempt after the other; `again` says whether an end of this kind causes another.
private func attemptsModel(
  left: Int, again: @escaping @Sendable (Step) -> Bool
) -> @Sendable ([Step]) -> [String] {
  model(Attempts(left: left)) { state, step, out in
    switch step {
    case .value(let port, let value):
      if port == state.current { out.append("\(value)") }
    case .finish(let port), .fail(let port):
      state.ends[port] = step
      // An attempt that has ended already ends the next one at once.
      while let end = state.ends[state.current] {
        guard again(end), state.left > 0 else {
          if case .finish = end { out.append("finished") } else { out.append("failed(first)") }
          return
        }
        state.left -= 1
        state.current += 1
      }
    case .tick, .resume: break
    }
  }
}

private let failures: [[Step]] = [
  [.value(0, 1), .fail(0)], [.value(1, 2), .fail(1)], [.value(2, 3), .fail(2)],
]
private let finishes: [[Step]] = [
  [.value(0, 1), .finish(0)], [.value(1, 2), .finish(1)], [.value(2, 3), .fail(2)],
]
private let signalled: [[Step]] = [
  [.value(0, 1), .fail(0)], [.value(1, 2), .fail(1)], [.value(3, 9), .value(3, 9), .finish(3)],
]

let otherOrders: [OrdersCase] = [
  OrdersCase("retry(2)", rules: ["RetryRule"], failures) { subjects, _ in
    attempts(subjects).retry(2)
  } model: { steps in
    attemptsModel(left: 2) { if case .fail = $0 { true } else { false } }(steps)
  },
  OrdersCase("repeat(3)", rules: ["RepeatRule"], finishes) { subjects, _ in
    attempts(subjects).repeat(3)
  } model: { steps in
    attemptsModel(left: 2) { if case .finish = $0 { true } else { false } }(steps)
  },
  OrdersCase("retry when", rules: ["AgainRule"], signalled) { subjects, _ in
    attempts(subjects).retry { _ in subjects[3] }
  } model: { steps in
    model(Attempts(left: 0)) { state, step, out in
      func lookAtEnd() {
        while state.isRunning, state.ends[state.current] != nil {
          state.isRunning = state.isAsked
          state.isAsked = false
          state.current += 1
        }
      }
      switch step {
      case .value(3, _):
        if state.isRunning { state.isAsked = true } else { state.isRunning = true }
        lookAtEnd()
      case .finish(3): out.append("finished")
      case .value(let port, let value):
        if state.isRunning, port == state.current { out.append("\(value)") }
      case .fail(let port):
        state.ends[port] = step
        lookAtEnd()
      case .finish, .tick, .resume: break
      }
    }(steps)
  },
  OrdersCase(
    "catchError", rules: ["CatchRule"], [[.value(0, 1), .fail(0)], [.value(1, 2), .finish(1)]]
  ) { subjects, _ in
    subjects[0].catchError { _ in subjects[1] }
  } model: { steps in
    model((isSecond: false, isOver: false)) { state, step, out in
      switch step {
      case .value(0, let value): out.append("\(value)")
      case .value(_, let value): if state.isSecond { out.append("\(value)") }
      case .fail:
        state.isSecond = true
        if state.isOver { out.append("finished") }
      case .finish:
        state.isOver = true
        if state.isSecond { out.append("finished") }
      case .tick, .resume: break
      }
    }(steps)
  },
  OrdersCase(
    "catchEveryError", rules: ["CatchEveryRule"],
    [[.value(0, 1), .fail(0)], [.value(1, 2), .fail(1)], [.value(2, 3), .finish(2)]]
  ) { subjects, _ in
    let next = Counter()
    return subjects[0].catchEveryError { _ in subjects[next.next()] }
  } model: { steps in
    // Which one is followed, and which have ended before they were.
    model((followed: 0, over: Set<Int>())) { state, step, out in
      switch step {
      case .value(state.followed, let value): out.append("\(value)")
      case .fail(let source), .finish(let source): state.over.insert(source)
      case .value, .tick, .resume: return
      }
      while state.followed < 3, state.over.contains(state.followed) {
        state.followed += 1
        if state.followed == 3 { out.append("finished") }
      }
    }(steps)
  },
  OrdersCase(
    "groupBy, the groups side by side", rules: ["GroupByRule"],
    [[.value(0, 1), .value(0, 2), .value(0, 3), .finish(0)], [.value(1, 10), .fail(1)]]
  ) { subjects, _ in
    subjects[0].merge(with: subjects[1]).groupBy { $0 % 2 }.flatMap { group in
      group.map { "\(group.key):\($0)" }
    }
  } model: { steps in
    model(0) { _, step, out in
      switch step {
      case .value(_, let value): out.append("\(value % 2):\(value)")
      case .fail: out.append("failed(first)")
      case .finish, .tick, .resume: break
      }
    }(steps)
  },
  OrdersCase(
    "materialize, for an observer that pauses", rules: ["LastWordRule"],
    [[.value(0, 1), .value(0, 2), .finish(0)], [.resume, .resume, .resume]], pauses: true
  ) { subjects, _ in
    subjects[0].materialize().map { event in
      if case .value(let value) = event { "\(value)" } else { "end" }
    }.promoteFailure(to: Problem.self)
  } model: {
    pausing($0, last: "end")
  },
  OrdersCase(
    "buffer by count, for an observer that pauses", rules: ["BufferByCountRule"],
    [
      [.value(0, 1), .value(0, 2), .value(0, 3), .value(0, 4), .finish(0)],
      [.resume, .resume, .resume],
    ], pauses: true
  ) { subjects, _ in
    subjects[0].buffer(count: 2).map { "\($0[1])" }
  } model: { steps in
    pausing(steps.filter { $0 != .value(0, 1) && $0 != .value(0, 3) }, last: nil)
  },
]

/// What an observer that pauses at every value sees; the finish comes with the last value.
private func pausing(_ steps: [Step], last: String?) -> [String] {
  var queue: [String] = []
  var out: [String] = []
  var isPaused = false
  var isOver = false
  func deliver() {
    if !isPaused, !queue.isEmpty {
      out.append(queue.removeFirst())
      isPaused = true
    }
    if isOver, queue.isEmpty, out.last != "finished" { out.append("finished") }
  }
  for step in steps {
    switch step {
    case .value(_, let value): queue.append("\(value)")
    case .finish:
      if let last { queue.append(last) }
      isOver = true
    case .resume: isPaused = false
    case .fail, .tick: break
    }
    deliver()
  }
  return out
}
