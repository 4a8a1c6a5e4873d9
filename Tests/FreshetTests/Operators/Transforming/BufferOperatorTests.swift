import Freshet
import FreshetTesting
import Testing

@Suite("buffer")
struct BufferOperatorTests {
  @Test("by count, with steps that overlap and steps that leave out")
  func count() {
    for (count, step, values, expected) in [
      (2, 2, 5, [[0, 1], [2, 3], [4]]),
      (3, 1, 5, [[0, 1, 2], [1, 2, 3], [2, 3, 4]]),
      (3, 2, 6, [[0, 1, 2], [2, 3, 4], [4, 5]]),
      (2, 3, 8, [[0, 1], [3, 4], [6, 7]]),
      (2, 3, 7, [[0, 1], [3, 4], [6]]),
      (1, 1, 2, [[0], [1]]),
      (4, 4, 0, []),
      (4, 1, 2, [[0, 1]]),
    ] as [(Int, Int, Int, [[Int]])] {
      let recorder = Recorder<[Int], Never>()
      recorder.subscribe(to: (0..<values).flow.buffer(count: count, every: step))
      #expect(recorder.values == expected, "\(count) \(step) \(values)")
      #expect(recorder.hasEnded)
    }
  }

  @Test("a failure drops what was collected")
  func failure() throws {
    let time = VirtualScheduler()
    #expect(
      try time.difference(
        of: time.hot("1-2-3#").buffer(count: 2).map { $0.joined() }, from: "--{12}--#") == nil)
    let other = VirtualScheduler()
    let timed = try other.hot("1-2-3#").buffer(for: .ticks(3), on: other)
    #expect(try other.difference(of: timed.map { $0.joined() }, from: "---{12}-#") == nil)
  }

  @Test("TM-18 by time or count")
  func timeOrCount() {
    let scheduler = VirtualScheduler()
    let source = PublishSubject<Int, Problem>()
    let recorder = Recorder<[Int], Problem>(scheduler: scheduler)
    recorder.subscribe(to: source.buffer(for: .ticks(2), orCount: 2, on: scheduler))
    for value in 1...3 { source.send(value) }
    scheduler.advance(to: Moment(.ticks(2)))
    for value in 4...8 { source.send(value) }
    scheduler.advance(to: Moment(.ticks(4)))
    source.finish()
    #expect(
      recorder.ticked == [
        "[1, 2]@0", "[3]@2", "[4, 5]@2", "[6, 7]@2", "[8]@4", "finished@4",
      ])
    #expect(scheduler.pendingCount == 0)
  }

  @Test("TM-18 a full list begins a new period")
  func fullListRestarts() throws {
    let time = VirtualScheduler()
    let flow = try time.hot("---a---b---c---d---e---f---g-----|")
      .buffer(for: .ticks(10), orCount: 2, on: time)
    #expect(
      try time.difference(
        of: flow.map { $0.joined() }, from: "-------{ab}-------{cd}-------{ef}---------({g}|)")
        == nil)
  }

  @Test("TM-19 no empty lists, unless asked for")
  func emptyLists() throws {
    let time = VirtualScheduler()
    let source = try time.hot("1-2---3------4--|")
    let flow = source.buffer(for: .ticks(4), on: time).map { $0.joined(separator: ",") }
    #expect(try time.difference(of: flow, from: "----{1,2}---3-------(4|)") == nil)
    let other = VirtualScheduler()
    let with = try other.hot("1-2---3------4--|")
      .buffer(for: .ticks(4), on: other, emptyLists: true)
    #expect(
      try other.difference(
        of: with.map { $0.joined(separator: ",") }, from: "----{1,2}---3---{}---(4|)") == nil)
  }

  @Test("SR-11 a delivered list is not changed by a value sent from inside")
  func reentrant() {
    let scheduler = VirtualScheduler()
    let source = PublishSubject<Int, Never>()
    let recorder = Recorder<[Int], Never>(scheduler: scheduler) { recorder, _ in
      if recorder.valueCount == 1 { source.send(2) }
      return .more
    }
    recorder.subscribe(to: source.buffer(for: .ticks(2), on: scheduler))
    scheduler.advance(by: .ticks(1))
    source.send(1)
    scheduler.advance(by: .ticks(5))
    #expect(recorder.ticked == ["[1]@2", "[2]@4"])
    recorder.dispose()
  }

  @Test("until a signal")
  func until() throws {
    for (source, signal, expected) in [
      ("1-2---3------4--|", "----x---x---", "----{12}---3-------(4|)"),
      ("1-2---3|", "----|", "-------({123}|)"),
      ("1-2---3|", "----#", "----#"),
      ("1-2-#", "---x", "---{12}#"),
      ("1-2-|", "x-xx-x", "1-2-|"),
      ("|", "x", "|"),
    ] as [(String, String, String)] {
      let time = VirtualScheduler()
      let flow = try time.hot(source).buffer(until: time.hot(signal)).map { $0.joined() }
      #expect(try time.difference(of: flow, from: expected) == nil)
    }
  }

  @Test("until a signal, with empty lists")
  func untilWithEmptyLists() throws {
    let time = VirtualScheduler()
    let flow = try time.hot("1---2|").buffer(until: time.hot("-x-x"), emptyLists: true)
    #expect(try time.difference(of: flow.map { $0.joined() }, from: "-1-{}-(2|)") == nil)
  }

  @Test("all orders of values and signals: nothing lost, nothing twice")
  func interleavings() {
    forEveryInterleaving(["1", "2", "3", "|"], ["x", "x", "x"]) { events in
      let (source, signal) = (PublishSubject<String, Never>(), PublishSubject<String, Never>())
      let recorder = Recorder<[String], Never>()
      recorder.subscribe(to: source.buffer(until: signal))
      var expected: [[String]] = []
      var list: [String] = []
      var isOver = false
      for event in events where !isOver {
        switch event {
        case "x": signal.send(event)
        case "|":
          source.finish()
          isOver = true
        default:
          source.send(event)
          list.append(event)
          continue
        }
        if !list.isEmpty { expected.append(list) }
        list = []
      }
      #expect(recorder.values == expected, "\(events)")
      #expect(recorder.hasEnded == isOver)
    }
  }

  @Test("a dispose lets go of what was collected")
  func release() {
    let scheduler = VirtualScheduler()
    let source = PublishSubject<LeakProbe.Token, Never>()
    let signal = PublishSubject<Int, Never>()
    let probe = LeakProbe()
    let recorders = (0..<3).map { _ in Recorder<Int, Never>() }
    recorders[0].subscribe(to: source.buffer(count: 10).map { $0.count })
    recorders[1].subscribe(to: source.buffer(for: .ticks(5), on: scheduler).map { $0.count })
    recorders[2].subscribe(to: source.buffer(until: signal).map { $0.count })
    source.send(probe.token())
    #expect(probe.alive.count == 1)
    for recorder in recorders { recorder.dispose() }
    #expect(probe.alive == [])
    #expect(scheduler.pendingCount == 0)
  }
}
