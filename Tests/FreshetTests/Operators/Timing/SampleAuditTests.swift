import Freshet
import FreshetTesting
import Testing

@Suite("sample and audit")
struct SampleAuditTests {
  @Test(
    "sample sends the latest new value at each signal",
    arguments: [
      ("1-2---3----|", "---x-x---x---", "---2-----3-|"),
      ("1-2---3----|", "---x--|", "---2--|"),
      ("1-2-#", "---x----", "---2#"),
      ("1-2----", "---x-#", "---2-#"),
      ("1-|", "-", "--|"),
    ] as [(String, String, String)])
  func sample(_ source: String, _ signal: String, _ expected: String) throws {
    let time = VirtualScheduler()
    #expect(
      try time.difference(of: time.hot(source).sample(on: time.hot(signal)), from: expected) == nil)
  }

  @Test("sample by time")
  func sampleByTime() throws {
    let time = VirtualScheduler()
    let flow = try time.hot("1-2---3----|").sample(every: .ticks(3), on: time)
    #expect(try time.difference(of: flow, from: "---2--3----|") == nil)
    #expect(time.pendingCount == 0)
  }

  @Test("all orders of values and signals")
  func interleavings() {
    forEveryInterleaving(["1", "2", "3"], ["x", "x", "x"]) { events in
      let (source, signal) = (PublishSubject<String, Never>(), PublishSubject<String, Never>())
      let recorder = Recorder<String, Never>()
      recorder.subscribe(to: source.sample(on: signal))
      var (latest, expected): (String?, [String]) = (nil, [])
      for event in events {
        if event == "x" {
          signal.send(event)
          if let value = latest { expected.append(value) }
          latest = nil
        } else {
          source.send(event)
          latest = event
        }
      }
      #expect(recorder.values == expected, "\(events)")
    }
  }

  @Test(
    "audit waits after a value and sends the latest",
    arguments: [
      ("a-b-c------d--|", "---b---c------(d|)"),
      ("abcdefgh--|", "---d---h--|"),
      ("-ab#", "---#"),
      ("a---b----|", "---a---b-|"),
      ("|", "|"),
    ] as [(String, String)])
  func audit(_ source: String, _ expected: String) throws {
    let time = VirtualScheduler()
    #expect(
      try time.difference(of: time.hot(source).audit(for: .ticks(3), on: time), from: expected)
        == nil)
    #expect(time.pendingCount == 0)
  }

  @Test("audit keeps one timer")
  func oneTimer() {
    let scheduler = VirtualScheduler()
    let source = PublishSubject<Int, Never>()
    let token = source.audit(for: .ticks(3), on: scheduler).subscribe { _ in }
    for value in 0..<100 { source.send(value) }
    #expect(scheduler.pendingCount == 1)
    token.dispose()
    #expect(scheduler.pendingCount == 0)
  }
}
