import Freshet
import FreshetTesting
import Testing

/// The cases about counted requests, told in `more`, `pause` and `resume`.
@Suite("DM: flow control")
struct FlowControlCaseTests {
  @Test("DM-01 there is nothing to saturate: limits may be as large as numbers get")
  func dm01() throws {
    let scheduler = VirtualScheduler()
    let recorder = Recorder<Int, Problem>(scheduler: scheduler)
    let source = (0..<10).flow.promoteFailure(to: Problem.self)
    recorder.subscribe(
      to: source.retry(.max).observe(on: scheduler, capacity: .max)
        .flatMap(maxConcurrent: .max) { [$0].flow.promoteFailure(to: Problem.self) }
        .zip(with: source, capacity: .max).map { $0.0 }.take(.max).skip(0))
    try scheduler.run()
    #expect(recorder.values == Array(0..<10))
    let none = Recorder<Int, Problem>()
    none.subscribe(to: source.skip(.max))
    #expect(none.transcript == ["finished"])
  }

  @Test("DM-02 resumes that nobody waits for are not saved up")
  func dm02() {
    let source = ScriptedSource<Int, Never>(playing: Array(0..<5))
    let recorder = Recorder<Int, Never> { _, value in value == 0 ? .more : .pause }
    let handle = recorder.subscribe(to: source.merge(with: NeverFlow()))
    #expect(recorder.values == [0, 1])
    handle.resume()
    #expect(recorder.values == [0, 1, 2], "expected one resume for one pause")
    recorder.dispose()
    handle.resume()
    handle.resume()
    #expect(recorder.values == [0, 1, 2])
  }

  @Test("DM-04 a cold source sends nothing during a pause, and goes on where it was")
  func dm04() {
    let source = ScriptedSource<Int, Never>(playing: Array(1...20))
    let recorder = Recorder<Int, Never> { _, value in [2, 5].contains(value) ? .pause : .more }
    recorder.subscribe(to: source)
    #expect(recorder.values == [1, 2])
    #expect(source.log.sent == 2)
    recorder.resume()
    #expect(recorder.values == [1, 2, 3, 4, 5])
    // A hot one cannot wait: what to do with its values is the buffer's policy.
    let hot = PublishSubject<Int, Never>()
    let dropping = Recorder<Int, Never> { _, value in value == 2 ? .pause : .more }
    dropping.subscribe(to: hot.buffer(capacity: 1, overflow: .dropNewest))
    for value in 1...10 { hot.send(value) }
    #expect(dropping.values == [1, 2])
    dropping.resume()
    for value in 11...13 { hot.send(value) }
    #expect(dropping.values == [1, 2, 3, 11, 12, 13])
    dropping.dispose()
  }

  @Test("DM-05 each resume counts")
  func dm05() {
    let subject = BehaviorSubject<Int, Never>(-1)
    let recorder = Recorder<Int, Never> { _, _ in .pause }
    recorder.subscribe(to: subject.buffer(capacity: 16, overflow: .unbounded))
    for value in 0...9 { subject.send(value) }
    for _ in 1...5 { recorder.resume() }
    #expect(recorder.values == [-1, 0, 1, 2, 3, 4])
    recorder.dispose()
  }

  @Test("DM-07 ST-03 a resume from inside each delivery keeps the stack flat")
  func dm07() {
    let count = Box(0)
    Threads.onSmallStack {
      let recorder = Recorder<Int, Never> { recorder, _ in
        recorder.resume()
        return .pause
      }
      recorder.subscribe(to: (0..<200_000).flow)
      count.value = recorder.valueCount
    }
    #expect(count.value == 200_000)
  }

  @Test("DM-08 a resume from inside and the answer both count, and neither twice")
  func dm08() {
    for operators in [false, true] {
      let source = ScriptedSource<Int, Never>(playing: Array(1...5))
      let recorder = Recorder<Int, Never> { recorder, value in
        if value == 1 {
          recorder.resume()  // It takes back the pause that is about to be answered.
          return .pause
        }
        return value == 3 ? .pause : .more
      }
      if operators {
        recorder.subscribe(to: source.zip(with: (0..<100).flow) { value, _ in value })
      } else {
        recorder.subscribe(to: source)
      }
      #expect(recorder.values == [1, 2, 3], "operators: \(operators)")
      recorder.resume()
      #expect(recorder.values == [1, 2, 3, 4, 5])
    }
  }

