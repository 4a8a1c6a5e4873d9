import Freshet
import FreshetTesting
import Testing

@Suite("a scheduler that refuses")
struct RefusingSchedulerTests {
  @Test("runs nothing and writes down what it was asked, in order")
  func refused() {
    let scheduler = RefusingScheduler()
    let recorder = Recorder<Int, Never>()
    recorder.subscribe(to: Just(1).delay(for: .seconds(2), on: scheduler))
    scheduler.schedule { Issue.record("expected this not to run") }
    #expect(scheduler.refused.contains(.workAfter(.seconds(2))), "expected the timer to be noted")
    #expect(scheduler.refused.last == .work)
    #expect(recorder.transcript == [], "expected nothing to be delivered")
  }

  @Test("lets the work go at once")
  func released() {
    let scheduler = RefusingScheduler()
    let probe = LeakProbe()
    scheduler.schedule { [token = probe.token("now")] in token.pass(()) }
    scheduler.schedule(after: .seconds(1)) { [token = probe.token("later")] in token.pass(()) }
      .dispose()
    #expect(probe.alive == [])
  }

  @Test("is asked for nothing by code that needs none")
  func unused() {
    let scheduler = RefusingScheduler()
    let recorder = Recorder<Int, Never>()
    recorder.subscribe(to: [1, 2].flow.map { $0 })
    #expect(scheduler.refused == [])
  }
}
