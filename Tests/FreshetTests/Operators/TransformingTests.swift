import Freshet
import FreshetTesting
import Testing

@Suite("transforming operators")
struct TransformingTests {
  @Test("send what they say", arguments: examples)
  func example(_ example: Example) {
    example.check()
  }

  static let examples: [Example] = [
    Example("tryMap", "2 4 |") { playing(1, 2).tryMap { v throws(Trouble) in v * 2 } },
    Example("tryMap that throws", "2 #7") {
      playing(1, 2, 3).tryMap { v throws(Trouble) in
        if v == 2 { throw Trouble(7) }
        return v * 2
      }
    },
    Example("tryMap of a failing source", "2 #5") {
      failing(1, code: 5).tryMap { v throws(Trouble) in v * 2 }
    },
    Example("tryMap of a source that cannot fail", "2 #7") {
      [1, 2, 3].flow.tryMap { (v: Int) throws(Trouble) -> Int in
        if v == 2 { throw Trouble(7) }
        return v * 2
      }
    },
    Example("tryMap after tryMap: the first that throws", "#1") {
      playing(1).tryMap { v throws(Trouble) -> Int in throw Trouble(v) }
        .tryMap { v throws(Trouble) -> Int in throw Trouble(2) }
    },
    Example("tryMap then map and filter", "5 |") {
      playing(1, 2, 3).tryMap { v throws(Trouble) in v * 2 }.map { $0 + 1 }.filter { $0 == 5 }
    },
    Example("tryFilter", "2 #3") {
      playing(1, 2, 3, 4).tryFilter { v throws(Trouble) in
        if v == 3 { throw Trouble(3) }
        return v == 2
      }
    },
    Example("tryFilter of a source that cannot fail", "2 |") {
      [1, 2].flow.tryFilter { (v: Int) throws(Trouble) -> Bool in v == 2 }
    },
    Example("tryCompactMap", "1 #3") {
      playing(1, 2, 3, 4).tryCompactMap { v throws(Trouble) -> Int? in
        if v == 3 { throw Trouble(3) }
        return v == 2 ? nil : v
      }
    },
    Example("tryCompactMap of a source that cannot fail", "|") {
      [1, 2].flow.tryCompactMap { (v: Int) throws(Trouble) -> String? in nil }
    },
    Example("tryMap, tryFilter and tryCompactMap in a row", "30 #4") {
      playing(1, 2, 3, 4).tryMap { v throws(Trouble) in v * 10 }
        .tryFilter { v throws(Trouble) in v != 20 }
        .tryCompactMap { v throws(Trouble) in
          if v == 40 { throw Trouble(4) }
          return v == 10 ? nil : v
        }
    },
    Example("tryScan", "1 3 #3") {
      playing(1, 2, 3, 4).tryScan(0) { sum, v throws(Trouble) in
        if v == 3 { throw Trouble(3) }
        return sum + v
      }
    },
    Example("tryScan of a source that cannot fail", "1 3 |") {
      [1, 2].flow.tryScan(0) { (sum: Int, v: Int) throws(Trouble) -> Int in sum + v }
    },
    Example("OP-05: tryScan does not send the seed", "|") {
      playing().tryScan(0) { sum, v throws(Trouble) in sum + v }
    },
    Example("scan(into:)", "[1] [1, 2] |") {
      [1, 2].flow.scan(into: [Int]()) { $0.append($1) }
    },
    Example("OP-05: scan(into:) does not send the seed", "|") {
      [Int]().flow.scan(into: 9) { $0 += $1 }
    },
    Example("map by a key path in a variable", "1 2 |") {
      let path: any KeyPath<String, Int> & Sendable = \String.count
      return ["a", "bb"].flow.map(path)
    },
    Example("map by a key path in place", "1 2 |") { ["a", "bb"].flow.map(\.count) },
    Example("mapFailure", "1 #6") { failing(1, code: 5).mapFailure { Trouble($0.code + 1) } },
    Example("mapFailure of a finish", "1 |") { playing(1).mapFailure { Trouble($0.code + 1) } },
    Example("mapFailure between maps", "4 #6") {
      failing(1, code: 5).map { $0 + 1 }.mapFailure { Trouble($0.code + 1) }.map { $0 * 2 }
    },
    Example("enumerated", "0a 1b |") {
      ["a", "b"].flow.enumerated().map { "\($0.offset)\($0.element)" }
    },
    Example("pairwise", "12 23 |") {
      [1, 2, 3].flow.pairwise().map { "\($0.previous)\($0.current)" }
    },
    Example("pairwise of one", "|") { Just(1).pairwise().map { "\($0)" } },
    Example("replaceNil", "1 0 |") { [1, nil].flow.replaceNil(with: 0) },
    Example("materialize, a finish", "value(1) end(Freshet.End<FreshetTests.Trouble>.finished) |") {
      playing(1).materialize()
    },
    Example("materialize, a failure", "true true |") {
      failing(1, code: 5).materialize().enumerated().map {
        $0.element == ($0.offset == 0 ? .value(1) : .end(.failed(Trouble(5))))
      }
    },
    Example("dematerialize", "1 #5") {
      [Event<Int, Trouble>.value(1), .end(.failed(Trouble(5))), .value(2)].flow.dematerialize()
    },
    Example("dematerialize without an end event", "1 |") {
      [Event<Int, Trouble>.value(1)].flow.dematerialize()
    },
    Example("materialize and back", "1 2 #5") {
      failing(1, 2, code: 5).materialize().dematerialize()
    },
    Example("mapToResult", "success(1) failure(5) |") { failing(1, code: 5).mapToResult() },
    Example("mapToResult of a finish", "success(1) |") { playing(1).mapToResult() },
  ]

