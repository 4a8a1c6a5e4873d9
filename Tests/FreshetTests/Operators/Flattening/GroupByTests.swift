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

  @Test("a dispose stops the source and silences the groups, and nothing is kept")
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
    source.finish()
    #expect(inner.transcript == ["2"])
    #expect(probe.alive == [])
    #expect(source.activeCount == 0)
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
      #expect(inner.transcript == (disposes ? ["2"] : ["2", "finished"]))
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
    #expect(inner.transcript == ["2", "4"])
    #expect(outer.transcript == ["0"])
    #expect(source.activeCount == 0)

    let other = ScriptedSource<Int, Problem>()
    let early = Recorder<Int, Problem> { recorder, _ in
      recorder.dispose()
      return .more
    }
    let silent = Recorder<Int, Problem>()
    early.subscribe(
      to: other.groupBy { $0 % 2 }.map { group in
        silent.subscribe(to: group)
        return group.key
      })
    other.send(2)
    #expect(early.transcript == ["0"])
    #expect(silent.transcript == [])
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
