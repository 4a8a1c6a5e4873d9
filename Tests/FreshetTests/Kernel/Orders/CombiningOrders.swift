import Freshet
import FreshetTesting

private let two: [[Step]] = [
  [.value(0, 1), .value(0, 2), .finish(0)], [.value(1, 10), .value(1, 20), .finish(1)],
]
private let twoAndFailure: [[Step]] = [
  [.value(0, 1), .value(0, 2), .finish(0)], [.value(1, 10), .fail(1)],
]

/// A model that looks at one step after the other, until the end.
func model<State>(
  _ initial: @autoclosure @escaping @Sendable () -> State,
  _ advance: @escaping @Sendable (inout State, Step, inout [String]) -> Void
) -> @Sendable ([Step]) -> [String] {
  { steps in
    var state = initial()
    var out: [String] = []
    for step in steps where out.last != "finished" && out.last?.hasPrefix("failed") != true {
      advance(&state, step, &out)
    }
    return out
  }
}

private struct Latest {
  var values: [Int?]
  var over: Set<Int> = []

  init(_ count: Int) {
    values = Array(repeating: nil, count: count)
  }
}

/// The latest of each, when there is one of each.
private func latestOfAll(_ count: Int) -> @Sendable ([Step]) -> [String] {
  model(Latest(count)) { state, step, out in
    switch step {
    case .value(let port, let value):
      state.values[port] = value
      let all = state.values.compactMap { $0 }
      if all.count == count { out.append("\(all)") }
    case .finish(let port):
      state.over.insert(port)
      if state.over.count == count || state.values[port] == nil { out.append("finished") }
    case .fail: out.append("failed(first)")
    case .tick, .resume: break
    }
  }
}

/// The n-th of each, as soon as there is one.
private func nthOfAll(_ count: Int) -> @Sendable ([Step]) -> [String] {
  model((queues: Array(repeating: [Int](), count: count), over: Set<Int>())) { state, step, out in
    switch step {
    case .value(let port, let value):
      state.queues[port].append(value)
      if state.queues.allSatisfy({ !$0.isEmpty }) {
        out.append("\(state.queues.map { $0[0] })")
        for index in state.queues.indices { state.queues[index].removeFirst() }
      }
    case .finish(let port): state.over.insert(port)
    case .fail: out.append("failed(first)")
    case .tick, .resume: break
    }
    if state.over.contains(where: { state.queues[$0].isEmpty }) { out.append("finished") }
  }
}

