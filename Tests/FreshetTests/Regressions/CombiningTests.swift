import Freshet
import FreshetTesting
import Testing

@Suite("MZ: merge, combineLatest, startWith")
struct CombiningTests {
  @Test("MZ-01 merge finishes with the last source and fails with the first failure")
  func mz01() {
    let a = ScriptedSource<Int, Problem>()
    let b = ScriptedSource<Int, Problem>()
    let recorder = Recorder<Int, Problem>()
    recorder.subscribe(to: a.merge(with: b))
    a.send(1)
    b.send(2)
    a.finish()
    #expect(!recorder.hasEnded, "expected to wait for the other")
    b.finish()
    #expect(recorder.transcript == ["1", "2", "finished"], "expected the finish with the last")

    let c = ScriptedSource<Int, Problem>()
    let d = ScriptedSource<Int, Problem>()
    let failing = Recorder<Int, Problem>()
    failing.subscribe(to: [c, d].merged())
    c.send(1)
    c.fail(.first)
    #expect(failing.transcript == ["1", "failed(first)"], "expected the failure at once")
    #expect(d.log.disposals == 1, "expected the other to be disposed of")
  }

  @Test("MZ-06 combineLatest: one finishes without having sent anything", arguments: [true, false])
  func mz06(firstIsEmpty: Bool) {
    let a = ScriptedSource<Int, Never>()
    let b = ScriptedSource<Int, Never>()
    let recorder = Recorder<String, Never>()
    recorder.subscribe(to: a.combineLatest(with: b) { "\($0)\($1)" })
    (firstIsEmpty ? b : a).send(1)
    (firstIsEmpty ? a : b).finish()
    #expect(recorder.transcript == ["finished"], "expected the end as soon as no pair can come")
    #expect(a.activeCount + b.activeCount == 0, "expected the other to be let go")
  }

  @Test("MZ-07 an empty collection merges to an empty flow")
  func mz07() {
    let recorder = Recorder<Int, Never>()
    recorder.subscribe(to: [Just<Int>]().merged())
    #expect(recorder.transcript == ["finished"], "expected a finish at once")
  }

  @Test("MZ-09 combineLatest of a stream with itself")
  func mz09() {
    let subject = PublishSubject<Int, Never>()
    let recorder = Recorder<String, Never>()
    recorder.subscribe(to: subject.combineLatest(with: subject) { "\($0)\($1)" })
    subject.send(1)
    subject.send(2)
    #expect(recorder.values == ["11", "21", "22"], "expected a stable order from left to right")
    recorder.dispose()
  }

  @Test("MZ-10 a merge of a hundred thousand, left from inside")
  func mz10() {
    let counts = Box(0)
    Threads.onSmallStack {
      let recorder = Recorder<Int, Never> { recorder, _ in
        if recorder.valueCount == 99_999 { recorder.dispose() }
        return .more
      }
      recorder.subscribe(to: (0..<100_000).map { Just($0) }.merged())
      counts.value = recorder.valueCount
    }
    #expect(counts.value == 99_999, "expected all values up to the dispose and a flat stack")
  }

  @Test(
    "MZ-12 startWith: the second is not subscribed to before the first is done, and is released")
  func mz12() {
    let source = ScriptedSource<Int, Never>()
    let recorder = Recorder<Int, Never> { _, _ in .pause }
    recorder.subscribe(to: source.startWith(1, 2))
    #expect(source.log.subscriptions == 0, "expected the source to wait for the first values")
    recorder.dispose()
    #expect(source.log.subscriptions == 0, "expected the source never to be subscribed to")
  }

  @Test("MZ-13 ten thousand pieces one after the other")
  func mz13() {
    let counts = Box(0)
    Threads.onSmallStack {
      let recorder = Recorder<Int, Never>()
      recorder.subscribe(
        to: (0..<10_000).flow.flatMap(maxConcurrent: 1) { [$0, $0].flow })
      counts.value = recorder.hasEnded ? recorder.valueCount : -1
    }
    #expect(counts.value == 20_000, "expected all pieces and a flat stack")
  }

  @Test("RT-12 disposing between a failure and its replacement")
  func rt12() {
    let source = ScriptedSource<Int, Problem>()
    let replacement = ScriptedSource<Int, Never>()
    let recorder = Recorder<Int, Never>()
    recorder.subscribe(
      to: source.catchError { _ in
        recorder.dispose()
        return replacement
      })
    source.fail(.first)
    replacement.send(1)
    #expect(recorder.events.isEmpty, "expected silence")
    #expect(replacement.activeCount == 0, "expected the replacement to be stopped on arrival")
  }

  @Test("RT-12 disposing before the failure: the handler does not run")
  func rt12Before() {
    let source = ScriptedSource<Int, Problem>(.unruly)
    let calls = Seen<Int>()
    let token = source.catchError { _ in
      calls.add(1)
      return Empty<Int, Never>()
    }.subscribe { _ in }
    token.dispose()
    source.fail(.first)
    #expect(calls.count == 0, "expected the handler not to be called")
    source.release()
  }

  @Test("RT-10 a catch that returns its source behind a value, a hundred thousand rounds, flat")
  func rt10() {
    let rounds = 100_000
    let results = Box<[String]>()
    Threads.onSmallStack {
      let scheduler = VirtualScheduler()
      let failing = Single<Int, Problem> { resolver in
        scheduler.schedule(after: .seconds(1)) { resolver.fail(.first) }
      }
      let later = failed(failing, rounds) {
        #expect(throws: Never.self) { try scheduler.run(limit: rounds * 2) }
      }
      let atOnce = failed(Fail<Int, Problem>(.first), rounds) {}
      results.value = [later, atOnce]
    }
    let expected = "\(rounds) values, \(rounds - 1) the last, finished"
    #expect(results.value == [expected, expected])
  }

  @Test("RT-10 a recursion by hand, with one more catchError around each round")
  func rt10ByHand() throws {
    // Every round is one more catchError around the rest, so what has gone before must be
    // let go; 300 rounds are what a chain of stages may be long.
    let scheduler = VirtualScheduler()
    let recorder = Recorder<Int, Problem>()
    recorder.subscribe(to: attempt(0, of: 300, on: scheduler))
    try scheduler.run()
    #expect(recorder.values == Array(0..<300), "expected one value per round")
    #expect(recorder.end == .finished, "expected the last round to finish")
  }
}

/// A source that is caught, and comes again behind the number of the round; what came of it.
private func failed<Source: Flow>(
  _ source: Source, _ rounds: Int, run: () -> Void
) -> String where Source.Element == Int, Source.Failure == Problem {
  let round = Counter()
  let recorder = Recorder<Int, Problem>()
  recorder.subscribe(
    to: source.catchEveryError { _ -> AnyFlow<Int, Problem>? in
      let number = round.next()
      return number <= rounds ? source.startWith(number - 1).erased() : Empty().erased()
    })
  run()
  let last = recorder.values.last ?? -1
  return "\(recorder.valueCount) values, \(last) the last, "
    + (recorder.end == .finished && recorder.violations.isEmpty ? "finished" : "wrong")
}

private func attempt(
  _ round: Int, of rounds: Int, on scheduler: VirtualScheduler
) -> AnyFlow<Int, Problem> {
  guard round < rounds else { return Empty().erased() }
  return Single<Int, Problem> { resolver in
    scheduler.schedule(after: .seconds(1)) { resolver.fail(.first) }
  }
  .startWith(round)
  .catchError { _ in attempt(round + 1, of: rounds, on: scheduler) }
  .erased()
}
