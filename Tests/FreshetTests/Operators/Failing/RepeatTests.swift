import Freshet
import FreshetTesting
import Testing

@Suite("repeat, repeat(when:), retry(when:), ifEmpty")
struct RepeatTests {
  @Test("repeat runs the source so often in all")
  func count() {
    let source = ScriptedSource<Int, Problem>(playing: [1, 2])
    let recorder = Recorder<Int, Problem>()
    recorder.subscribe(to: source.repeat(3))
    #expect(recorder.transcript == ["1", "2", "1", "2", "1", "2", "finished"])
    #expect(source.log.subscriptions == 3)
    let none = Recorder<Int, Problem>()
    none.subscribe(to: source.repeat(0))
    #expect(none.transcript == ["finished"])
    #expect(source.log.subscriptions == 3)
  }

  @Test("repeat passes a failure through")
  func failure() throws {
    let time = VirtualScheduler()
    #expect(try time.difference(of: time.cold("1-#").repeat(3), from: "1-#") == nil)
  }

  @Test("repeat without limit is stopped from below")
  func endless() {
    let recorder = Recorder<Int, Never>()
    recorder.subscribe(to: [1, 2].flow.repeat().take(5))
    #expect(recorder.transcript == ["1", "2", "1", "2", "1", "finished"])
  }

  @Test("100 000 runs stay flat")
  func flat() {
    Threads.onSmallStack {
      let recorder = Recorder<Int, Never>()
      recorder.subscribe(to: Just(1).repeat(100_000))
      #expect(recorder.valueCount == 100_000)
      #expect(recorder.hasEnded)
    }
  }

  @Test("OP-11 repeat of an already finished hot stream can be disposed of from elsewhere")
  func finishedHotStream() {
    let subject = PublishSubject<Int, Never>()
    subject.finish()
    let recorder = Recorder<Int, Never>()
    let rounds = Counter()
    let isDone = Threads.finishes {
      // Another thread disposes once it sees it spin.
      Threads.concurrently(2) { number in
        if number == 0 {
          recorder.subscribe(to: subject.tap(onStart: { rounds.next() }).repeat())
        } else {
          while rounds.value < 1000 {}
          recorder.dispose()
        }
      }
    }
    #expect(isDone)
    #expect(recorder.transcript == [])
  }

  @Test("repeat(when:) subscribes again with each value of the signal")
  func repeatWhen() throws {
    let time = VirtualScheduler()
    let source = try time.cold("1-|")
    let flow = source.repeat { finishes in
      finishes.promoteFailure(to: MarbleFailure.self).take(2)
        .delay(for: .ticks(3), on: time)
    }
    // Finishes at 2 and 7; the signal passes them on at 5 and 10, and then finishes.
    #expect(try time.difference(of: flow, from: "1----1----|") == nil)
    #expect(source.starts == [0, 5, 10])
  }

  @Test("RT-09 retry(when:): a value subscribes again, a finish finishes, a failure fails")
  func retryWhen() throws {
    for (signal, expected, starts) in [
      ("----x---x--|", "1---1---1--|", [0, 4, 8]),
      ("----x--#", "1---1--#", [0, 4]),
      ("|", "|", []),
      ("---|", "1--|", [0]),
      ("", "1", [0]),
    ] as [(String, String, [Int])] {
      let time = VirtualScheduler()
      let source = try time.cold("1-#")
      let hot = try time.hot(signal)
      let flow = source.retry { _ in hot }
      // A signal that is over before it is subscribed to does not let the source start.
      if signal == "|" {
        let over = source.retry { _ in Empty<Int, MarbleFailure>() }
        #expect(try time.difference(of: over, from: expected) == nil)
      } else {
        #expect(try time.difference(of: flow, from: expected) == nil)
      }
      #expect(source.starts == starts)
    }
  }

