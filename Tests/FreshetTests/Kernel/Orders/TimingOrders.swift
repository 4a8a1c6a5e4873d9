import Freshet
import FreshetTesting

private let ticks = Array(repeating: Step.tick, count: 6)
private let lists: [[Step]] = [ticks, [.value(0, 1), .value(0, 2), .value(0, 3), .finish(0)]]
private let failingLists: [[Step]] = [ticks, [.value(0, 1), .value(0, 2), .fail(0)]]
private let endless: [[Step]] = [ticks, [.value(0, 1), .value(0, 2), .value(0, 3)]]

private struct Clock {
  var now = 0
  var due: Int?
  var waiting: Int?
  var list: [Int] = []
  var under: [(text: String, due: Int)] = []
}

/// What waits is sent when the source finishes, and dropped when it fails.
private func end(_ step: Step, _ clock: Clock, _ out: inout [String]) {
  if case .finish = step {
    if let value = clock.waiting { out.append("\(value)") }
    out.append("finished")
  } else {
    out.append("failed(first)")
  }
}

private func throttle(leading: Bool, trailing: Bool) -> @Sendable ([Step]) -> [String] {
  model(Clock()) { clock, step, out in
    switch step {
    case .tick:
      clock.now += 1
      if let value = clock.waiting, let due = clock.due, clock.now >= due {
        out.append("\(value)")
        clock.waiting = nil
        clock.due = clock.now + 2
      }
    case .value(_, let value):
      if let due = clock.due, clock.now < due || clock.waiting != nil {
        if trailing { clock.waiting = value }
      } else {
        clock.due = clock.now + 2
        if leading { out.append("\(value)") } else { clock.waiting = value }
      }
    default: end(step, clock, &out)
    }
  }
}

let timingOrders: [OrdersCase] =
  [lists, failingLists].flatMap { lists in
    [
      OrdersCase("debounce", rules: ["DebounceRule"], lists) { subjects, scheduler in
        subjects[0].debounce(for: .ticks(2), on: scheduler)
      } model: { steps in
        model(Clock()) { clock, step, out in
          switch step {
          case .tick:
            clock.now += 1
            if let value = clock.waiting, clock.now == clock.due {
              out.append("\(value)")
              clock.waiting = nil
            }
          case .value(_, let value): (clock.waiting, clock.due) = (value, clock.now + 2)
          default: end(step, clock, &out)
          }
        }(steps)
      },
      OrdersCase("audit", rules: ["AuditRule"], lists) { subjects, scheduler in
        subjects[0].audit(for: .ticks(2), on: scheduler)
      } model: { steps in
        model(Clock()) { clock, step, out in
          switch step {
          case .tick:
            clock.now += 1
            if let value = clock.waiting, clock.now == clock.due {
              out.append("\(value)")
              clock.waiting = nil
            }
          case .value(_, let value):
            if clock.waiting == nil { clock.due = clock.now + 2 }
            clock.waiting = value
          default: end(step, clock, &out)
          }
        }(steps)
      },
      OrdersCase("throttle", rules: ["ThrottleRule"], lists) { subjects, scheduler in
        subjects[0].throttle(for: .ticks(2), on: scheduler)
      } model: {
        throttle(leading: true, trailing: true)($0)
      },
      OrdersCase("throttle, leading", rules: ["ThrottleRule"], lists) { subjects, scheduler in
        subjects[0].throttle(for: .ticks(2), on: scheduler, trailing: false)
      } model: {
        throttle(leading: true, trailing: false)($0)
      },
      OrdersCase("throttle, trailing", rules: ["ThrottleRule"], lists) { subjects, scheduler in
        subjects[0].throttle(for: .ticks(2), on: scheduler, leading: false)
      } model: {
        throttle(leading: false, trailing: true)($0)
      },
      OrdersCase("delay", rules: ["DelayRule"], lists) { subjects, scheduler in
        subjects[0].delay(for: .ticks(2), on: scheduler)
      } model: { steps in
        model(Clock()) { clock, step, out in
          switch step {
          case .tick:
            clock.now += 1
            while let first = clock.under.first, first.due <= clock.now {
              out.append(first.text)
              clock.under.removeFirst()
            }
          case .value(_, let value): clock.under.append(("\(value)", clock.now + 2))
          case .finish: clock.under.append(("finished", clock.now + 2))
          default: out.append("failed(first)")
          }
        }(steps)
      },
      OrdersCase("buffer in time", rules: ["BufferRule"], lists) { subjects, scheduler in
        subjects[0].buffer(for: .ticks(2), on: scheduler)
      } model: { steps in
        model(Clock()) { clock, step, out in
          switch step {
          case .tick:
            clock.now += 1
            if clock.now.isMultiple(of: 2), !clock.list.isEmpty {
              out.append("\(clock.list)")
              clock.list = []
            }
          case .value(_, let value): clock.list.append(value)
          case .finish:
            if !clock.list.isEmpty { out.append("\(clock.list)") }
            out.append("finished")
          default: out.append("failed(first)")
          }
        }(steps)
      },
    ]
  } + [
    OrdersCase("timeout", rules: ["TimeoutRule"], endless) { subjects, scheduler in
      subjects[0].timeout(after: .ticks(2), on: scheduler) { .second }
    } model: { steps in
      model((now: 0, last: 0)) { clock, step, out in
        switch step {
        case .tick:
          clock.now += 1
          if clock.now == clock.last + 2 { out.append("failed(second)") }
        case .value(_, let value):
          clock.last = clock.now
          out.append("\(value)")
        default: break
        }
      }(steps)
    },
    OrdersCase("interval, until something comes", rules: ["IntervalRule"], endless) {
      subjects, scheduler in
      Interval(every: .ticks(2), on: scheduler).promoteFailure(to: Problem.self)
        .merge(with: subjects[0])
    } model: { steps in
      model((now: 0, count: 0)) { clock, step, out in
        switch step {
        case .tick:
          clock.now += 1
          if clock.now.isMultiple(of: 2) {
            out.append("\(clock.count)")
            clock.count += 1
          }
        case .value(_, let value): out.append("\(value)")
        default: break
        }
      }(steps)
    },
  ]
