import Freshet
import FreshetTesting
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// docs/freshet-testing.md shows this file from here to the end of the suites.

extension Flow {
  /// Sends each value together with the one before it.
  func neighbours() -> Neighbours<Self> { Neighbours(source: self) }
}

struct Neighbours<Source: Flow>: Flow {
  typealias Element = [Source.Element]
  typealias Failure = Source.Failure
  let source: Source

  func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    source.subscribe(NeighboursObserver(downstream: observer))
  }
}

struct NeighboursObserver<Value: Sendable, Downstream: Observer>: Observer
where Downstream.Element == [Value] {
  var downstream: Downstream
  var last: Value?

  static var mayPause: Bool { Downstream.mayPause }

  mutating func start(_ subscription: Subscription) { downstream.start(subscription) }

  mutating func receive(_ value: Value) -> Answer {
    let before = last
    last = value  // State first, then the call.
    guard let before else { return .more }
    return downstream.receive([before, value])
  }

  mutating func end(_ end: End<Downstream.Failure>) { downstream.end(end) }
}

@Suite("neighbours")
struct NeighboursTests {
  @Test("sends each value with the one before it, when it comes")
  func pairs() throws {
    let time = VirtualScheduler()
    let source = try time.hot("-1-2---3-|")
    let pairs = source.neighbours().map { $0.joined() }
    #expect(try time.difference(of: pairs, from: "---{12}---{23}-|") == nil)
  }

  @Test("keeps the stream contract")
  func contract() {
    let contract = StreamContract("neighbours") { rig in
      rig.source.map { [token = rig.token] in token.pass($0) }.neighbours()
    }
    for violation in contract.violations() { Issue.record("\(violation)") }
  }
}

@Suite("examples of the tools")
struct ToolExamples {
  @Test("marbles: sources, expectations, subscriptions")
  func marbles() throws {
    let time = VirtualScheduler()
    let typed = try time.hot("-a--b------c|", values: ["a": "f", "b": "fl", "c": "flow"])
    let answers = try time.cold("---x|")
    let search = typed.debounce(for: time.ticks(4), on: time).switchMap { _ in answers }

    #expect(try time.difference(of: search, from: "-----------x---x|") == nil)
    #expect(try answers.subscriptionDifference(from: "--------^---!", "------------^---!") == nil)
  }

  @Test("marbles: typed values and a failure of your own")
  func typedMarbles() throws {
    struct Offline: Error, Equatable {}
    let time = VirtualScheduler()
    let numbers = ["a": 1, "b": 10, "c": 100]
    let source = try time.cold("a-b-c-#", values: numbers, failure: Offline())
    let sums = source.scan(0, +)

    let expected = ["x": 1, "y": 11, "z": 111]
    #expect(
      try time.difference(of: sums, from: "x-y-z-#", values: expected, failure: Offline()) == nil)
  }

  @Test("marbles: when to subscribe, when to dispose")
  func during() throws {
    let time = VirtualScheduler()
    let ticks = Interval(every: time.ticks(2), on: time)
    #expect(try time.difference(of: ticks, from: "-----0-1-2", during: "---^------!") == nil)
  }

  @Test("VirtualScheduler: time moves when the test says so")
  func virtualTime() throws {
    let time = VirtualScheduler()
    let recorder = Recorder<Int, Never>(scheduler: time)
    recorder.subscribe(to: Interval(every: .seconds(1), on: time).take(3))
    time.advance(by: .seconds(2))
    #expect(recorder.values == [0, 1])
    try time.run(limit: 100)
    #expect(recorder.end == .finished && time.now == Moment(.seconds(3)))
  }

  @Test("VirtualScheduler: tasks in virtual time")
  func tasks() async {
    let time = VirtualScheduler()
    let ticks = Interval(every: .seconds(1), on: time)
    let task = Task(executorPreference: time) {
      var moments: [Moment] = []
      for await _ in ticks.take(2).values { moments.append(time.now) }
      return moments
    }
    await time.advance(by: .seconds(10))
    #expect(await task.value == [Moment(.seconds(1)), Moment(.seconds(2))])
  }

  @Test("Recorder and ScriptedSource: a pause, and what the source is asked")
  func flowControl() {
    let source = ScriptedSource<Int, Never>(playing: [1, 2, 3])
    let recorder = Recorder<Int, Never> { _, value in value == 20 ? .pause : .more }
    recorder.subscribe(to: source.map { $0 * 10 })
    #expect(recorder.values == [10, 20])
    recorder.resume()
    #expect(recorder.transcript == ["10", "20", "30", "finished"])
    #expect(source.log.sent == 3 && source.log.disposals == 0)
    #expect(recorder.violations == [])
  }

  @Test("ScriptedSource: a source that breaks the rules")
  func unruly() {
    let source = ScriptedSource<Int, Never>(.unruly)
    let recorder = Recorder<Int, Never>()
    recorder.subscribe(to: source.merge(with: Empty()))
    source.send(1)
    source.finish()
    source.send(2)
    #expect(recorder.transcript == ["1", "finished"])
    source.release()
  }

  @Test("LeakProbe: what is still held")
  func leaks() {
    let probe = LeakProbe()
    let subject = PublishSubject<Int, Never>()
    var token: LeakProbe.Token? = probe.token("closure")
    let handle = subject.map { [token] in token!.pass($0) }.subscribe { _ in }
    token = nil
    #expect(probe.alive == ["closure"])
    handle.dispose()
    #expect(probe.alive == [])
  }
}

// The end of what docs/freshet-testing.md shows.

@Suite("docs/freshet-testing.md")
struct WorkedExampleTests {
  private static func document() throws -> String {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    return try String(
      contentsOf: root.appending(path: "docs/freshet-testing.md"), encoding: .utf8)
  }

  @Test("shows the examples that are compiled")
  func shown() throws {
    let document = Set(try Self.document().split(separator: "\n"))
    let source = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
    let parts = source.components(separatedBy: "docs/freshet-testing.md shows")
    let example =
      try #require(parts.dropFirst().first)
      .components(separatedBy: "// The end of what").first ?? ""
    let lines = example.split(separator: "\n").dropFirst()
    #expect(lines.count > 40, "expected to find the examples in this file")
    for line in lines where !document.contains(line) {
      // Examples of the tools are shown without what a suite is wrapped in.
      let inner = line.dropFirst(4)
      let isWrapping = ["  @Test(", "  func ", "  }", "struct ToolEx", "@Suite(\"examples"]
        .contains { line.hasPrefix($0) }
      guard !isWrapping, !document.contains(inner) else { continue }
      Issue.record("docs/freshet-testing.md does not show: \(line)")
    }
  }

  @Test("shows differences as they are")
  func difference() throws {
    let time = VirtualScheduler()
    let source = try time.cold("-a---b-c|")
    let difference = try #require(try time.difference(of: source, from: "-a---b--c|"))
    #expect(try Self.document().contains(difference.description.dropFirst()))
    let error = #expect(throws: MarbleError.self) { try time.cold("-a-(b-c)|") }
    #expect(try Self.document().contains(try #require(error).description))
  }
}