  @Test("DM-11 a pause holds for the flow that comes next, and so does a resume")
  func dm11() {
    let second = ScriptedSource<Int, Never>(playing: [2, 3])
    let recorder = Recorder<Int, Never> { _, value in value == 1 ? .pause : .more }
    recorder.subscribe(to: Just(1).concat(second))
    #expect(recorder.values == [1], "expected the pause to hold back the second")
    recorder.resume()
    #expect(recorder.transcript == ["1", "2", "3", "finished"])
    let box = Box<Subscription>()
    let early = Recorder<Int, Never> { recorder, value in
      box.value = recorder.subscription
      return value == 1 ? .pause : .more
    }
    // The resume comes while the second is being subscribed to.
    early.subscribe(
      to: Just(1).concat(
        Deferred {
          box.value?.resume()
          return [2, 3].flow
        }))
    early.resume()
    #expect(early.transcript == ["1", "2", "3", "finished"])
  }

  @Test("DM-13 combineLatest keeps all pairs or, with conflate, the newest; zip keeps all")
  func dm13() {
    let (a, b) = (PublishSubject<Int, Never>(), BehaviorSubject<String, Never>("x"))
    let pairs = a.combineLatest(with: b) { "\($0)\($1)" }
    let all = Recorder<String, Never> { _, _ in .pause }
    let newest = Recorder<String, Never> { _, _ in .pause }
    let zipped = Recorder<String, Never> { _, _ in .pause }
    all.subscribe(to: pairs)
    newest.subscribe(to: pairs.conflate())
    let letters = ["p", "q", "r"].flow
    zipped.subscribe(to: a.zip(with: letters) { "\($0)\($1)" })
    for value in 1...3 { a.send(value) }
    for _ in 1...3 {
      all.resume()
      newest.resume()
      zipped.resume()
    }
    #expect(all.values == ["1x", "2x", "3x"])
    #expect(newest.values == ["1x", "3x"])
    #expect(zipped.values == ["1p", "2q", "3r"])
    for recorder in [all, newest, zipped] { recorder.dispose() }
  }

  @Test("DM-17 a result at the end is held for an observer that pauses; first stops the source")
  func dm17() {
    let source = ScriptedSource<Int, Never>()
    let recorder = Recorder<Int, Never> { _, _ in .pause }
    recorder.subscribe(to: source.reduce(0, +).startWith(-1))
    recorder.resume()
    let held = Recorder<Int, Never> { _, _ in .pause }
    let subject = PublishSubject<Int, Never>()
    held.subscribe(to: Just(-1).concat(NeverFlow()).merge(with: subject.reduce(0, +)))
    subject.send(1)
    subject.send(2)
    subject.finish()
    #expect(held.values == [-1], "expected the result to wait")
    held.resume()
    #expect(held.values == [-1, 3])
    held.dispose()

    source.send(4)
    source.finish()
    #expect(recorder.values.last == 4)
    let first = ScriptedSource<Int, Never>()
    let once = Recorder<Int, Never>()
    once.subscribe(to: first.first())
    first.send(1)
    first.send(2)
    #expect(once.transcript == ["1", "finished"])
    #expect(first.log.disposals == 1, "expected the source to be stopped once")
  }

  @Test("FM-04 an observer that never pauses never makes flatMap pause an inner flow")
  func fm04() {
    let inner = ScriptedSource<Int, Never>(playing: Array(0..<1000))
    let recorder = Recorder<Int, Never>()
    recorder.subscribeWithoutPausing(to: Just(0).flatMap { _ in inner })
    #expect(recorder.valueCount == 1000)
    #expect(inner.log.pauses == 0 && inner.log.resumes == 0, "expected it to run in one go")
  }

