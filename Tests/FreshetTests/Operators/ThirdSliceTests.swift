import Freshet
import FreshetTesting
import Testing

@Suite("operators of several flows: joining, batches, failures that wait")
struct JoiningTests {
  @Test(
    "as text",
    arguments: [
      Example("forkJoined", "[2, 5] |") {
        [playing(1, 2), playing(3, 4, 5)].forkJoined()
      },
      Example("forkJoined of none", "[] |") { [ScriptedSource<Int, Trouble>]().forkJoined() },
      Example("forkJoined, one without a value", "|") { [playing(1), playing()].forkJoined() },
      Example("forkJoined, one fails", "#7") { [playing(1), failing(2, code: 7)].forkJoined() },
      Example("forkJoin of several types", "2x |") {
        forkJoin(playing(1, 2).erased(), playing(5).map { _ in "x" }.erased()) { "\($0)\($1)" }
      },
      Example("inBatches", "[1, 2] [3, 4] [5] |") {
        [playing(1), playing(2), playing(3), playing(4), playing(5)].inBatches(of: 2)
      },
      Example("inBatches, all at once", "[1, 2] |") { [playing(1), playing(2)].inBatches(of: 9) },
      Example("inBatches of none", "|") { [ScriptedSource<Int, Trouble>]().inBatches(of: 2) },
      Example("inBatches, a failure in the second", "[1] #3") {
        [playing(1), failing(code: 3), playing(9)].inBatches(of: 1)
      },
      Example("zip with a function", "11 22 |") { playing(1, 2, 3).zip(with: playing(10, 20), +) },
      Example("partition, matching", "2 4 |") {
        playing(1, 2, 3, 4).partition { $0.isMultiple(of: 2) }.matching
      },
      Example("partition, the rest", "1 3 |") {
        playing(1, 2, 3, 4).partition { $0.isMultiple(of: 2) }.rest
      },
      Example("mergedDelayingFailures: the first failure, at the end", "1 2 3 #7") {
        [failing(1, code: 7), playing(2), failing(3, code: 8)].mergedDelayingFailures()
      },
      Example("mergedDelayingFailures without one", "1 2 |") {
        [playing(1), playing(2)].mergedDelayingFailures()
      },
      Example("mergedDelayingFailures of none", "|") {
        [ScriptedSource<Int, Trouble>]().mergedDelayingFailures()
      },
      Example("concatenatedDelayingFailures", "1 2 3 #7") {
        [failing(1, code: 7), playing(2, 3)].concatenatedDelayingFailures()
      },
      Example("flatMapDelayingFailures, the source fails", "1 2 #9") {
        failing(1, 2, code: 9).flatMapDelayingFailures { playing($0) }
      },
      Example("mergeScan one at a time", "1 3 6 |") {
        playing(1, 2, 3).mergeScan(0, maxConcurrent: 1) { playing($0 + $1) }
      },
      Example("mergeScan, all side by side", "11 12 |") {
        playing(1, 2).mergeScan(10) { sum, value in playing(sum == 11 ? 12 : sum + value) }
      },
      Example("mergeScan, a step fails", "1 #4") {
        playing(1, 2, 3).mergeScan(0, maxConcurrent: 1) { sum, value in
          value == 2 ? failing(code: 4) : playing(sum + value)
        }
      },
    ])
  func text(_ example: Example) {
    example.check()
  }

  @Test("mergeScan: a step sees the latest result when it begins; what waits begins later")
  func mergeScan() {
    let source = PublishSubject<Int, Never>()
    let steps = (0..<3).map { _ in PublishSubject<Int, Never>() }
    let begun = Seen<String>()
    let recorder = Recorder<Int, Never>()
    recorder.subscribe(
      to: source.mergeScan(100, maxConcurrent: 2) { (sum: Int, value: Int) in
        begun.add("\(sum) \(value)")
        return steps[value]
      })
    for value in 0..<3 { source.send(value) }
    source.finish()
    steps[0].send(7)
    #expect(begun.all == ["100 0", "100 1"], "expected two steps at a time")
    steps[0].finish()
    #expect(begun.all.last == "7 2", "expected the latest result")
    steps[1].send(8)
    steps[1].finish()
    steps[2].finish()
    #expect(recorder.transcript == ["7", "8", "finished"])
  }

  @Test("100 000 steps, and as many failures that wait, stay flat")
  func flat() {
    Threads.onSmallStack {
      let recorder = Recorder<Int, Never>()
      recorder.subscribe(
        to: (0..<100_000).flow.mergeScan(0, maxConcurrent: 1) { sum, _ in Just(sum + 1) })
      #expect(recorder.values.last == 100_000)
      let failures = Recorder<Int, Problem>()
      failures.subscribe(
        to: (0..<100_000).flow.promoteFailure(to: Problem.self)
          .flatMapDelayingFailures(maxConcurrent: 1) { _ in Fail<Int, Problem>(.second) })
      #expect(failures.transcript == ["failed(second)"])
    }
  }

  @Test("withLatestFrom of many: once each has sent; an empty one ends it; the others come first")
  func withLatestFromMany() {
    let source = PublishSubject<Int, Problem>()
    let (a, b) = (PublishSubject<String, Problem>(), BehaviorSubject<Bool, Problem>(true))
    let recorder = Recorder<String, Problem>()
    recorder.subscribe(
      to: source.withLatestFrom(a.erased(), b.erased(), source.erased()) { value, a, b, same in
        "\(value)\(a)\(b)\(same)"
      })
    source.send(1)
    a.send("x")
    source.send(2)
    b.value = false
    a.finish()
    source.send(3)
    source.finish()
    #expect(recorder.transcript == ["2xtrue2", "3xfalse3", "finished"])

    let empty = Recorder<Int, Problem>()
    empty.subscribe(
      to: NeverFlow<Int, Problem>().withLatestFrom(
        b.erased(), Empty<Int, Problem>().erased()
      ) { value, _, _ in value })
    #expect(empty.transcript == ["finished"], "expected the end, because nothing can come")
    let failing = Recorder<Int, Problem>()
    let running = ScriptedSource<Int, Problem>()
    failing.subscribe(
      to: running.withLatestFrom(b.erased(), Fail<Int, Problem>(.first).erased()) { value, _, _ in
        value
      })
    #expect(failing.transcript == ["failed(first)"])
    #expect(running.activeCount == 0)
  }