  @Test("RT-09 the signal is made of the failures")
  func signalOfFailures() {
    let tries = Counter()
    let source = Deferred { Fail<Int, Problem>(tries.next() < 4 ? .first : .second) }
    let seen = Seen<Problem>()
    let recorder = Recorder<Int, Problem>()
    recorder.subscribe(
      to: source.retry { failures in
        failures.promoteFailure(to: Problem.self).flatMap { failure in
          seen.add(failure)
          return failure == .first
            ? AnyFlow(Just(()).promoteFailure(to: Problem.self)) : AnyFlow(Fail(failure))
        }
      })
    #expect(seen.all == [.first, .first, .first, .second])
    #expect(recorder.transcript == ["failed(second)"])
  }

  @Test("RT-09 a signal value while the source runs is kept for its failure")
  func earlySignal() {
    let signal = PublishSubject<Int, Problem>()
    let source = ScriptedSource<Int, Problem>()
    let recorder = Recorder<Int, Problem>()
    recorder.subscribe(to: source.retry { _ in signal })
    signal.send(1)
    signal.send(2)
    #expect(source.log.subscriptions == 1)
    source.fail(.first)
    #expect(source.log.subscriptions == 2)
    source.fail(.first)
    #expect(source.log.subscriptions == 2)
    recorder.dispose()
  }

  @Test("100 000 rounds of retry(when:) and repeat(when:) stay flat")
  func flatWhen() {
    Threads.onSmallStack {
      let tries = Counter()
      let source = Deferred {
        tries.next() <= 100_000
          ? AnyFlow(Fail<Int, Problem>(.first)) : AnyFlow(Just(1).promoteFailure(to: Problem.self))
      }
      let recorder = Recorder<Int, Problem>()
      recorder.subscribe(
        to: source.retry { $0.promoteFailure(to: Problem.self) })
      #expect(recorder.transcript == ["1", "finished"])
      let rounds = Recorder<Int, Never>()
      rounds.subscribe(to: Just(1).repeat { $0.take(100_000) })
      #expect(rounds.valueCount == 100_000)
      #expect(rounds.hasEnded)
    }
  }

  @Test("an unruly source reports each end once, and none after a dispose")
  func unruly() {
    let source = ScriptedSource<Int, Problem>(.unruly)
    let failures = Seen<Problem>()
    let recorder = Recorder<Int, Problem>()
    recorder.subscribe(
      to: source.retry { reasons in
        reasons.promoteFailure(to: Problem.self).map { failures.add($0) }.filter { false }
      })
    source.fail(.first)
    source.fail(.second)
    source.send(1)
    #expect(failures.all == [.first])
    recorder.dispose()
    source.release()

    let other = ScriptedSource<Int, Problem>(.unruly)
    let late = Recorder<Int, Problem>()
    late.subscribe(
      to: other.retry { reasons in
        reasons.promoteFailure(to: Problem.self).map { failures.add($0) }.filter { false }
      })
    late.dispose()
    other.fail(.second)
    #expect(failures.all == [.first])
    other.release()
  }

  @Test("a dispose releases the source, the signal and the closures")
  func release() {
    let source = ScriptedSource<Int, Problem>()
    let signal = ScriptedSource<Int, Problem>()
    for end in [true, false] {
      let probe = LeakProbe()
      let recorder = Recorder<Int, Problem>()
      do {
        let token = probe.token()
        recorder.subscribe(
          to: source.map { token.pass($0) }.retry { failures in
            signal.merge(
              with: failures.promoteFailure(to: Problem.self).map { _ in token.pass(0) }
                .filter { _ in false })
          })
      }
      if end { signal.fail(.first) } else { recorder.dispose() }
      #expect(probe.alive == [])
      #expect(source.activeCount == 0 && signal.activeCount == 0)
    }
  }

  @Test("ifEmpty goes on with another flow when there was no value")
  func ifEmpty() throws {
    for (source, expected) in [
      ("---|", "---8--9|"), ("-1-|", "-1-|"), ("---#", "---#"),
    ] as [(String, String)] {
      let time = VirtualScheduler()
      #expect(
        try time.difference(
          of: time.hot(source).ifEmpty(switchTo: time.cold("8--9|")), from: expected) == nil)
    }
  }
}
