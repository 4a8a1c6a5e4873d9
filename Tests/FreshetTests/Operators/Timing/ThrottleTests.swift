import Freshet
import FreshetTesting
import Testing

@Suite("throttle")
struct ThrottleTests {
  private func result(
    _ source: String, leading: Bool = true, trailing: Bool = true, giving expected: String
  ) throws -> MarbleDifference? {
    let time = VirtualScheduler()
    let flow = try time.hot(source).throttle(
      for: .ticks(4), on: time, leading: leading, trailing: trailing)
    return try time.difference(of: flow, from: expected)
  }

  @Test("TM-09 the numbers of the JS specification")
  func numbers() throws {
    let source = "-a-xy-----b--x--cxxx--|"
    #expect(try result(source, giving: "-a---y----b---x---x---(x|)") == nil)
    #expect(try result(source, leading: false, giving: "-----y--------x---x---(x|)") == nil)
    #expect(try result(source, trailing: false, giving: "-a--------b-----c-----|") == nil)
  }

  @Test("TM-06 the latest of a period at its end")
  func latest() {
    let time = VirtualScheduler()
    let source = PublishSubject<String, Problem>()
    let recorder = Recorder<String, Problem>(scheduler: time)
    recorder.subscribe(to: source.throttle(for: .ticks(60), on: time))
    for (tick, value) in [(0, "a"), (20, "b"), (30, "c"), (200, "d")] {
      time.advance(to: Moment(.ticks(tick)))
      source.send(value)
    }
    time.advance(by: .ticks(100))
    #expect(recorder.ticked == ["a@0", "c@60", "d@200"])
  }

  @Test("TM-06 a gap of just under and just over a period")
  func gap() {
    let time = VirtualScheduler()
    let source = PublishSubject<Int, Problem>()
    let recorder = Recorder<Int, Problem>(scheduler: time)
    recorder.subscribe(to: source.throttle(for: .ticks(60), on: time))
    for (tick, value) in [(0, 0), (45, 1), (121, 2)] {
      time.advance(to: Moment(.ticks(tick)))
      source.send(value)
    }
    time.advance(by: .ticks(100))
    #expect(recorder.ticked == ["0@0", "1@60", "2@121"])
  }

  @Test("TM-07 without the trailing value it is a button guard")
  func leadingOnly() throws {
    #expect(try result("abc------d-e-|", trailing: false, giving: "a--------d---|") == nil)
  }

  @Test("TM-10 a value that waits when the source finishes is sent first")
  func finish() throws {
    #expect(try result("-ab|", giving: "-a-(b|)") == nil)
    #expect(try result("-a-|", giving: "-a-|") == nil)
    #expect(try result("-ab|", leading: false, giving: "---(b|)") == nil)
    #expect(try result("-ab|", trailing: false, giving: "-a-|") == nil)
  }

  @Test("a failure drops what waits")
  func failure() throws {
    #expect(try result("-ab#", giving: "-a-#") == nil)
  }

  @Test("a value at the very end of a period: one value per period, none lost")
  func boundary() throws {
    // The value comes before the timer of the same tick: it takes the place of the one that waits.
    #expect(try result("ab--c----d|", giving: "a---c----d|") == nil)
    #expect(try result("ab--c-------d|", leading: false, giving: "----c--------(d|)") == nil)
    #expect(try result("a---b---c|", giving: "a---b---c|") == nil)
    #expect(try result("a---b---c-----|", leading: false, giving: "----b-------c-|") == nil)
  }

  @Test("TM-12 a second is a thousand milliseconds")
  func units() {
    for period in [Duration.seconds(1), .milliseconds(1000), .nanoseconds(1_000_000_000)] {
      let scheduler = VirtualScheduler()
      let source = PublishSubject<Int, Never>()
      let recorder = Recorder<Int, Never>(scheduler: scheduler)
      recorder.subscribe(to: source.throttle(for: period, on: scheduler))
      for value in 0..<25 {
        source.send(value)
        scheduler.advance(by: .milliseconds(100))
      }
      #expect(recorder.ticked == ["0@0", "9@1000", "19@2000"])
    }
  }

  @Test("DM-14 an observer that pauses gets the latest")
  func pausing() {
    let scheduler = VirtualScheduler()
    let source = PublishSubject<Int, Never>()
    let recorder = Recorder<Int, Never>(scheduler: scheduler) { _, _ in .pause }
    recorder.subscribe(to: source.throttle(for: .ticks(10), on: scheduler))
    for value in 1...4 { source.send(value) }
    scheduler.advance(by: .ticks(10))
    recorder.resume()
    #expect(recorder.values == [1, 4])
  }

  @Test("one timer, whatever the number of values")
  func oneTimer() {
    let scheduler = VirtualScheduler()
    let source = PublishSubject<Int, Never>()
    let token = source.throttle(for: .ticks(10), on: scheduler).subscribe { _ in }
    for value in 0..<1000 { source.send(value) }
    #expect(scheduler.pendingCount == 1)
    token.dispose()
    #expect(scheduler.pendingCount == 0)
  }
}