let combiningOrders: [OrdersCase] = [two, twoAndFailure].flatMap { lists in
  [
    OrdersCase("merge", rules: ["MergeRule"], lists) { subjects, _ in
      subjects[0].merge(with: subjects[1])
    } model: { steps in
      model(Set<Int>()) { over, step, out in
        switch step {
        case .value(_, let value): out.append("\(value)")
        case .finish(let port):
          over.insert(port)
          if over.count == 2 { out.append("finished") }
        case .fail: out.append("failed(first)")
        case .tick, .resume: break
        }
      }(steps)
    },
    OrdersCase("combineLatest", rules: ["CombineLatestRule"], lists) { subjects, _ in
      subjects[0].combineLatest(with: subjects[1]) { [$0, $1] }
    } model: {
      latestOfAll(2)($0)
    },
    OrdersCase("combinedLatest", rules: ["CombineLatestManyRule"], lists) { subjects, _ in
      subjects[0..<2].combinedLatest()
    } model: {
      latestOfAll(2)($0)
    },
    OrdersCase(
      "combineLatestAtomic", rules: ["CombineLatestAtomicRule"], lists
    ) { subjects, _ in
      subjects[0..<2].combinedLatestAtomic()
    } model: {
      latestOfAll(2)($0)
    },
    OrdersCase("zip", rules: ["ZipRule"], lists) { subjects, _ in
      subjects[0].zip(with: subjects[1]) { [$0, $1] }
    } model: {
      nthOfAll(2)($0)
    },
    OrdersCase("zipped", rules: ["ZipManyRule"], lists) { subjects, _ in
      subjects[0..<2].zipped()
    } model: {
      nthOfAll(2)($0)
    },
    OrdersCase("withLatestFrom", rules: ["WithLatestRule"], lists) { subjects, _ in
      subjects[0].withLatestFrom(subjects[1]) { [$0, $1] }
    } model: { steps in
      model(Int?.none) { latest, step, out in
        switch step {
        case .value(0, let value): if let latest { out.append("\([value, latest])") }
        case .value(_, let value): latest = value
        case .finish(0): out.append("finished")
        case .finish: if latest == nil { out.append("finished") }
        case .fail: out.append("failed(first)")
        case .tick, .resume: break
        }
      }(steps)
    },
    OrdersCase("race", rules: ["RaceRule"], lists) { subjects, _ in
      subjects[0].race(with: subjects[1])
    } model: { steps in
      model(Int?.none) { winner, step, out in
        switch step {
        case .value(let port, let value):
          winner = winner ?? port
          if winner == port { out.append("\(value)") }
        case .finish(let port):
          winner = winner ?? port
          if winner == port { out.append("finished") }
        case .fail(let port):
          winner = winner ?? port
          if winner == port { out.append("failed(first)") }
        case .tick, .resume: break
        }
      }(steps)
    },
    OrdersCase("takeUntil", rules: ["TakeUntilRule"], lists) { subjects, _ in
      subjects[0].takeUntil(subjects[1])
    } model: { steps in
      model(()) { _, step, out in
        switch step {
        case .value(0, let value): out.append("\(value)")
        case .value, .finish(0): out.append("finished")
        case .fail: out.append("failed(first)")
        case .finish, .tick, .resume: break
        }
      }(steps)
    },
    OrdersCase("skipUntil", rules: ["SkipUntilRule"], lists) { subjects, _ in
      subjects[0].skipUntil(subjects[1])
    } model: { steps in
      model((isOpen: false, isOver: false)) { state, step, out in
        switch step {
        case .value(0, let value): if state.isOpen { out.append("\(value)") }
        case .value: state.isOpen = true
        case .finish(0): out.append("finished")
        // Once it has spoken the other one was let go.
        case .finish: if !state.isOpen { out.append("finished") }
        case .fail: if !state.isOpen { out.append("failed(first)") }
        case .tick, .resume: break
        }
      }(steps)
    },
    OrdersCase("sample", rules: ["SampleRule"], lists) { subjects, _ in
      subjects[0].sample(on: subjects[1])
    } model: { steps in
      model(Int?.none) { latest, step, out in
        switch step {
        case .value(0, let value): latest = value
        case .value:
          if let value = latest { out.append("\(value)") }
          latest = nil
        case .finish: out.append("finished")
        case .fail: out.append("failed(first)")
        case .tick, .resume: break
        }
      }(steps)
    },
    OrdersCase("buffer until", rules: ["BufferRule"], lists) { subjects, _ in
      subjects[0].buffer(until: subjects[1])
    } model: { steps in
      model([Int]()) { list, step, out in
        switch step {
        case .value(0, let value): list.append(value)
        case .value:
          if !list.isEmpty { out.append("\(list)") }
          list = []
        case .finish(0):
          if !list.isEmpty { out.append("\(list)") }
          out.append("finished")
        case .fail: out.append("failed(first)")
        case .finish, .tick, .resume: break
        }
      }(steps)
    },
    OrdersCase("concat", rules: ["ConcatRule"], lists) { subjects, _ in
      subjects[0].concat(subjects[1])
    } model: { steps in
      model((isSecond: false, secondEnd: String?.none)) { state, step, out in
        switch step {
        case .value(0, let value): out.append("\(value)")
        case .value(_, let value): if state.isSecond { out.append("\(value)") }
        case .finish(0):
          state.isSecond = true
          if let end = state.secondEnd { out.append(end) }
        case .finish:
          state.secondEnd = "finished"
          if state.isSecond { out.append("finished") }
        case .fail:
          state.secondEnd = "failed(first)"
          if state.isSecond { out.append("failed(first)") }
        case .tick, .resume: break
        }
      }(steps)
    },
    OrdersCase(
      "ifEmpty", rules: ["IfEmptyRule"], [[.finish(0)], lists[1]]
    ) { subjects, _ in
      subjects[0].ifEmpty(switchTo: subjects[1])
    } model: { steps in
      model((isSecond: false, secondEnd: String?.none)) { state, step, out in
        switch step {
        case .value(_, let value): if state.isSecond { out.append("\(value)") }
        case .finish(0):
          state.isSecond = true
          if let end = state.secondEnd { out.append(end) }
        case .finish:
          state.secondEnd = "finished"
          if state.isSecond { out.append("finished") }
        case .fail:
          state.secondEnd = "failed(first)"
          if state.isSecond { out.append("failed(first)") }
        case .tick, .resume: break
        }
      }(steps)
    },
  ].filter { $0.name != "ifEmpty" || lists == two }
}
