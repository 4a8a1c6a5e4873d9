import Freshet
import FreshetTesting
import Testing

@Suite("concatMap, exhaustMap, switchToLatest, flatten, expand")
struct FlatteningOrderTests {
  @Test("concatMap runs one after the other and keeps what a hot source sends meanwhile")
  func concatMap() throws {
    let time = VirtualScheduler()
    let inner = try ["a": time.cold("-1---2|"), "b": time.cold("-3---4|")]
    let flow = try time.hot("a-b-----------|").concatMap { inner[$0]! }
    #expect(try time.difference(of: flow, from: "-1---2-3---4--|") == nil)
    #expect(inner["b"]?.starts == [6])
  }

  @Test("exhaustMap ignores what comes while it is busy")
  func exhaustMap() throws {
    let time = VirtualScheduler()
    let made = Seen<String>()
    let inner = try time.cold("-1--2|")
    let flow = try time.hot("a-b---c---|").exhaustMap { name in
      made.add(name)
      return inner
    }
    #expect(try time.difference(of: flow, from: "-1--2--1--2|") == nil)
    #expect(made.all == ["a", "c"])
    #expect(inner.starts == [0, 6])
  }

  @Test("exhaustMap: failures end it and let the others go")
  func exhaustFailures() throws {
    let time = VirtualScheduler()
    let source = try time.hot("a-----")
    let failing = try time.cold("-1-#")
    #expect(try time.difference(of: source.exhaustMap { _ in failing }, from: "-1-#") == nil)
    #expect(source.activeCount == 0)
    let other = VirtualScheduler()
    let inner = try other.cold("-1----2|")
    #expect(
      try other.difference(of: other.hot("a--#").exhaustMap { _ in inner }, from: "-1-#") == nil)
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
  func switchToLatest() throws {
    for (source, expected) in [
      ("a--b------|", "-12-34-5--|"),
      ("a--b-|", "-12-34-5|"),
      ("a--b-#", "-12-3#"),
      ("e--b------|", "-#"),
      ("-|", "-|"),
    ] as [(String, String)] {
      let time = VirtualScheduler()
      let inner = try [
        "a": time.cold("-12-9|"), "b": time.cold("-34-5|"), "e": time.cold("-#"),
      ]
      // b is subscribed to at 3: 3 at 4, 4 at 5, 5 at 7, the end at 8.
      let flow = try time.hot(source).map { inner[$0]! }.switchToLatest()
      #expect(try time.difference(of: flow, from: expected) == nil, "\(source)")
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
  func flatten() throws {
    let time = VirtualScheduler()
    let inner = try [time.cold("-1---2|"), time.cold("-3---4|"), time.cold("-5|")]
    let flow = inner.flow.promoteFailure(to: MarbleFailure.self).flatten(maxConcurrent: 2)
    // The first two start at 0, the third when the first has finished, at 6.
    #expect(try time.difference(of: flow, from: "-[13]---[24]-5|") == nil)
    #expect(inner.map(\.starts) == [[0], [0], [6]])
  }

  @Test("expand goes breadth first and finishes with the last flow")
  func expand() throws {
    let time = VirtualScheduler()
    let followers = try [
      "1": time.cold("-{1x}|"), "1x": time.cold("-{1xx}|"), "1xx": time.cold("-{1xxx}|"),
    ]
    let flow = try time.hot("1---|").expand {
      followers[$0].map { AnyFlow($0) } ?? AnyFlow(Empty())
    }
    #expect(try time.difference(of: flow, from: "1{1x}{1xx}{1xxx}|") == nil)
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
