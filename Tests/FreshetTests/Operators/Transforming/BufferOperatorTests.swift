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
  func failure() {
    let rig = TimeRig()
    #expect(rig.play(rig.hot("1-2-3#").buffer(count: 2).map { $0.joined() }) == "--{12}--#")
    let other = TimeRig()
    let timed = other.hot("1-2-3#").buffer(for: .ticks(3), on: other.scheduler)
    #expect(other.play(timed.map { $0.joined() }) == "---{12}-#")
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
  func fullListRestarts() {
    let rig = TimeRig()
    let flow = rig.hot("---a---b---c---d---e---f---g-----|")
      .buffer(for: .ticks(10), orCount: 2, on: rig.scheduler)
    #expect(
      rig.play(flow.map { $0.joined() })
        == "-------{ab}-------{cd}-------{ef}---------({g}|)")
  }

  @Test("TM-19 no empty lists, unless asked for")
  func emptyLists() {
    let rig = TimeRig()
    let source = rig.hot("1-2---3------4--|")
    let flow = source.buffer(for: .ticks(4), on: rig.scheduler).map { $0.joined(separator: ",") }
    #expect(rig.play(flow) == "----{1,2}---3-------(4|)")
    let other = TimeRig()
    let with = other.hot("1-2---3------4--|")
      .buffer(for: .ticks(4), on: other.scheduler, emptyLists: true)
    #expect(
      other.play(with.map { $0.joined(separator: ",") }) == "----{1,2}---3---{}---(4|)")
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
  func until() {
    for (source, signal, expected) in [
      ("1-2---3------4--|", "----x---x---", "----{12}---3-------(4|)"),
      ("1-2---3|", "----|", "-------({123}|)"),
      ("1-2---3|", "----#", "----#"),
      ("1-2-#", "---x", "---{12}#"),
      ("1-2-|", "x-xx-x", "1-2-|"),
      ("|", "x", "|"),
    ] as [(Timeline, Timeline, Timeline)] {
      let rig = TimeRig()
      let flow = rig.hot(source).buffer(until: rig.hot(signal)).map { $0.joined() }
      #expect(rig.play(flow) == expected)
    }
  }

  @Test("until a signal, with empty lists")
  func untilWithEmptyLists() {
    let rig = TimeRig()
    let flow = rig.hot("1---2|").buffer(until: rig.hot("-x-x"), emptyLists: true)
    #expect(rig.play(flow.map { $0.joined() }) == "-1-{}-(2|)")
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