  @Test("a thrown failure stops the source once, before the end goes down")
  func thrownFailureStopsTheSource() {
    let source = ScriptedSource<Int, Trouble>()
    let order = Seen<String>()
    let token = source.tap(onEnd: { order.add("the source ended: \($0)") })
      .tryMap { v throws(Trouble) in
        if v == 2 { throw Trouble(2) }
        return v
      }
      .subscribe(
        onValue: { order.add("\($0)") },
        onEnd: { _ in order.add("end, \(source.activeCount) active") })
    source.send(1)
    source.send(2)
    source.send(3)
    #expect(order.all == ["1", "end, 0 active"])
    #expect(source.log.disposals == 1)
    token.dispose()
    #expect(source.log.disposals == 1)
  }

  @Test("dematerialize stops the source at an end event")
  func dematerializeStopsTheSource() {
    let source = ScriptedSource<Event<Int, Trouble>, Never>()
    let recorder = Recorder<Int, Trouble>()
    recorder.subscribe(to: source.dematerialize())
    source.send(.value(1))
    source.send(.end(.finished))
    #expect(recorder.transcript == ["1", "finished"])
    #expect(source.log.disposals == 1)
  }

  @Test("timestamp and measureInterval are exact in virtual time")
  func time() {
    let scheduler = VirtualScheduler()
    let source = ScriptedSource<Int, Never>()
    let stamps = Recorder<(value: Int, moment: Moment), Never>()
    let intervals = Recorder<(value: Int, interval: Duration), Never>()
    scheduler.advance(by: .seconds(5))
    stamps.subscribe(to: source.timestamp(on: scheduler))
    intervals.subscribe(to: source.measureInterval(on: scheduler))
    for value in 1...3 {
      scheduler.advance(by: .seconds(value))
      source.send(value)
    }
    #expect(stamps.values.map(\.value) == [1, 2, 3])
    #expect(stamps.values.map(\.moment.sinceOrigin) == [.seconds(6), .seconds(8), .seconds(11)])
    #expect(intervals.values.map(\.value) == [1, 2, 3])
    #expect(intervals.values.map(\.interval) == [.seconds(1), .seconds(2), .seconds(3)])
    stamps.dispose()
    intervals.dispose()
  }

  @Test("state is per subscription")
  func statePerSubscription() {
    let source = [1, 2].flow
    let flows = [
      source.enumerated().map { $0.offset }.erased(),
      source.scan(into: 0) { $0 += $1 }.erased(),
      source.pairwise().map { $0.previous }.erased(),
      source.distinct().erased(),
      source.skipWhile { $0 < 2 }.erased(),
      source.takeLast(1).erased(),
      source.skipLast(1).erased(),
      source.reduce(0, +).erased(),
    ]
    for flow in flows {
      let first = Recorder<Int, Never>()
      let second = Recorder<Int, Never>()
      first.subscribe(to: flow)
      second.subscribe(to: flow)
      #expect(first.transcript == second.transcript)
      #expect(first.transcript.count > 1)
    }
  }
}
