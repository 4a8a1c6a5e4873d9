import Freshet
import FreshetTesting
import Testing

@Suite("concat, concatenated, startWith, endWith")
struct ConcatTests {
  @Test("the second follows the first")
  func timelines() throws {
    let time = VirtualScheduler()
    let (a, b) = try (time.cold("1--2|"), time.cold("3--4|"))
    #expect(try time.difference(of: a.concat(b), from: "1--23--4|") == nil)
    #expect(a.starts == [0])
    #expect(b.starts == [4])
  }

  @Test("MZ-12 when the first fails the second is never subscribed to, and is released")
  func firstFails() {
    let first = ScriptedSource<Int, Problem>()
    let second = ScriptedSource<Int, Problem>()
    let probe = LeakProbe()
    let recorder = Recorder<Int, Problem>()
    do {
      let token = probe.token("second")
      recorder.subscribe(to: first.concat(second.map { token.pass($0) }))
    }
    first.send(1)
    first.fail(.first)
    #expect(recorder.transcript == ["1", "failed(first)"])
    #expect(second.log.subscriptions == 0)
    #expect(probe.alive == [])
  }

  @Test("MZ-12 a dispose while the first runs releases the second")
  func disposeWhileFirstRuns() {
    let first = ScriptedSource<Int, Problem>()
    let probe = LeakProbe()
    let recorder = Recorder<Int, Problem>()
    do {
      let token = probe.token("second")
      recorder.subscribe(to: first.concat(Just(1).map { token.pass($0) }.promoteFailure()))
    }
    recorder.dispose()
    #expect(probe.alive == [])
    #expect(first.activeCount == 0)
  }

  @Test("MZ-13 100 000 pieces that finish at once stay flat")
  func manyPieces() {
    Threads.onSmallStack {
      let recorder = Recorder<Int, Never>()
      recorder.subscribe(to: (0..<100_000).map { Just($0) }.concatenated())
      #expect(recorder.valueCount == 100_000)
      #expect(recorder.values.last == 99_999)
      #expect(recorder.hasEnded)
    }
  }

  @Test("concatenated subscribes to each when the one before has finished")
  func concatenated() throws {
    let time = VirtualScheduler()
    let pieces = try [time.cold("1-|"), time.cold("|"), time.cold("-2#"), time.cold("3|")]
    #expect(try time.difference(of: pieces.concatenated(), from: "1--2#") == nil)
    #expect(pieces.map(\.starts) == [[0], [2], [2], []])
  }

  @Test("concatenated pauses in the middle of a piece and loses nothing")
  func pause() {
    let recorder = Recorder<Int, Never> { _, _ in .pause }
    recorder.subscribe(to: [(0..<5).flow, (5..<6).flow, (6..<12).flow].concatenated())
    for _ in 0..<20 where !recorder.hasEnded { recorder.resume() }
    #expect(recorder.values == Array(0..<12))
    #expect(recorder.hasEnded)
    #expect(recorder.violations == [])
  }

  @Test("endWith adds values after a finish and nothing after a failure")
  func endWith() throws {
    let time = VirtualScheduler()
    #expect(
      try time.difference(of: time.hot("1--2--|").endWith("8", "9"), from: "1--2--(89|)") == nil)
    let other = VirtualScheduler()
    #expect(
      try other.difference(of: other.hot("1--2--#").endWith("8", "9"), from: "1--2--#") == nil)
  }

  @Test("startWith comes before the source is subscribed to")
  func startWith() {
    let subject = BehaviorSubject<Int, Never>(1)
    let recorder = Recorder<Int, Never> { _, value in
      if value == 0 { subject.send(2) }
      return .more
    }
    recorder.subscribe(to: subject.startWith(0).endWith(9))
    subject.finish()
    #expect(recorder.transcript == ["0", "2", "9", "finished"])
  }

  @Test("what an unruly first sends after its end does not mix with the second")
  func unruly() {
    let first = ScriptedSource<Int, Problem>(.unruly)
    let second = ScriptedSource<Int, Problem>()
    let recorder = Recorder<Int, Problem>()
    recorder.subscribe(to: first.concat(second))
    first.send(1)
    first.finish()
    first.send(2)
    first.fail(.first)
    second.send(3)
    second.finish()
    #expect(recorder.transcript == ["1", "3", "finished"])
    first.release()
  }
}
