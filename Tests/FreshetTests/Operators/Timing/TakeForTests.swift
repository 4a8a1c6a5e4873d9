import Freshet
import FreshetTesting
import Testing

@Suite("take(for:), skip(for:), subscribe(on:)")
struct TakeForTests {
  @Test("take(for:) lets through for a while and stops the source")
  func take() {
    let rig = TimeRig()
    let source = rig.hot("1--2--3--4--|")
    #expect(rig.play(source.take(for: .ticks(7), on: rig.scheduler)) == "1--2--3|")
    #expect(source.log.disposals == 1)
    let short = TimeRig()
    #expect(short.play(short.hot("1-|").take(for: .ticks(7), on: short.scheduler)) == "1-|")
    #expect(short.scheduler.pendingCount == 0)
    let failing = TimeRig()
    #expect(failing.play(failing.hot("1-#").take(for: .ticks(7), on: failing.scheduler)) == "1-#")
  }

  @Test("skip(for:) leaves out for a while")
  func skip() {
    let rig = TimeRig()
    #expect(
      rig.play(rig.hot("1--2--3--4--|").skip(for: .ticks(7), on: rig.scheduler)) == "---------4--|")
    let short = TimeRig()
    #expect(short.play(short.hot("1-|").skip(for: .ticks(7), on: short.scheduler)) == "--|")
    let failing = TimeRig()
    #expect(failing.play(failing.hot("1-#").skip(for: .ticks(7), on: failing.scheduler)) == "--#")
  }

  @Test("at the very moment what was scheduled first counts")
  func boundary() {
    let rig = TimeRig()
    #expect(rig.play(rig.hot("--12").take(for: .ticks(2), on: rig.scheduler)) == "--(1|)")
    let late = TimeRig()
    #expect(late.play(late.cold("--12").take(for: .ticks(2), on: late.scheduler)) == "--|")
    let skipped = TimeRig()
    #expect(
      skipped.play(skipped.hot("--12|").skip(for: .ticks(2), on: skipped.scheduler)) == "---2|")
  }

  @Test("subscribe(on:) starts the work on the scheduler")
  func subscribeOn() {
    let rig = TimeRig()
    let source = rig.cold("1--2--|")
    #expect(rig.play(source.subscribe(on: rig.scheduler)) == "1--2--|")
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
