import Freshet
import FreshetTesting
import Testing

@Suite("timeout")
struct TimeoutTests {
  @Test("TM-15 timeout(13): values at 10 and 11, a failure at 24")
  func numbers() throws {
    let time = VirtualScheduler()
    let source = try time.hot("----------ab")
    let flow = source.timeout(after: .ticks(13), on: time) { MarbleFailure() }
    #expect(try time.difference(of: flow, from: "----------ab------------#") == nil)
    #expect(source.log.disposals == 1)
    #expect(time.pendingCount == 0)
  }

  @Test("TM-15 a finish and a failure before the deadline disarm it")
  func disarm() throws {
    for (timeline, expected) in [("-a--|", "-a--|"), ("-a--#", "-a--#")] as [(String, String)] {
      let time = VirtualScheduler()
      let flow = try time.hot(timeline).timeout(after: .ticks(13), on: time) { MarbleFailure() }
      #expect(try time.difference(of: flow, from: expected) == nil)
      #expect(time.pendingCount == 0)
    }
  }

  @Test("TM-16 exactly at the deadline the one that was scheduled first counts")
  func boundary() throws {
    // The source's events were scheduled before the timer.
    let early = VirtualScheduler()
    let first = try early.hot("-------------a|").timeout(after: .ticks(13), on: early) {
      MarbleFailure()
    }
    #expect(try early.difference(of: first, from: "-------------a|") == nil)
    // The source of each subscription is scheduled after the timer.
    let late = VirtualScheduler()
    let second = try late.cold("-------------a|").timeout(after: .ticks(13), on: late) {
      MarbleFailure()
    }
    #expect(try late.difference(of: second, from: "-------------#") == nil)
  }

  @Test("silence from the beginning times out")
  func silence() throws {
    let time = VirtualScheduler()
    let flow = try time.hot("").timeout(after: .ticks(4), on: time) { MarbleFailure() }
    #expect(try time.difference(of: flow, from: "----#") == nil)
  }

  @Test("switches to another flow and lets the source go")
  func switchTo() throws {
    let time = VirtualScheduler()
    let source = try time.hot("-a-b-------c--|")
    let other = try time.cold("8-9|")
    let flow = source.timeout(after: .ticks(4), on: time, switchTo: other)
    #expect(try time.difference(of: flow, from: "-a-b---8-9|") == nil)
    #expect(other.starts == [7])
    #expect(source.log.disposals == 1)
  }

  @Test("the replacement has no timeout of its own")
  func switchToSlow() throws {
    let time = VirtualScheduler()
    let flow = try time.hot("").timeout(
      after: .ticks(2), on: time, switchTo: time.cold("----------8|"))
    #expect(try time.difference(of: flow, from: "------------8|") == nil)
  }

  @Test("a synchronous source is not timed out")
  func synchronous() {
    let scheduler = VirtualScheduler()
    let recorder = Recorder<Int, Problem>()
    recorder.subscribe(
      to: [1, 2].flow.promoteFailure(to: Problem.self)
        .timeout(after: .ticks(1), on: scheduler) { .first })
    #expect(recorder.transcript == ["1", "2", "finished"])
    #expect(scheduler.pendingCount == 0)
  }

  @Test("the time stands still while the observer pauses, and runs anew when it goes on")
  func observerPauses() {
    let scheduler = VirtualScheduler()
    let source = PublishSubject<Int, Problem>()
    let recorder = Recorder<Int, Problem>(scheduler: scheduler) { _, _ in .pause }
    recorder.subscribe(to: source.timeout(after: .ticks(5), on: scheduler) { .first })
    source.send(1)
    scheduler.advance(by: .ticks(1000))
    #expect(recorder.transcript == ["1@0.0"], "expected no timeout during the pause")
    #expect(scheduler.pendingCount == 0, "expected no timer during the pause")
    recorder.resume()
    scheduler.advance(by: .ticks(4))
    #expect(!recorder.hasEnded, "expected the whole time anew")
    scheduler.advance(by: .ticks(1))
    #expect(recorder.transcript == ["1@0.0", "failed(first)@1005.0"])
  }

  @Test("a pause that is over before the time is up restarts the time too")
  func shortPause() {
    let scheduler = VirtualScheduler()
    let source = PublishSubject<Int, Problem>()
    let recorder = Recorder<Int, Problem>(scheduler: scheduler) { _, _ in .pause }
    recorder.subscribe(to: source.timeout(after: .ticks(5), on: scheduler) { .first })
    source.send(1)
    scheduler.advance(by: .ticks(3))
    recorder.resume()
    scheduler.advance(by: .ticks(10))
    #expect(recorder.transcript == ["1@0.0", "failed(first)@8.0"])
  }

  @Test("one timer, whatever the number of values")
  func oneTimer() {
    let scheduler = VirtualScheduler()
    let source = PublishSubject<Int, Problem>()
    let recorder = Recorder<Int, Problem>()
    recorder.subscribe(to: source.timeout(after: .ticks(5), on: scheduler) { .first })
    for value in 0..<1000 { source.send(value) }
    #expect(scheduler.pendingCount == 1)
    recorder.dispose()
    #expect(scheduler.pendingCount == 0)
  }
}
