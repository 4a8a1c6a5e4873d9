import Freshet
import FreshetTesting
import Testing

@Suite("delay and delaySubscription")
struct DelayTests {
  private func result(
    _ source: String, failFast: Bool = true, giving expected: String
  ) throws -> MarbleDifference? {
    let time = VirtualScheduler()
    let flow = try time.hot(source).delay(for: .ticks(2), on: time, failFast: failFast)
    return try time.difference(of: flow, from: expected)
  }

  @Test("TM-13 everything comes later, the finish too")
  func values() throws {
    #expect(try result("---a--b--|", giving: "-----a--b--|") == nil)
    #expect(try result("[ab]c-(d|)", giving: "--[ab]c-(d|)") == nil)
    #expect(try result("|", giving: "--|") == nil)
  }

  @Test("TM-13 a failure passes at once, or with its distance")
  func failures() throws {
    #expect(try result("a-b--c#", giving: "--a-b-#") == nil)
    #expect(try result("a-b--c#", failFast: false, giving: "--a-b--c#") == nil)
    #expect(try result("#", giving: "#") == nil)
    #expect(try result("#", failFast: false, giving: "--#") == nil)
  }

  @Test("numbers of the Rx suite: 250, 350, 450 come 50 later and the failure at 550")
  func rxNumbers() {
    let scheduler = VirtualScheduler()
    let source = PublishSubject<Int, Problem>()
    let recorder = Recorder<Int, Problem>(scheduler: scheduler)
    recorder.subscribe(to: source.delay(for: .ticks(50), on: scheduler))
    for (tick, value) in [(250, 2), (350, 3), (450, 4)] {
      scheduler.advance(to: Moment(.ticks(tick)))
      source.send(value)
    }
    scheduler.advance(to: Moment(.ticks(550)))
    source.fail(.first)
    #expect(recorder.ticked == ["2@300", "3@400", "4@500", "failed(first)@550"])
  }

  @Test("a dispose drops what is under way, and its timer")
  func dispose() {
    let scheduler = VirtualScheduler()
    let source = PublishSubject<LeakProbe.Token, Never>()
    let probe = LeakProbe()
    let recorder = Recorder<String, Never>(scheduler: scheduler)
    recorder.subscribe(to: source.delay(for: .ticks(50), on: scheduler).map { $0.name })
    source.send(probe.token("waiting"))
    #expect(probe.alive == ["waiting"])
    recorder.dispose()
    #expect(probe.alive == [])
    #expect(scheduler.pendingCount == 0)
  }

  @Test("one timer, whatever the number of values")
  func oneTimer() {
    let scheduler = VirtualScheduler()
    let source = PublishSubject<Int, Never>()
    let recorder = Recorder<Int, Never>(scheduler: scheduler)
    recorder.subscribe(to: source.delay(for: .ticks(10), on: scheduler))
    for value in 0..<10_000 { source.send(value) }
    #expect(scheduler.pendingCount == 1)
    scheduler.advance(by: .ticks(10))
    #expect(recorder.values == Array(0..<10_000))
  }

  @Test("a value sent while one is delivered is late by the whole time")
  func reentrant() {
    let scheduler = VirtualScheduler()
    let source = PublishSubject<Int, Never>()
    let recorder = Recorder<Int, Never>(scheduler: scheduler) { _, value in
      if value < 3 { source.send(value + 1) }
      return .more
    }
    recorder.subscribe(to: source.delay(for: .ticks(5), on: scheduler))
    source.send(0)
    scheduler.advance(by: .ticks(50))
    #expect(recorder.ticked == ["0@5", "1@10", "2@15", "3@20"])
  }

  @Test("delaySubscription subscribes later; a dispose before that means never")
  func delaySubscription() throws {
    let time = VirtualScheduler()
    let source = try time.cold("a-b-|")
    let flow = source.delaySubscription(for: .ticks(3), on: time)
    #expect(try time.difference(of: flow, from: "---a-b-|") == nil)
    #expect(source.starts == [3])
    let other = VirtualScheduler()
    let never = try other.cold("a|")
    let late = never.delaySubscription(for: .ticks(3), on: other)
    #expect(try other.difference(of: late, from: "", limit: 2) == nil)
    #expect(never.starts == [])
    #expect(other.pendingCount == 0)
  }
}
