import Freshet
import FreshetTesting
import Testing

@Suite("timeout")
struct TimeoutTests {
  @Test("TM-15 timeout(13): values at 10 and 11, a failure at 24")
  func numbers() {
    let rig = TimeRig()
    let source = rig.hot("----------ab")
    let flow = source.timeout(after: .ticks(13), on: rig.scheduler) { .first }
    #expect(rig.play(flow) == "----------ab------------#")
    #expect(source.log.disposals == 1)
    #expect(rig.scheduler.pendingCount == 0)
  }

  @Test("TM-15 a finish and a failure before the deadline disarm it")
  func disarm() {
    for (timeline, expected) in [("-a--|", "-a--|"), ("-a--#", "-a--#")] as [(Timeline, Timeline)] {
      let rig = TimeRig()
      let flow = rig.hot(timeline).timeout(after: .ticks(13), on: rig.scheduler) { .second }
      #expect(rig.play(flow) == expected)
      #expect(rig.scheduler.pendingCount == 0)
    }
  }

  @Test("TM-16 exactly at the deadline the one that was scheduled first counts")
  func boundary() {
    // The source's events were scheduled before the timer.
    let early = TimeRig()
    let first = early.hot("-------------a|").timeout(after: .ticks(13), on: early.scheduler) {
      .first
    }
    #expect(early.play(first) == "-------------a|")
    // The source of each subscription is scheduled after the timer.
    let late = TimeRig()
    let second = late.cold("-------------a|").timeout(after: .ticks(13), on: late.scheduler) {
      .first
    }
    #expect(late.play(second) == "-------------#")
  }

  @Test("silence from the beginning times out")
  func silence() {
    let rig = TimeRig()
    let flow = rig.hot("").timeout(after: .ticks(4), on: rig.scheduler) { .first }
    #expect(rig.play(flow) == "----#")
  }

  @Test("switches to another flow and lets the source go")
  func switchTo() {
    let rig = TimeRig()
    let source = rig.hot("-a-b-------c--|")
    let other = rig.cold("8-9|")
    let flow = source.timeout(after: .ticks(4), on: rig.scheduler, switchTo: other)
    #expect(rig.play(flow) == "-a-b---8-9|")
    #expect(other.starts == [7])
    #expect(source.log.disposals == 1)
  }

  @Test("the replacement has no timeout of its own")
  func switchToSlow() {
    let rig = TimeRig()
    let flow = rig.hot("").timeout(
      after: .ticks(2), on: rig.scheduler, switchTo: rig.cold("----------8|"))
    #expect(rig.play(flow) == "------------8|")
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
