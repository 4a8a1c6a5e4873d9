import Freshet
import FreshetTesting
import Testing

@Suite("withLatestFrom")
struct WithLatestFromTests {
  private func result(
    _ source: String, _ other: String, giving expected: String
  ) throws -> MarbleDifference? {
    let time = VirtualScheduler()
    let flow = try time.hot(source).withLatestFrom(time.hot(other), { $0 + $1 })
    return try time.difference(of: flow, from: expected)
  }

  @Test("each value comes with the latest of the other")
  func timelines() throws {
    #expect(try result("1-----2--3----|", "---x------y--|", giving: "------{2x}--{3x}----|") == nil)
    #expect(try result("--1-2-3|", "-x-y---", giving: "--{1x}-{2y}-{3y}|") == nil)
    #expect(try result("--1-2#", "-x-y---", giving: "--{1x}-{2y}#") == nil)
    #expect(try result("--1-2-3", "-x-#", giving: "--{1x}#") == nil)
  }

  @Test("the other one finishing changes nothing, unless it has sent nothing")
  func otherFinishes() throws {
    #expect(try result("--1-2|", "-x|", giving: "--{1x}-{2x}|") == nil)
    #expect(try result("--1-2|", "-|", giving: "-|") == nil)
  }

  @Test("the other one is subscribed to first")
  func order() {
    let recorder = Recorder<String, Never>()
    recorder.subscribe(to: Just("1").withLatestFrom(Just("x"), { $0 + $1 }))
    #expect(recorder.transcript == ["1x", "finished"])
    let relay = BehaviorSubject<Int, Never>(7)
    let same = Recorder<Int, Never>()
    same.subscribe(to: relay.withLatestFrom(relay, { $0 * 10 + $1 }))
    relay.send(8)
    #expect(same.values == [77, 88])
  }

  @Test("ML-05 withLatestFrom frees the other source")
  func release() {
    for end in [true, false] {
      let (source, other) = (ScriptedSource<Int, Problem>(), ScriptedSource<Int, Problem>())
      let probe = LeakProbe()
      let recorder = Recorder<Int, Problem>()
      do {
        let token = probe.token("other")
        recorder.subscribe(
          to: source.withLatestFrom(other.map { token.pass($0) }, { $0 + $1 }))
      }
      other.send(1)
      source.send(2)
      if end { source.finish() } else { recorder.dispose() }
      #expect(probe.alive == [])
      #expect(other.activeCount == 0)
    }
  }
}
