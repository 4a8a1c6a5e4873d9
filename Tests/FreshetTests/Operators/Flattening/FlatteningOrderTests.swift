import Freshet
import FreshetTesting
import Testing

@Suite("concatMap, exhaustMap, switchToLatest, flatten, expand")
struct FlatteningOrderTests {
  @Test("concatMap runs one after the other and keeps what a hot source sends meanwhile")
  func concatMap() {
    let rig = TimeRig()
    let inner = ["a": rig.cold("-1---2|"), "b": rig.cold("-3---4|")]
    let flow = rig.hot("a-b-----------|").concatMap { inner[$0]! }
    #expect(rig.play(flow) == "-1---2-3---4--|")
    #expect(inner["b"]?.starts == [6])
  }

  @Test("exhaustMap ignores what comes while it is busy")
  func exhaustMap() {
    let rig = TimeRig()
    let made = Seen<String>()
    let inner = rig.cold("-1--2|")
    let flow = rig.hot("a-b---c---|").exhaustMap { name in
      made.add(name)
      return inner
    }
    #expect(rig.play(flow) == "-1--2--1--2|")
    #expect(made.all == ["a", "c"])
    #expect(inner.starts == [0, 6])
  }

  @Test("exhaustMap: failures end it and let the others go")
  func exhaustFailures() {
    let rig = TimeRig()
    let source = rig.hot("a-----")
    #expect(rig.play(source.exhaustMap { _ in rig.cold("-1-#") }) == "-1-#")
    #expect(source.activeCount == 0)
    let other = TimeRig()
    let inner = other.cold("-1----2|")
    #expect(other.play(other.hot("a--#").exhaustMap { _ in inner }) == "-1-#")
    #expect(inner.activeCount == 0)
  }

  @Test("exhaustMap takes the next as soon as an inner flow has finished, also at once")
  func exhaustSynchronous() {
    let recorder = Recorder<Int, Never>()
    recorder.subscribe(to: (0..<5).flow.exhaustMap { [$0, $0 * 10].flow })
    #expect(recorder.values == [0, 0, 1, 10, 2, 20, 3, 30, 4, 40])
    #expect(recorder.hasEnded)
  }

  @Test("SW-02 SW-03 switchToLatest: finishes with the last inner flow, fails with either")
  func switchToLatest() {
    for (source, expected) in [
      ("a--b------|", "-12-34-5--|"),
      ("a--b-|", "-12-34-5|"),
      ("a--b-#", "-12-3#"),
      ("e--b------|", "-#"),
      ("-|", "-|"),
    ] as [(Timeline, Timeline)] {
      let rig = TimeRig()
      let inner = [
        "a": rig.cold("-12-9|"), "b": rig.cold("-34-5|"), "e": rig.cold("-#"),
      ]
      let result = rig.play(rig.hot(source).map { inner[$0]! }.switchToLatest())
      // b is subscribed to at 3: 3 at 4, 4 at 5, 5 at 7, the end at 8.
      #expect(result == expected)
      #expect(inner.values.allSatisfy { $0.activeCount == 0 })
    }
  }

  @Test("MU-02 an unruly outer flow that ends four times ends the result once")
  func unrulyOuter() {
    let outer = ScriptedSource<ScriptedSource<Int, Problem>, Problem>(.unruly)
    let recorder = Recorder<Int, Problem>()
    recorder.subscribe(to: outer.switchToLatest())
    outer.finish()
    outer.fail(.first)
    outer.finish()
    outer.fail(.second)
    #expect(recorder.transcript == ["finished"])
    outer.release()
  }

  @Test("flatten with a limit")
  func flatten() {
    let rig = TimeRig()
    let inner = [rig.cold("-1---2|"), rig.cold("-3---4|"), rig.cold("-5|")]
    let flow = inner.flow.promoteFailure(to: Problem.self).flatten(maxConcurrent: 2)
    // The first two start at 0, the third when the first has finished, at 6.
    #expect(rig.play(flow) == "-(13)---(24)-5|")
    #expect(inner.map(\.starts) == [[0], [0], [6]])
  }

  @Test("expand goes breadth first and finishes with the last flow")
  func expand() {
    let rig = TimeRig()
    let flow = rig.hot("1---|").expand { value in
      value.count < 4 ? AnyFlow(rig.cold(Timeline("-{\(value)x}|"))) : AnyFlow(Empty())
    }
    #expect(rig.play(flow) == "1{1x}{1xx}{1xxx}|")
  }

  @Test("expand over 100 000 generations stays flat")
  func expandDeep() {
    Threads.onSmallStack {
      let recorder = Recorder<Int, Never>()
      recorder.subscribe(to: Just(0).expand { (($0 + 1)..<min($0 + 2, 100_000)).flow })
      #expect(recorder.valueCount == 100_000)
      #expect(recorder.hasEnded)
    }
  }

  @Test("expand with a limit of one waits and loses nothing")
  func expandOneAtATime() {
    let recorder = Recorder<Int, Never>()
    recorder.subscribe(
      to: (1...2).flow.expand(maxConcurrent: 1) { value in
        (value < 8 ? [value * 2, value * 2 + 1] : []).flow
      })
    #expect(recorder.values.sorted() == (Array(1...15) + [2, 4, 5, 8, 9, 10, 11]).sorted())
    #expect(recorder.hasEnded)
  }

  @Test("100 000 inner flows that finish at once stay flat", arguments: [0, 1, 2])
  func flat(kind: Int) {
    Threads.onSmallStack {
      let recorder = Recorder<Int, Never>()
      let source = (0..<100_000).flow
      switch kind {
      case 0: recorder.subscribe(to: source.concatMap { Just($0) })
      case 1: recorder.subscribe(to: source.exhaustMap { Just($0) })
      default: recorder.subscribe(to: source.map { Just($0) }.switchToLatest())
      }
      #expect(recorder.valueCount == 100_000)
      #expect(recorder.hasEnded)
    }
  }

  @Test("FM-10 a dispose reaches the inner flow after the source has finished")
  func disposeInner() {
    for kind in 0..<4 {
      let inner = ScriptedSource<Int, Never>()
      let recorder = Recorder<Int, Never>()
      switch kind {
      case 0: recorder.subscribe(to: Just(0).concatMap { _ in inner })
      case 1: recorder.subscribe(to: Just(0).exhaustMap { _ in inner })
      case 2: recorder.subscribe(to: Just(inner).switchToLatest())
      default: recorder.subscribe(to: Just(0).expand { _ in inner })
      }
      #expect(inner.activeCount == 1)
      recorder.dispose()
      #expect(inner.activeCount == 0, "\(kind)")
      #expect(inner.log.disposals == 1)
    }
  }
}
