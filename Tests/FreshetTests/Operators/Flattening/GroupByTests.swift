import Freshet
import FreshetTesting
import Synchronization
import Testing

@Suite("groupBy")
struct GroupByTests {
  @Test("a group is sent before its first value, and all end with the source")
  func groups() throws {
    let time = VirtualScheduler()
    let flow = try time.hot("a1b2a3--|").groupBy { $0.first!.isNumber }
      .flatMap { group in
        group.map { "\(group.key ? "n" : "l")\($0)" }.endWith(group.key ? "N" : "L")
      }
    #expect(try time.difference(of: flow, from: "{la}{n1}{lb}{n2}{la}{n3}--(LN|)") == nil)
  }

  @Test("groups end in the order in which they came")
  func order() {
    let source = PublishSubject<Int, Never>()
    let ends = Seen<Int>()
    let tokens = DisposeBag()
    source.groupBy { $0 }.subscribe { group in
      group.subscribe(onValue: { _ in }, onEnd: { _ in ends.add(group.key) }).store(in: tokens)
    }.store(in: tokens)
    for value in 0..<50 { source.send(value) }
    source.finish()
    #expect(ends.all == Array(0..<50))
  }

  @Test("a failure ends the groups and the result")
  func failure() {
    let source = PublishSubject<Int, Problem>()
    let inner = Recorder<Int, Problem>()
    let outer = Recorder<Int, Problem>()
    outer.subscribe(
      to: source.groupBy { $0 % 2 }.map { group in
        if group.key == 1 { inner.subscribe(to: group) }
        return group.key
      })
    for value in 1...4 { source.send(value) }
    source.fail(.first)
    #expect(inner.transcript == ["1", "3", "failed(first)"])
    #expect(outer.transcript == ["1", "0", "failed(first)"])
  }

  @Test("a late observer of a group starts with the next value, or gets the end")
  func late() {
    let source = PublishSubject<Int, Never>()
    let groups = Seen<Group<Int, Int, Never>>()
    let token = source.groupBy { $0 % 2 }.subscribe { groups.add($0) }
    source.send(1)
    let late = Recorder<Int, Never>()
    late.subscribe(to: groups.all[0])
    source.send(3)
    source.finish()
    let later = Recorder<Int, Never>()
    later.subscribe(to: groups.all[0])
    #expect(late.transcript == ["3", "finished"])
    #expect(later.transcript == ["finished"])
    token.dispose()
  }

  @Test("a dispose: groups that are followed go on; the last of their observers stops the source")
  func dispose() {
    let source = ScriptedSource<Int, Problem>()
    let probe = LeakProbe()
    let inner = Recorder<Int, Problem>()
    let outer = Recorder<Int, Problem>()
    do {
      let token = probe.token()
      outer.subscribe(
        to: source.groupBy { token.pass($0 % 2) }.map { group in
          inner.subscribe(to: group.map { token.pass($0) })
          return group.key
        })
    }
    source.send(2)
    outer.dispose()
    source.send(4)
    source.send(5)
    #expect(inner.transcript == ["2", "4"], "expected the group to go on")
    #expect(outer.transcript == ["0"], "expected no further group")
    #expect(source.activeCount == 1, "expected the source to go on for the group")
    inner.dispose()
    source.send(6)
    #expect(source.activeCount == 0, "expected the last observer of a group to stop it")
    #expect(inner.transcript == ["2", "4"])
    #expect(probe.alive == [])
  }

  @Test("a dispose without followed groups stops the source at once")
  func disposeAlone() {
    let source = ScriptedSource<Int, Problem>()
    let outer = Recorder<Int, Problem>()
    outer.subscribe(to: source.groupBy { $0 % 2 }.map { $0.key })
    source.send(2)
    outer.dispose()
    #expect(source.activeCount == 0)
  }