  @Test("delayWhen: each value waits for its own signal, its first value or its finish")
  func delayWhen() {
    let source = PublishSubject<Int, Problem>()
    let signals = (0..<4).map { _ in PublishSubject<Int, Problem>() }
    let recorder = Recorder<Int, Problem>()
    recorder.subscribe(to: source.delayWhen { signals[$0] })
    for value in 0..<3 { source.send(value) }
    signals[1].send(99)
    signals[1].send(99)
    signals[0].finish()
    source.finish()
    #expect(recorder.transcript == ["1", "0"])
    signals[2].send(1)
    #expect(recorder.transcript == ["1", "0", "2", "finished"])
  }
}

@Suite("operators that transform: state, lists, coding, buffers")
struct TransformingMoreTests {
  @Test(
    "as text",
    arguments: [
      Example("scanMap", "3 4 6 |") {
        playing(3, 1, 2).scanMap(into: 0) { sum, value in
          sum += value
          return sum
        }
      },
      Example("scanMap of none", "|") { playing().scanMap(into: 0) { _, value in value } },
      Example("nwise", "[1, 2, 3] [2, 3, 4] |") { playing(1, 2, 3, 4).nwise(3) },
      Example("nwise of one", "[1] [2] |") { playing(1, 2).nwise(1) },
      Example("nwise of too few", "#2") { failing(1, 2, code: 2).nwise(3) },
      Example("mapMany", "[2, 4] [] |") {
        [[1, 2], []].flow.promoteFailure(to: Trouble.self).mapMany { $0 * 2 }
      },
      Example("filterMany", "[2] [] |") {
        [[1, 2], [3]].flow.promoteFailure(to: Trouble.self).filterMany { $0.isMultiple(of: 2) }
      },
      Example("toggled", "false true |") {
        [true, false].flow.promoteFailure(to: Trouble.self).toggled()
      },
      Example("decode", "1 2 |") { ["1", "2"].flow.decode(Int.self, with: Digits()) },
      Example("decode what is no number", "1 #NoNumber()") {
        ["1", "x", "3"].flow.decode(Int.self, with: Digits())
      },
      Example("encode", "1 2 |") { [1, 2].flow.encode(with: Digits()) },
    ])
  func text(_ example: Example) {
    example.check()
  }

  @Test("scanMap has its state for each subscription")
  func scanMapState() {
    let flow = (1...3).flow.scanMap(into: 0) { sum, value -> Int in
      sum += value
      return sum
    }
    for run in 1...2 {
      let recorder = Recorder<Int, Never>()
      recorder.subscribe(to: flow)
      #expect(recorder.values == [1, 3, 6], "run \(run)")
    }
  }

  @Test("buffer(capacity:overflow:) keeps what its policy says while the observer pauses")
  func bufferOverflow() {
    let policies: [(Overflow<Problem>, [String])] = [
      (.dropOldest, ["1", "4", "5", "finished"]), (.dropNewest, ["1", "2", "3", "finished"]),
      (.unbounded, ["1", "2", "3", "4", "5", "finished"]),
      (.suspend, ["1", "2", "3", "4", "5", "finished"]),
      (.fail(.second), ["1", "2", "3", "failed(second)"]),
    ]
    for (policy, expected) in policies {
      let source = PublishSubject<Int, Problem>()
      let recorder = Recorder<Int, Problem> { _, value in value == 1 ? .pause : .more }
      recorder.subscribe(to: source.buffer(capacity: 2, overflow: policy))
      for value in 1...5 { source.send(value) }
      source.finish()
      #expect(recorder.transcript == ["1"])
      recorder.resume()
      #expect(recorder.transcript == expected)
      #expect(recorder.violations == [])
    }
  }

  @Test(
    "conflate keeps the latest for an observer that pauses; nothing waits for one that does not")
  func conflate() {
    let source = PublishSubject<Int, Never>()
    let recorder = Recorder<Int, Never> { _, _ in .pause }
    recorder.subscribe(to: source.conflate())
    for value in 1...5 { source.send(value) }
    recorder.resume()
    source.send(6)
    source.finish()
    recorder.resume()
    #expect(recorder.transcript == ["1", "5", "6", "finished"])
    let eager = Recorder<Int, Never>()
    eager.subscribe(to: (1...5).flow.conflate())
    #expect(eager.values == [1, 2, 3, 4, 5])
  }

  @Test("lazyMap transforms on its scheduler, skips what comes meanwhile, and keeps the last")
  func lazyMap() throws {
    let scheduler = VirtualScheduler()
    let source = PublishSubject<Int, Never>()
    let calls = Counter()
    let recorder = Recorder<Int, Never>()
    recorder.subscribe(
      to: source.lazyMap(on: scheduler) { value in
        calls.next()
        return value * 10
      })
    for value in 1...5 { source.send(value) }
    #expect(calls.value == 0, "expected nothing to run where the source sends")
    try scheduler.run()
    source.send(6)
    source.send(7)
    source.finish()
    try scheduler.run()
    #expect(recorder.transcript == ["50", "70", "finished"])
    #expect(calls.value == 2, "expected the skipped values not to be transformed")
  }
}
