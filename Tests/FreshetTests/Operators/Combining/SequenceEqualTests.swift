import Freshet
import FreshetTesting
import Testing

@Suite("sequenceEqual")
struct SequenceEqualTests {
  @Test(
    "tells at the first difference, or when both have finished alike",
    arguments: [
      ("1--2--|", "-1--2---|", "--------({true}|)"),
      ("1--2--|", "-1--3---|", "----({false}|)"),
      ("1--2--|", "-1|", "---({false}|)"),
      ("1|", "-1--2---|", "----({false}|)"),
      ("|", "--|", "--({true}|)"),
      ("|", "--1", "--({false}|)"),
      ("1--2-#", "-1-----2", "-----#"),
      ("1--2-", "-1#", "--#"),
      ("12345|", "----------12345|", "---------------({true}|)"),
    ] as [(Timeline, Timeline, Timeline)])
  func timelines(_ a: Timeline, _ b: Timeline, _ expected: Timeline) {
    let rig = TimeRig()
    #expect(rig.play(rig.hot(a).sequenceEqual(to: rig.hot(b))) == expected)
    let other = TimeRig()
    #expect(other.play(other.hot(b).sequenceEqual(to: other.hot(a))) == expected)
  }

  @Test("a nil is a value and not the end")
  func optionals() {
    let cases: [([Int?], [Int?], Bool)] = [
      ([1, nil], [1, nil], true), ([1, nil], [1], false), ([nil], [], false), ([nil], [nil], true),
    ]
    for (a, b, expected) in cases {
      let recorder = Recorder<Bool, Never>()
      recorder.subscribe(to: a.flow.sequenceEqual(to: b.flow))
      #expect(recorder.values == [expected], "\(a) \(b)")
      #expect(recorder.hasEnded)
    }
  }

  @Test("both sources are let go at the answer")
  func letGo() {
    let (a, b) = (ScriptedSource<Int, Never>(), ScriptedSource<Int, Never>())
    let recorder = Recorder<Bool, Never>()
    recorder.subscribe(to: a.sequenceEqual(to: b))
    a.send(1)
    b.send(2)
    #expect(recorder.transcript == ["false", "finished"])
    #expect(a.activeCount == 0 && b.activeCount == 0)
  }
}
