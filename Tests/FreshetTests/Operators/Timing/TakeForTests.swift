import Freshet
import FreshetTesting
import Testing

@Suite("take(for:), skip(for:), subscribe(on:)")
struct TakeForTests {
  @Test("take(for:) lets through for a while and stops the source")
  func take() throws {
    let time = VirtualScheduler()
    let source = try time.hot("1--2--3--4--|")
    #expect(try time.difference(of: source.take(for: .ticks(7), on: time), from: "1--2--3|") == nil)
    #expect(source.log.disposals == 1)
    let short = VirtualScheduler()
    #expect(
      try short.difference(of: short.hot("1-|").take(for: .ticks(7), on: short), from: "1-|") == nil
    )
    #expect(short.pendingCount == 0)
    let failing = VirtualScheduler()
    #expect(
      try failing.difference(of: failing.hot("1-#").take(for: .ticks(7), on: failing), from: "1-#")
        == nil)
  }

  @Test("skip(for:) leaves out for a while")
  func skip() throws {
    let time = VirtualScheduler()
    #expect(
      try time.difference(
        of: time.hot("1--2--3--4--|").skip(for: .ticks(7), on: time), from: "---------4--|") == nil)
    let short = VirtualScheduler()
    #expect(
      try short.difference(of: short.hot("1-|").skip(for: .ticks(7), on: short), from: "--|") == nil
    )
    let failing = VirtualScheduler()
    #expect(
      try failing.difference(of: failing.hot("1-#").skip(for: .ticks(7), on: failing), from: "--#")
        == nil)
  }

  @Test("at the very moment what was scheduled first counts")
  func boundary() throws {
    let time = VirtualScheduler()
    #expect(
      try time.difference(of: time.hot("--12").take(for: .ticks(2), on: time), from: "--(1|)")
        == nil)
    let late = VirtualScheduler()
    #expect(
      try late.difference(of: late.cold("--12").take(for: .ticks(2), on: late), from: "--|") == nil)
    let skipped = VirtualScheduler()
    #expect(
      try skipped.difference(
        of: skipped.hot("--12|").skip(for: .ticks(2), on: skipped), from: "---2|") == nil)
  }

  @Test("subscribe(on:) starts the work on the scheduler")
  func subscribeOn() throws {
    let time = VirtualScheduler()
    let source = try time.cold("1--2--|")
    #expect(try time.difference(of: source.subscribe(on: time), from: "1--2--|") == nil)
    let scheduler = VirtualScheduler()
    let cold = ScriptedSource<Int, Never>(playing: [1, 2])
    let recorder = Recorder<Int, Never>()
    recorder.subscribe(to: cold.subscribe(on: scheduler))
    #expect(cold.log.subscriptions == 0)
    scheduler.runDue()
    #expect(recorder.transcript == ["1", "2", "finished"])
  }

  @Test("subscribe(on:) does nothing when it was disposed of before")
  func subscribeOnDisposed() {
    let scheduler = VirtualScheduler()
    let cold = ScriptedSource<Int, Never>(playing: [1, 2])
    let probe = LeakProbe()
    let recorder = Recorder<Int, Never>()
    do {
      let token = probe.token()
      recorder.subscribe(to: cold.map { token.pass($0) }.subscribe(on: scheduler))
    }
    recorder.dispose()
    #expect(probe.alive == [])
    scheduler.runDue()
    #expect(cold.log.subscriptions == 0)
  }
}
