import FreshetTesting
import Testing

@testable import Freshet

/// The rules behind kernel operators are values: every order of their inputs is tried.
@Suite("rules, in every order of their inputs")
struct RuleTests {
  /// What one source does, in this order; the order between sources is free.
  private typealias Script<R: Rule> = [(R.Input, Port)]

  /// Runs a rule over one order of inputs, as the kernel does: nothing after the end.
  private func run<R: Rule>(_ rule: R, _ inputs: [(R.Input, Port)], ports: Int) -> Trace<R> {
    var rule = rule
    var outbox = Outbox<R>()
    for _ in 0..<ports { _ = outbox.ports.open() }
    var trace = Trace<R>()
    for (input, port) in inputs where trace.end == nil && outbox.ports.isOpen(port) {
      rule.advance(input, from: port, into: &outbox)
      if let value = outbox.value { trace.values.append(value) }
      outbox.value = nil
      trace.values += outbox.moreValues
      outbox.moreValues = []
      while case .subscribe(_, let port)? = outbox.tasks.popFirst() {
        trace.subscribed.append(port)
      }
      trace.end = outbox.ending
    }
    return trace
  }

  private struct Trace<R: Rule> {
    var values: [R.Output] = []
    var end: End<R.Failure>?
    var subscribed: [Port] = []
  }

  /// All ways to shuffle scripts together, keeping the order within each.
  private func interleavings<Step>(_ scripts: [[Step]]) -> [[Step]] {
    if scripts.allSatisfy(\.isEmpty) { return [[]] }
    var all: [[Step]] = []
    for index in scripts.indices where !scripts[index].isEmpty {
      var rest = scripts
      let first = rest[index].removeFirst()
      all += interleavings(rest).map { [first] + $0 }
    }
    return all
  }