  @Test("take(2) silences no group: the first two go on to the end")
  func take() {
    let source = PublishSubject<Int, Problem>()
    let recorder = Recorder<String, Problem>()
    recorder.subscribe(
      to: source.groupBy { $0 % 4 }.take(2).flatMap { group in group.map { "\(group.key):\($0)" } })
    for value in 0..<12 { source.send(value) }
    source.finish()
    #expect(
      recorder.transcript == ["0:0", "1:1", "0:4", "1:5", "0:8", "1:9", "finished"],
      "expected the groups that were taken, whole")
    #expect(recorder.violations == [])
  }

  @Test("a pausing observer of the groups leaves while a group is held back for it")
  func disposePaused() {
    let source = ScriptedSource<Int, Problem>()
    let inner = Recorder<Int, Problem>()
    let outer = Recorder<Int, Problem> { _, _ in .pause }
    outer.subscribe(
      to: source.groupBy { $0 % 3 }.map { group in
        if group.key == 0 { inner.subscribe(to: group) }
        return group.key
      })
    for value in [0, 1, 3] { source.send(value) }
    // The value of group 0 waits behind group 1, which waits for the observer.
    outer.dispose()
    source.send(6)
    #expect(inner.transcript == ["0", "3", "6"], "expected what had waited, then the rest")
    inner.dispose()
    #expect(source.activeCount == 0)
  }

  @Test("concatMap takes the groups one after the other, as many as may wait")
  func concatMap() {
    for observerPauses in [false, true] {
      let recorder = Recorder<Int, Never> { recorder, _ in
        guard observerPauses else { return .more }
        recorder.resume()
        return .pause
      }
      recorder.subscribe(to: (0..<100).flow.groupBy { $0 % 3 }.concatMap { $0 })
      let expected = (0..<3).flatMap { Array(stride(from: $0, to: 100, by: 3)) }
      #expect(recorder.values == expected, "expected whole groups in order")
      #expect(recorder.hasEnded, "expected the finish")
      #expect(recorder.violations == [])
    }
    // More than may wait: the source is paused, as documented, and the first group goes on alone.
    let source = ScriptedSource<Int, Never>(playing: Array(0..<100))
    let few = Recorder<Int, Never>()
    few.subscribe(to: source.groupBy(capacity: 8) { $0 % 3 }.concatMap { $0 })
    #expect(!few.hasEnded && source.log.sent < 20, "expected the source to be paused")
    few.dispose()
    #expect(source.activeCount == 0)
    // Without a limit nothing waits for ever.
    let all = Recorder<Int, Never>()
    all.subscribe(to: (0..<10_000).flow.groupBy(capacity: .max) { $0 % 3 }.concatMap { $0 })
    #expect(all.valueCount == 10_000 && all.hasEnded)
  }

  @Test("an unruly source feeds no group after its end or a dispose")
  func unruly() {
    for disposes in [true, false] {
      let source = ScriptedSource<Int, Problem>(.unruly)
      let inner = Recorder<Int, Problem>()
      let outer = Recorder<Int, Problem>()
      outer.subscribe(
        to: source.groupBy { $0 % 2 }.map { group in
          inner.subscribe(to: group)
          return group.key
        })
      source.send(2)
      if disposes { outer.dispose() } else { source.finish() }
      source.send(4)
      source.fail(.first)
      source.send(6)
      #expect(inner.transcript == (disposes ? ["2", "4", "failed(first)"] : ["2", "finished"]))
      #expect(outer.transcript == (disposes ? ["0"] : ["0", "finished"]))
      #expect(inner.violations == [] && outer.violations == [])
      source.release()
    }
  }

  @Test("a dispose from inside a group's observer, and while a group is handed over")
  func disposeInside() {
    let source = ScriptedSource<Int, Problem>()
    let outer = Recorder<Int, Problem>()
    let inner = Recorder<Int, Problem> { _, value in
      if value == 4 { outer.dispose() }
      return .more
    }
    outer.subscribe(
      to: source.groupBy { $0 % 2 }.map { group in
        if group.key == 0 { inner.subscribe(to: group) }
        return group.key
      })
    for value in [2, 4, 6, 1] { source.send(value) }
    #expect(inner.transcript == ["2", "4", "6"])
    #expect(outer.transcript == ["0"])
    inner.dispose()
    #expect(source.activeCount == 0)

    let other = ScriptedSource<Int, Problem>()
    let early = Recorder<Int, Problem> { recorder, _ in
      recorder.dispose()
      return .more
    }
    let silent = Recorder<Int, Problem>()  // It follows the group of an observer that has gone.
    early.subscribe(
      to: other.groupBy { $0 % 2 }.map { group in
        silent.subscribe(to: group)
        return group.key
      })
    other.send(2)
    #expect(early.transcript == ["0"])
    #expect(silent.transcript == ["2"])
    silent.dispose()
    #expect(other.activeCount == 0)
  }

  @Test("re-entrant values keep their order in every group")
  func reentrant() {
    let source = PublishSubject<Int, Never>()
    let recorder = Recorder<Int, Never> { _, value in
      if value < 10 { source.send(value + 1) }
      return .more
    }
    recorder.subscribe(to: source.groupBy { $0 % 3 }.flatMap { $0 })
    source.send(0)
    #expect(recorder.values == Array(0...10))
    #expect(recorder.violations == [])
  }

  @Test("100 000 groups stay flat")
  func flat() {
    Threads.onSmallStack {
      let recorder = Recorder<Int, Never>()
      recorder.subscribe(to: (0..<100_000).flow.groupBy { $0 }.flatMap { $0 })
      #expect(recorder.valueCount == 100_000)
      #expect(recorder.hasEnded)
    }
  }

  @Test("a group's observer that pauses stops the source, and nothing is lost")
  func pauseGroup() {
    let source = ScriptedSource<Int, Never>(
      generating: { $0 < 1000 ? $0 : nil }, end: .finished)
    let recorders = (0..<2).map { _ in Recorder<Int, Never> { _, _ in .pause } }
    let outer = Recorder<Int, Never>()
    outer.subscribe(
      to: source.groupBy { $0 % 2 }.map { group in
        recorders[group.key].subscribe(to: group)
        return group.key
      })
    #expect(source.log.sent < 10)
    for _ in 0..<2000 where !outer.hasEnded {
      #expect(source.log.sent <= recorders[0].valueCount + recorders[1].valueCount + 3)
      for recorder in recorders { recorder.resume() }
    }
    for (key, recorder) in recorders.enumerated() {
      #expect(recorder.values == Array(stride(from: key, to: 1000, by: 2)))
      #expect(recorder.hasEnded)
    }
  }
}
