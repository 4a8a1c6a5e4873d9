import Freshet
import FreshetTesting
import Testing

@Suite("zip")
struct ZipTests {
  private func zipped(
    _ a: String, _ b: String, giving expected: String
  ) throws -> MarbleDifference? {
    let time = VirtualScheduler()
    let flow = try time.hot(a).zip(with: time.hot(b)).map { $0.0 + $0.1 }
    return try time.difference(of: flow, from: expected)
  }

  @Test("MZ-03 zip pairs by index, not by lock-step pull")
  func pairsByIndex() throws {
    #expect(try zipped("-123456789", "---3--6--9", giving: "---{13}--{26}--{39}") == nil)
  }

  @Test("MZ-04 zip finishes as soon as no pair can come")
  func finish() throws {
    #expect(try zipped("-|", "--1--2", giving: "-|") == nil)
    #expect(try zipped("-1-|", "----x--y", giving: "----({1x}|)") == nil)
    #expect(try zipped("-1-|", "----|", giving: "----|") == nil)
    #expect(try zipped("-12-|", "---x-y--z", giving: "---{1x}-({2y}|)") == nil)
    #expect(try zipped("----x-y", "-1-|", giving: "----({x1}|)") == nil)
    #expect(try zipped("|", "|", giving: "|") == nil)
  }

  @Test("MZ-04 a failure of either ends it at once and lets the other go")
  func failure() throws {
    #expect(try zipped("-12#", "----x", giving: "---#") == nil)
    #expect(try zipped("----x", "-12#", giving: "---#") == nil)
    let time = VirtualScheduler()
    let (a, b) = try (time.hot("-1#"), time.hot("---"))
    _ = try time.record(a.zip(with: b), limit: 2)
    #expect(b.activeCount == 0)
    #expect(b.log.disposals == 1)
  }

  @Test("MU-08 events after the end of an unruly source are dropped")
  func unruly() {
    let (a, b) = (
      ScriptedSource<Int, Problem>(.unruly), ScriptedSource<Int, Problem>(.unruly)
    )
    let recorder = Recorder<String, Problem>()
    recorder.subscribe(to: a.zip(with: b).map { "\($0)" })
    a.send(1)
    b.send(2)
    a.fail(.first)
    b.send(3)
    a.send(4)
    b.finish()
    a.fail(.second)
    #expect(recorder.transcript == ["(1, 2)", "failed(first)"])
    #expect(recorder.violations == [])
    a.release()
    b.release()
  }

  @Test("the faster side is paused when the queue is full, and goes on")
  func bound() {
    let fast = ScriptedSource<Int, Problem>(generating: { $0 }, end: nil)
    let slow = ScriptedSource<Int, Problem>()
    let recorder = Recorder<Int, Problem>()
    recorder.subscribe(to: fast.zip(with: slow, capacity: 4).map { $0.0 * 100 + $0.1 })
    #expect(fast.log.sent == 4)
    for value in 0..<10 { slow.send(value) }
    #expect(recorder.values == (0..<10).map { $0 * 101 })
    #expect(fast.log.sent <= 14)
    recorder.dispose()
  }

  @Test("a resume of the observer does not resume a side whose queue is full")
  func pausesDoNotMix() {
    let fast = ScriptedSource<Int, Problem>(generating: { $0 }, end: nil)
    let slow = ScriptedSource<Int, Problem>()
    let recorder = Recorder<Int, Problem> { _, _ in .pause }
    recorder.subscribe(to: fast.zip(with: slow, capacity: 4).map { $0.0 * 100 + $0.1 })
    for value in 0..<8 {
      slow.send(value)
      recorder.resume()
    }
    #expect(recorder.values == (0..<8).map { $0 * 101 })
    #expect(fast.log.sent <= 8 + 4 + 1)
    recorder.dispose()
  }

  private enum Event: Sendable {
    case a(Int), b(Int), endA, endB
  }

  @Test("all orders: the n-th with the n-th, and an end as soon as it is certain")
  func interleavings() {
    for (countA, countB) in [(0, 2), (1, 3), (3, 2), (3, 3)] {
      let listA = (0..<countA).map { Event.a($0) } + [.endA]
      let listB = (0..<countB).map { Event.b($0) } + [.endB]
      forEveryInterleaving(listA, listB) { events in
        let (a, b) = (PublishSubject<Int, Problem>(), PublishSubject<Int, Problem>())
        let recorder = Recorder<String, Problem>()
        recorder.subscribe(to: a.zip(with: b).map { "\($0.0)\($0.1)" })
        let many = Recorder<String, Problem>()
        many.subscribe(to: [a, b].zipped().map { "\($0[0])\($0[1])" })
        var (sentA, sentB, endedA, endedB, isOver) = (0, 0, false, false, false)
        for event in events where !isOver {
          switch event {
          case .a(let value):
            a.send(value)
            sentA += 1
          case .b(let value):
            b.send(value)
            sentB += 1
          case .endA:
            a.finish()
            endedA = true
          case .endB:
            b.finish()
            endedB = true
          }
          let pairs = min(sentA, sentB)
          isOver = endedA && sentA == pairs || endedB && sentB == pairs
          #expect(recorder.valueCount == pairs && recorder.hasEnded == isOver, "\(events)")
        }
        let expected = (0..<min(countA, countB)).map { "\($0)\($0)" } + ["finished"]
        #expect(recorder.transcript == expected, "\(events)")
        #expect(many.transcript == expected, "zipped, \(events)")
      }
    }
  }

  @Test("MZ-07 zip over an empty collection is one empty list")
  func empty() {
    let recorder = Recorder<[Int], Problem>()
    recorder.subscribe(to: [AnyFlow<Int, Problem>]().zipped())
    #expect(recorder.transcript == ["[]", "finished"])
  }

  @Test("zip of a finished row does not wait for the others")
  func zippedFinish() throws {
    let time = VirtualScheduler()
    let open = try [time.hot("-a-b|"), time.hot("--x--"), time.hot("---p-")].zipped()
    #expect(try time.difference(of: open.map { $0.joined() }, from: "---{axp}") == nil)
    let other = VirtualScheduler()
    let ended = try [other.hot("-a|"), other.hot("--x--"), other.hot("---p-")].zipped()
    #expect(try other.difference(of: ended.map { $0.joined() }, from: "---({axp}|)") == nil)
  }
}
