import Freshet
import FreshetTesting
import Testing

@Suite("throttle")
struct ThrottleTests {
  private func result(
    _ source: Timeline, for ticks: Int = 4, leading: Bool = true, trailing: Bool = true
  ) -> Timeline {
    let rig = TimeRig()
    return rig.play(
      rig.hot(source).throttle(
        for: .ticks(ticks), on: rig.scheduler, leading: leading, trailing: trailing))
  }

  @Test("TM-09 the numbers of the JS specification")
  func numbers() {
    let source: Timeline = "-a-xy-----b--x--cxxx--|"
    #expect(result(source) == "-a---y----b---x---x---(x|)")
    #expect(result(source, leading: false) == "-----y--------x---x---(x|)")
    #expect(result(source, trailing: false) == "-a--------b-----c-----|")
  }

  @Test("TM-06 the latest of a period at its end")
  func latest() {
    let rig = TimeRig()
    let source = PublishSubject<String, Problem>()
    let recorder = Recorder<String, Problem>(scheduler: rig.scheduler)
    recorder.subscribe(to: source.throttle(for: .ticks(60), on: rig.scheduler))
    for (tick, value) in [(0, "a"), (20, "b"), (30, "c"), (200, "d")] {
      rig.scheduler.advance(to: Moment(.ticks(tick)))
      source.send(value)
    }
    rig.scheduler.advance(by: .ticks(100))
    #expect(recorder.ticked == ["a@0", "c@60", "d@200"])
  }

  @Test("TM-06 a gap of just under and just over a period")
  func gap() {
    let rig = TimeRig()
    let source = PublishSubject<Int, Problem>()
    let recorder = Recorder<Int, Problem>(scheduler: rig.scheduler)
    recorder.subscribe(to: source.throttle(for: .ticks(60), on: rig.scheduler))
    for (tick, value) in [(0, 0), (45, 1), (121, 2)] {
      rig.scheduler.advance(to: Moment(.ticks(tick)))
      source.send(value)
    }
    rig.scheduler.advance(by: .ticks(100))
    #expect(recorder.ticked == ["0@0", "1@60", "2@121"])
  }

  @Test("TM-07 without the trailing value it is a button guard")
  func leadingOnly() {
    #expect(result("abc------d-e-|", trailing: false) == "a--------d---|")
  }

  @Test("TM-10 a value that waits when the source finishes is sent first")
  func finish() {
    #expect(result("-ab|") == "-a-(b|)")
    #expect(result("-a-|") == "-a-|")
    #expect(result("-ab|", leading: false) == "---(b|)")
    #expect(result("-ab|", trailing: false) == "-a-|")
  }

  @Test("a failure drops what waits")
  func failure() {
    #expect(result("-ab#") == "-a-#")
  }

  @Test("a value at the very end of a period: one value per period, none lost")
  func boundary() {
    // The value comes before the timer of the same tick: it takes the place of the one that waits.
    #expect(result("ab--c----d|") == "a---c----d|")
    #expect(result("ab--c-------d|", leading: false) == "----c--------(d|)")
    #expect(result("a---b---c|") == "a---b---c|")
    #expect(result("a---b---c-----|", leading: false) == "----b-------c-|")
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
