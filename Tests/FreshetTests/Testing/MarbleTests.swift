import Freshet
import FreshetTesting
import Testing

/// A test kit that finds nothing is worse than none: what is wrong must be shown, and where.
@Suite("marbles: sources, expectations, subscriptions")
struct MarbleTests {
  // MARK: Sources

  @Test("a hot source plays from now on, whether somebody listens or not")
  func hot() throws {
    let time = VirtualScheduler()
    let source = try time.hot("a-b-c|")
    time.advance(by: .milliseconds(1))
    #expect(try time.difference(of: source, from: "-b-c|") == nil)
    #expect(try source.subscriptionDifference(from: "-^---!") == nil)
  }

  @Test("the tick in which it is made counts")
  func firstTick() throws {
    let time = VirtualScheduler()
    #expect(try time.difference(of: time.hot("a-b|"), from: "a-b|") == nil)
    #expect(try time.difference(of: time.cold("a-b|"), from: "a-b|") == nil)
  }

  @Test("before ^ is the past of a hot source")
  func past() throws {
    let time = VirtualScheduler()
    #expect(try time.difference(of: time.hot("-a--b--^-c--d-|"), from: "--c--d-|") == nil)
  }

  @Test("a cold source begins with each subscription")
  func cold() throws {
    let time = VirtualScheduler()
    let source = try time.cold("-1-2|")
    let twice = source.concat(source)
    #expect(try time.difference(of: twice, from: "-1-2-1-2|") == nil)
    #expect(try source.subscriptionDifference(from: "^---!", "----^---!") == nil)
    #expect(source.activeCount == 0)
  }

  @Test("names stand for values, and # for the failure that is given")
  func values() throws {
    let time = VirtualScheduler()
    let source = try time.hot("-a-b-#", values: ["a": 7, "b": 8], failure: Problem.second)
    let recorder = try time.record(source)
    #expect(recorder.values == [7, 8])
    #expect(recorder.end == .failed(.second))
    let never = try time.cold("a|", values: ["a": 1], failure: nil as Never?)
    #expect(try time.difference(of: never, from: "1|") == nil)
    let typed: ScriptedSource<String, Problem> = try time.cold("#", failure: .first)
    #expect(try time.record(typed).end == .failed(.first))
  }

  @Test("another length of a tick")
  func tick() throws {
    let time = VirtualScheduler(tick: .seconds(1))
    let flow = try time.hot("-a--b 20s |").debounce(for: time.ticks(2), on: time)
    #expect(try time.difference(of: flow, from: "---a--b 18s |") == nil)
    #expect(time.ticks(3) == .seconds(3))
  }

  @Test("a cold source that is paused waits, and catches up when it is resumed")
  func pause() throws {
    let time = VirtualScheduler()
    let source = try time.cold("-1-2-3-4|")
    let recorder = Recorder<String, MarbleFailure>(scheduler: time) { _, value in
      value == "1" ? .pause : .more
    }
    recorder.subscribe(to: source)
    time.advance(by: .milliseconds(6))
    #expect(try recorder.difference(from: "-1") == nil)
    recorder.resume()
    time.advance(by: .milliseconds(10))
    #expect(try recorder.difference(from: "-1----[23]4|") == nil)
  }

  @Test("a resume from inside is not lost")
  func resumeInside() throws {
    let time = VirtualScheduler()
    let recorder = Recorder<String, MarbleFailure>(scheduler: time) { recorder, _ in
      recorder.resume()
      return .pause
    }
    recorder.subscribe(to: try time.cold("-(12)-3|"))
    time.advance(by: .milliseconds(20))
    #expect(try recorder.difference(from: "-(12)-3|") == nil)
  }

  @Test("a source that is let go, or disposed of, leaves no timers behind")
  func release() throws {
    let time = VirtualScheduler()
    _ = try time.hot("-a-b-|")
    #expect(time.pendingCount == 0)
    let cold = try time.cold("-a-b-|")
    let recorder = Recorder<String, MarbleFailure>()
    recorder.subscribe(to: cold)
    #expect(time.pendingCount == 3)
    recorder.dispose()
    #expect(time.pendingCount == 0)
  }