  @Test("BF-04 what happens at the limit may come back into the source")
  func bf04() {
    let subject = PublishSubject<Int, Problem>()
    let recorder = Recorder<Int, Problem> { _, _ in .pause }
    let isDone = Threads.finishes {
      // The source is let go at the third value; that sends into it, and so does the end.
      let source = Using({}, use: { subject }, release: { subject.send(99) })
      recorder.subscribe(
        to: source.buffer(capacity: 1, overflow: .fail(.second))
          .tap(onEnd: { _ in subject.send(98) }))
      for value in 1...4 { subject.send(value) }
      recorder.resume()
      recorder.resume()
    }
    #expect(isDone, "expected no deadlock")
    #expect(recorder.transcript == ["1", "2", "failed(second)"])
  }

  @Test("BF-07 no room at all is refused where it makes no sense, and means none where it does")
  func bf07() async {
    let none = ReplaySubject<Int, Never>(capacity: 0)
    none.send(1)
    let late = Recorder<Int, Never>()
    late.subscribe(to: none)
    #expect(late.values == [], "expected nothing to be remembered")
    late.dispose()
    let nothing = Recorder<Int, Never>()
    nothing.subscribe(to: (0..<5).flow.takeLast(0))
    #expect(nothing.transcript == ["finished"])
    await #expect(processExitsWith: .failure) {
      _ = (0..<5).flow.observe(on: ImmediateScheduler(), capacity: 0)
    }
    await #expect(processExitsWith: .failure) {
      _ = (0..<5).flow.buffer(capacity: -1, overflow: .dropOldest)
    }
    await #expect(processExitsWith: .failure) {
      _ = ReplaySubject<Int, Never>(capacity: -1)
    }
  }

  @Test("FU-07 debounce and throttle after a single shot keep its value")
  func fu07() {
    let scheduler = VirtualScheduler()
    let single = Single<Int, Never> { resolver in
      scheduler.schedule(after: .ticks(3)) { resolver.succeed(7) }
    }
    let recorders = (0..<3).map { _ in Recorder<Int, Never>(scheduler: scheduler) }
    recorders[0].subscribe(to: single.debounce(for: .ticks(10), on: scheduler))
    recorders[1].subscribe(to: single.throttle(for: .ticks(10), on: scheduler, leading: false))
    recorders[2].subscribe(to: Just(7).debounce(for: .ticks(10), on: scheduler))
    scheduler.advance(by: .ticks(3))
    #expect(recorders[0].transcript == ["7@3.0", "finished@3.0"])
    #expect(recorders[1].transcript == ["7@3.0", "finished@3.0"])
    #expect(recorders[2].transcript == ["7@0.0", "finished@0.0"])
    #expect(scheduler.pendingCount == 0)
  }

  @Test("OP-09 contains, allSatisfy and first(where:) stop the source with the answer")
  func op09() {
    func check<Result: Flow>(
      _ name: String, _ build: (ScriptedSource<Int, Never>) -> Result, answer: [String],
      ofNothing: [String]
    ) where Result.Failure == Never {
      let source = ScriptedSource<Int, Never>()
      let recorder = Recorder<Result.Element, Never>()
      recorder.subscribe(to: build(source))
      for value in 1...5 { source.send(value) }
      #expect(recorder.transcript == answer, "\(name)")
      #expect(source.log.disposals == 1, "\(name): expected the source to be stopped once")
      #expect(source.log.sent == 3, "\(name): expected nothing after the answer")
      let empty = Recorder<Result.Element, Never>()
      empty.subscribe(to: build(ScriptedSource(playing: [])))
      #expect(empty.transcript == ofNothing, "\(name), of nothing")
    }
    check(
      "contains", { $0.contains { $0 == 3 } }, answer: ["true", "finished"],
      ofNothing: ["false", "finished"])
    check(
      "allSatisfy", { $0.allSatisfy { $0 < 3 } }, answer: ["false", "finished"],
      ofNothing: ["true", "finished"])
    check(
      "first(where:)", { $0.first { $0 == 3 } }, answer: ["3", "finished"],
      ofNothing: ["finished"])
  }
}