  @Test("merge: every value once, each source in order, one end, with the last")
  func merge() {
    typealias R = MergeRule<Int, Problem>
    let scripts: [Script<R>] = (0..<3).map { source in
      [
        (.value(source * 10), Port(source)), (.value(source * 10 + 1), Port(source)),
        (.end(.finished), Port(source)),
      ]
    }
    let orders = interleavings(scripts)
    #expect(orders.count == 1680, "expected 9! / 3!^3 orders")
    for order in orders {
      let trace = run(R(running: 3), order, ports: 3)
      #expect(trace.values.sorted() == [0, 1, 10, 11, 20, 21], "expected each value once")
      for source in 0..<3 {
        #expect(
          trace.values.filter { $0 / 10 == source } == [source * 10, source * 10 + 1],
          "expected source \(source) in order")
      }
      #expect(trace.end == .finished, "expected the finish with the last source")
    }
  }

  @Test("merge: a failure ends it, wherever it comes")
  func mergeFailure() {
    typealias R = MergeRule<Int, Problem>
    let orders = interleavings([
      [(R.Input.value(1), Port(0)), (.value(2), Port(0)), (.end(.finished), Port(0))],
      [(R.Input.value(10), Port(1)), (.end(.failed(.first)), Port(1))],
    ])
    for order in orders {
      let trace = run(R(running: 2), order, ports: 2)
      #expect(trace.end == .failed(.first), "expected the failure")
      #expect(trace.values.contains(10), "expected what came before it")
    }
  }

  @Test("combineLatest: pairs of the latest, once both have sent; the end when none can come")
  func combineLatest() {
    typealias R = CombineLatestRule<Int, String, Problem>
    let orders = interleavings([
      [(R.Input.first(1), Port(0)), (.first(2), Port(0)), (.end(.finished), Port(0))],
      [(R.Input.second("x"), Port(1)), (.second("y"), Port(1)), (.end(.finished), Port(1))],
    ])
    for order in orders {
      // The model: the latest of each.
      var first: Int?
      var second: String?
      var expected: [String] = []
      for (input, _) in order {
        switch input {
        case .first(let value): first = value
        case .second(let value): second = value
        case .end: continue
        }
        if let first, let second { expected.append("\(first)\(second)") }
      }
      let trace = run(R(), order, ports: 2)
      #expect(trace.values.map { "\($0.0)\($0.1)" } == expected, "expected the latest pairs")
      #expect(trace.values.last.map { "\($0.0)\($0.1)" } == "2y", "expected the last of both last")
      #expect(trace.end == .finished, "expected the finish")
    }
    let empty = run(
      R(), [(.first(1), Port(0)), (.end(.finished), Port(1)), (.first(2), Port(0))], ports: 2)
    #expect(empty.end == .finished && empty.values.isEmpty, "expected the end at once")
  }

  @Test("flatMap: at most so many at a time, all of them in the end, one finish")
  func flatMap() {
    typealias R = FlatMapRule<AnyFlow<Int, Never>>
    let inner = Just(0).erased()
    // The source sends three; each inner flow that has been opened ends some time later.
    func explore(_ rule: R, _ outbox: Outbox<R>, sent: Int, open: [Port], opened: Int, ended: Int) {
      var moves = 0
      func step(_ input: R.Input, _ port: Port, sent: Int, closing: Port?) {
        moves += 1
        var rule = rule
        var outbox = outbox
        rule.advance(input, from: port, into: &outbox)
        outbox.wantsPause = false
        var open = open.filter { $0 != closing }
        var opened = opened
        while case .subscribe(_, let port)? = outbox.tasks.popFirst() {
          open.append(port)
          opened += 1
        }
        if let closing { outbox.ports.close(closing) }
        #expect(open.count <= 2, "expected at most two at a time")
        if outbox.ending == nil {
          explore(
            rule, outbox, sent: sent, open: open, opened: opened,
            ended: ended + (closing == nil ? 0 : 1))
        } else {
          #expect(opened == 3 && open.isEmpty, "expected all three inner flows before the finish")
          #expect(sent == 4, "expected the source's end before the finish")
        }
      }
      if sent < 3 { step(.inner(inner), Port(0), sent: sent + 1, closing: nil) }
      if sent == 3 { step(.sourceEnd(.finished), Port(0), sent: 4, closing: nil) }
      for port in open { step(.innerEnd(.finished), port, sent: sent, closing: port) }
      #expect(moves > 0, "expected a finish, not a stand-still")
    }
    var outbox = Outbox<R>()
    _ = outbox.ports.open()
    explore(R(maxConcurrent: 2), outbox, sent: 0, open: [], opened: 0, ended: 0)
  }

  @Test("switchMap: only the latest inner flow, one finish with the later of both")
  func switchMap() {
    typealias R = SwitchMapRule<AnyFlow<Int, Never>>
    func explore(_ rule: R, _ outbox: Outbox<R>, sent: Int, latest: Port?) {
      var moves = 0
      func step(_ input: R.Input, _ port: Port, sent: Int, isEnd: Bool) {
        moves += 1
        var rule = rule
        var outbox = outbox
        rule.advance(input, from: port, into: &outbox)
        var next = isEnd ? nil : latest
        while case .subscribe(_, let port)? = outbox.tasks.popFirst() {
          if let latest { #expect(!outbox.ports.isOpen(latest), "expected the one before to go") }
          next = port
        }
        if isEnd { outbox.ports.close(port) }
        if outbox.ending == nil {
          explore(rule, outbox, sent: sent, latest: next)
        } else {
          #expect(sent == 4 && next == nil, "expected the finish after source and latest")
        }
      }
      if sent < 3 { step(.inner(Just(sent).erased()), Port(0), sent: sent + 1, isEnd: false) }
      if sent == 3 { step(.sourceEnd(.finished), Port(0), sent: 4, isEnd: false) }
      if let latest { step(.innerEnd(.finished), latest, sent: sent, isEnd: true) }
      #expect(moves > 0, "expected a finish, not a stand-still")
    }
    var outbox = Outbox<R>()
    _ = outbox.ports.open()
    explore(R(), outbox, sent: 0, latest: nil)
  }

  @Test("startWith and catchError: the second once, after the first")
  func concatAndCatch() {
    typealias C = ConcatRule<Just<Int>>
    let concat = run(
      C(second: Just(1)), [(.value(0), Port(0)), (.next, Port(0)), (.next, Port(0))], ports: 1)
    #expect(concat.values == [0] && concat.subscribed.count == 1, "expected one subscription")
    #expect(concat.end == nil, "expected no end before the second has ended")

    typealias K = CatchRule<Just<Int>>
    let caught = run(K(), [(.value(0), Port(0)), (.replace(Just(1)), Port(0))], ports: 1)
    #expect(caught.values == [0] && caught.subscribed.count == 1, "expected the replacement")
    let finished = run(K(), [(.value(0), Port(0)), (.end(.finished), Port(0))], ports: 1)
    #expect(finished.end == .finished && finished.subscribed.isEmpty, "expected no replacement")
  }

  @Test("takeUntil and skipUntil, in every order of source and signal")
  func until() {
    typealias T = TakeUntilRule<Int, Problem>
    typealias S = SkipUntilRule<Int, Problem>
    for position in 0...4 {
      var take: Script<T> = (1...3).map { (.value($0), Port(0)) } + [(.end(.finished), Port(0))]
      take.insert((.signal, Port(1)), at: position)
      let taken = run(T(), take, ports: 2)
      #expect(taken.values == Array(1..<min(position, 3) + 1), "expected what came before it")
      #expect(taken.end == .finished, "expected a finish")

      var skip: Script<S> = (1...3).map { (.value($0), Port(0)) } + [(.end(.finished), Port(0))]
      skip.insert((.signal, Port(1)), at: position)
      let skipped = run(S(), skip, ports: 2)
      #expect(skipped.values == Array((1...3).dropFirst(position)), "expected what came after it")
      #expect(skipped.end == .finished, "expected the source's end")
    }
  }

  @Test("debounce: no value twice, none before its time, whatever the order of timers")
  func debounce() {
    typealias R = DebounceRule<Int, Problem>
    // Times of three values and of the wakes the rule asks for.
    for second in 1...6 {
      for third in (second + 1)...12 {
        var rule = R(quiet: .seconds(3))
        var outbox = Outbox<R>()
        _ = outbox.ports.open()
        var timer: Moment?
        var sent: [(value: Int, at: Int)] = []
        for tick in 0...20 {
          outbox.now = Moment(.seconds(tick))
          if timer == outbox.now {
            timer = nil
            rule.wake(into: &outbox)
            if let value = outbox.value { sent.append((value, tick)) }
            outbox.value = nil
          }
          if tick == 0 || tick == second || tick == third {
            rule.advance(.value(tick), from: Port(0), into: &outbox)
          }
          if let next = outbox.timer {
            #expect(timer == nil, "expected one timer at a time")
            timer = next
            outbox.timer = nil
          }
        }
        let times = [0, second, third]
        let expected = times.enumerated().filter { index, time in
          index == 2 || times[index + 1] - time >= 3
        }.map { "\($0.element)@\($0.element + 3)" }
        #expect(
          sent.map { "\($0.value)@\($0.at)" } == expected,
          "values at \(times): expected each quiet one, 3 later")
      }
    }
  }
}