  @Test(
    "what a source cannot do is refused",
    arguments: [
      (true, "-a!", 3, "`!` is a dispose"),
      (false, "-a!", 3, "`!` is a dispose"),
      (false, "-^a", 2, "a cold one begins with each subscription"),
      (true, "-|-^-", 2, "the source ends before `^`"),
      (true, "-a-#", 4, "no failure is given for `#`"),
      (false, "-a-x", 4, "no value is given for `x`; there are values for a, b"),
      (true, "-a)", 3, "closes no group"),
    ] as [(Bool, String, Int, String)])
  func refused(isHot: Bool, diagram: String, column: Int, message: String) throws {
    let time = VirtualScheduler()
    let values = ["a": 1, "b": 2]
    let error = #expect(throws: MarbleError.self) {
      let _: ScriptedSource<Int, Problem> =
        try isHot
        ? time.hot(diagram, values: values, failure: nil)
        : time.cold(diagram, values: values, failure: nil)
    }
    #expect(error?.column == column)
    #expect(error?.message.contains(message) == true, "\(String(describing: error))")
  }

  // MARK: When to subscribe

  @Test("^ and ! say when to subscribe and to dispose; both come first in their tick")
  func during() throws {
    for (during, expected, subscription) in [
      ("^----!", "-a-b", "^----!"),
      ("---^---", "---b-c|", "---^--!"),
      ("-^-!", "-a", "-^-!"),
      ("---!", "-a", "^--!"),
    ] {
      let time = VirtualScheduler()
      let source = try time.hot("-a-b-c|")
      #expect(try time.difference(of: source, from: expected, during: during) == nil, "\(during)")
      #expect(try source.subscriptionDifference(from: subscription) == nil, "\(during)")
    }
    let time = VirtualScheduler()
    let never = try time.cold("a|")
    #expect(try time.difference(of: never, from: "", during: "--(^!)") == nil)
    #expect(try never.subscriptionDifference() == nil)
  }

  @Test("without an end it is disposed of at the limit")
  func limit() throws {
    let time = VirtualScheduler()
    let flow = Interval(every: .milliseconds(3), on: time)
    #expect(try time.difference(of: flow, from: "---0--1--2", limit: 10) == nil)
    #expect(time.now == Moment(.milliseconds(20)))
    #expect(time.pendingCount == 0)
  }

  @Test("it waits for as long as the diagrams last, and longer")
  func patience() throws {
    let time = VirtualScheduler()
    #expect(try time.difference(of: time.cold("a 30s b|"), from: "a 30s b|") == nil)
    #expect(try time.difference(of: time.cold("a 30s b|"), from: "a 30s b") != nil)
    #expect(try time.difference(of: time.cold("a 5s b"), from: "a") != nil)
    #expect(try time.difference(of: time.cold("a|"), from: " 30s a|", during: " 30s ^") == nil)
  }

  @Test("a value after the dispose is a broken rule")
  func lateValue() throws {
    let time = VirtualScheduler()
    let source = ScriptedSource<Int, Never>(.unruly)
    let work = time.schedule(after: .milliseconds(3)) { source.send(1) }
    let difference = try time.difference(of: source, from: "---1", during: "^-!")
    #expect(difference?.column == nil && difference?.summary == "")
    #expect(
      difference?.violations == ["value 1 came after dispose() had returned on this thread"])
    work.dispose()
    source.release()
  }

  // MARK: Differences

  private func text(_ source: String, _ expected: String) throws -> String {
    let time = VirtualScheduler()
    return try time.difference(of: time.cold(source), from: expected)?.description ?? "none"
  }

  @Test("two lines in which the same time stands in the same column, and a marker")
  func lines() throws {
    #expect(
      try text("--a----b-|", "--a---b--|") == """

          at 6ms: expected b, got nothing
            expected  --a---b--|
            got       --a----b-|
                            ^
        """)
    #expect(
      try text("-a|", "-a--|") == """

          at 2ms: expected nothing, got the finish
            expected  -a--|
            got       -a|--
                        ^
        """)
  }

  @Test("groups, long names and long silences keep the columns together")
  func columns() throws {
    #expect(
      try text("(ab)-c|", "a----d|") == """

          at 0ms: expected a, got a, b
            expected  a----d|
            got       (ab)-c|
                      ^
        """)
    #expect(
      try text("-[ab]c|", "-a{long}|") == """

          at 1ms: expected a, got a, b
            expected  -a   {long}|
            got       -[ab]c     |
                       ^
        """)
    #expect(
      try text("a 99ms b|", "a 99ms c|") == """

          at 100ms: expected c, got b
            expected  a 99ms c|
            got       a 99ms b|
                             ^
        """)
  }

  @Test("a time between two ticks is told")
  func betweenTicks() throws {
    let time = VirtualScheduler()
    let flow = try time.hot("-a|").delay(for: .microseconds(500), on: time)
    let difference = try time.difference(of: flow, from: "-a|")
    #expect(difference?.summary == "at 1ms: expected a, got nothing")
    #expect(difference?.actual.contains("a@1.5ms") == true)
  }

  @Test(
    "whatever differs is found",
    arguments: [
      ("-a-b|", "-a-c|"), ("-a-b|", "-a-b"), ("-a-b", "-a-b|"), ("-a-b|", "-a-b#"),
      ("-a-b#", "-a-b|"), ("(ab)", "(ba)"), ("-a", "a"), ("a", ""), ("", "a"), ("{ab}", "[ab]"),
    ])
  func found(actual: String, expected: String) throws {
    let time = VirtualScheduler()
    let difference = try time.difference(of: time.cold(actual), from: expected)
    #expect(difference != nil)
    #expect(try time.difference(of: time.cold(actual), from: actual) == nil)
  }

  @Test("typed values are compared as values, and a failure with the one that is given")
  func typed() throws {
    let time = VirtualScheduler()
    let values = ["a": [1], "b": [2]]
    let flow = try time.cold("a-b#", values: values, failure: Problem.first)
    #expect(try time.difference(of: flow, from: "a-b#", values: values, failure: .first) == nil)
    #expect(try time.difference(of: flow, from: "a-b#", values: values) == nil)
    let wrong = try time.difference(of: flow, from: "a-b#", values: values, failure: .second)
    #expect(wrong?.summary == "at 3ms: expected the failure second, got the failure first")
    let other = try time.difference(of: flow, from: "a-b#", values: ["a": [1], "b": [3]])
    #expect(other?.summary == "at 2ms: expected [3], got [2]")
    #expect(other?.actual == "a-{[2]}#")
    #expect(throws: MarbleError.self, "a name without a value") {
      try time.difference(of: flow, from: "a-c", values: values)
    }
  }

  @Test("what no observer is told is refused")
  func notObserved() throws {
    let recorder = Recorder<Int, Never>()
    #expect(throws: MarbleError.self) { try recorder.difference(from: "-^a") }
    #expect(throws: MarbleError.self) { try recorder.difference(from: "-a!") }
  }

  @Test("a recorder without a scheduler: what it was told is one group")
  func withoutTime() throws {
    let recorder = Recorder<Int, Never>()
    recorder.subscribe(to: [1, 20].flow)
    #expect(try recorder.difference(from: "(1{20}|)") == nil)
    #expect(try recorder.difference(from: "(1{21}|)") != nil)
  }

  // MARK: Subscriptions

  @Test("a subscription that is missing, too much, early or late is shown")
  func subscriptions() throws {
    let time = VirtualScheduler()
    let source = try time.cold("-1|")
    _ = try time.record(source.delaySubscription(for: time.ticks(3), on: time))
    #expect(try source.subscriptionDifference(from: "---^-!") == nil)
    #expect(
      try source.subscriptionDifference(from: "--^-!")?.description == """

          subscription 1, at 2ms: expected a subscription, got nothing
            expected  --^-!-
            got       ---^-!
                        ^
        """)
    #expect(try source.subscriptionDifference(from: "---^---!")?.column == 5)
    #expect(try source.subscriptionDifference(from: "---^")?.column == 5)
    #expect(
      try source.subscriptionDifference()?.summary
        == "subscription 1, at 3ms: expected nothing, got a subscription")
    #expect(
      try source.subscriptionDifference(from: "---^-!", "----^")?.summary
        == "subscription 2, at 4ms: expected a subscription, got nothing")
  }

  @Test("a subscription's diagram has to be one")
  func subscriptionErrors() throws {
    let source = ScriptedSource<Int, Never>()
    for (diagram, column) in [("-a", 2), ("---", 4), ("!-^", 1), ("^-|", 3)] {
      let error = #expect(throws: MarbleError.self, "\(diagram)") {
        try source.subscriptionDifference(from: diagram)
      }
      #expect(error?.column == column, "\(diagram)")
    }
  }

  @Test("sources driven by hand tell their times too")
  func byHand() throws {
    let time = VirtualScheduler()
    let source = ScriptedSource<Int, Never>(scheduler: time)
    let recorder = Recorder<Int, Never>(scheduler: time)
    time.advance(by: .milliseconds(2))
    recorder.subscribe(to: source)
    time.advance(by: .milliseconds(3))
    #expect(try source.subscriptionDifference(from: "--^") == nil)
    recorder.dispose()
    #expect(try source.subscriptionDifference(from: "--^--!") == nil)
    #expect(source.subscriptions.count == 1 && source.activeCount == 0)
  }
}
