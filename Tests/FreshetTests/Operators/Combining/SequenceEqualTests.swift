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
    ] as [(String, String, String)])
  func timelines(_ a: String, _ b: String, _ expected: String) throws {
    let time = VirtualScheduler()
    #expect(
      try time.difference(of: time.hot(a).sequenceEqual(to: time.hot(b)), from: expected) == nil)
    let other = VirtualScheduler()
    #expect(
      try other.difference(of: other.hot(b).sequenceEqual(to: other.hot(a)), from: expected) == nil)
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
