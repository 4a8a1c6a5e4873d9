import Freshet
import FreshetTesting
import Testing

@Suite("adjacent steps are one closure")
struct FusedTests {
  /// A helper such as users write: it knows nothing of what it is given.
  private func doubled<F: Flow>(_ flow: F) -> some Flow<Int, Never>
  where F.Element == Int, F.Failure == Never {
    flow.map { $0 * 2 }.filter { $0 != 4 }
  }

  @Test("a step leaves the type of the chain as it is")
  func flat() {
    // This compiles only because of it: each round gives a flow of the same type.
    var flow = (0..<4).flow.map { $0 }
    for _ in 0..<100 { flow = flow.map { $0 + 1 } }
    let recorder = Recorder<Int, Never>()
    recorder.subscribe(to: flow.filter { $0 != 101 })
    #expect(recorder.transcript == ["100", "102", "103", "finished"])
  }

  @Test("through helpers too, with values that change their type and are dropped in between")
  func mixed() {
    let recorder = Recorder<String, Never>()
    let flow = doubled(doubled((0..<8).flow.filter { $0 != 3 })).compactMap {
      $0 == 0 ? nil : "\($0)"
    }
    recorder.subscribe(to: flow.map { $0 + "!" }.filter { $0 != "20!" })
    #expect(recorder.transcript == ["16!", "24!", "28!", "finished"])
  }

  @Test("an optional value that is nil is a value and not dropped")
  func optionals() {
    let recorder = Recorder<Int?, Never>()
    recorder.subscribe(
      to: (0..<3).flow.map { $0 == 1 ? nil : $0 }.filter { $0 != 2 }.map { $0 })
    #expect(recorder.values == [0, nil], "expected the nil among the values")
  }

  @Test("what is known of a value beforehand goes through all steps")
  func known() {
    let flow = Just(3).map { $0 + 1 }.filter { $0.isMultiple(of: 2) }.map { "\($0)" }
    #expect(flow.known == .value("4"))
    #expect(Just(4).map { $0 + 1 }.filter { $0.isMultiple(of: 2) }.known == .end(.finished))
    #expect(Fail<Int, Problem>(.first).map { $0 + 1 }.known == .end(.failed(.first)))
    #expect([1].flow.map { $0 + 1 }.known == nil)
  }

  @Test("no step runs for a value that an earlier one has dropped, and each once for others")
  func once() {
    let calls = Seen<String>()
    let flow = (0..<3).flow
      .filter { value in
        calls.add("filter \(value)")
        return value != 1
      }
      .map { value -> Int in
        calls.add("map \(value)")
        return value
      }
    let recorder = Recorder<Int, Never>()
    recorder.subscribe(to: flow.compactMap { $0 })
    #expect(calls.all == ["filter 0", "map 0", "filter 1", "filter 2", "map 2"])
  }

  @Test("hide keeps apart what is before it and after it, and changes nothing else")
  func hidden() {
    let before = (0..<6).flow.map { $0 + 1 }.filter { $0 != 3 }
    let flow = before.hide().map { $0 * 10 }.filter { $0 != 50 }.hide()
    let recorder = Recorder<Int, Never>()
    recorder.subscribe(to: flow)
    #expect(recorder.transcript == ["10", "20", "40", "60", "finished"])
    // A chain that begins at the hidden flow, and not at the range.
    let chain: Fused<Hidden<Fused<SequenceFlow<Range<Int>>, Int>>, Int> = before.hide().map { $0 }
    #expect(chain.known == nil)
    #expect(Just(3).map { $0 + 1 }.hide().map { "\($0)" }.known == .value("4"))
  }
}
