import Freshet
import FreshetTesting
import Testing

@Suite("TM: time operators, exact in virtual time")
struct TimeTests {
  /// Sends what a line of text says, one tick of a millisecond per character.
  private func play(
    _ line: String, into subject: PublishSubject<String, Problem>, on scheduler: VirtualScheduler
  ) {
    for character in line {
      switch character {
      case "-": break
      case "|": subject.finish()
      case "#": subject.fail(.first)
      default: subject.send(String(character))
      }
      scheduler.advance(by: .milliseconds(1))
    }
    scheduler.advance(by: .milliseconds(20))
  }

  private func debounced(_ line: String, for ticks: Int) -> [String] {
    let scheduler = VirtualScheduler()
    let subject = PublishSubject<String, Problem>()
    let recorder = Recorder<String, Problem>(scheduler: scheduler)
    recorder.subscribe(to: subject.debounce(for: .milliseconds(ticks), on: scheduler))
    play(line, into: subject, on: scheduler)
    recorder.dispose()
    return recorder.transcript
  }

  @Test("TM-01 debounce")
  func tm01() {
    #expect(
      debounced("-a--bc--d---|", for: 2) == ["a@3.0", "c@7.0", "d@10.0", "finished@12.0"],
      "expected ---a---c--d-|")
    let scheduler = VirtualScheduler()
    let subject = PublishSubject<Int, Never>()
    let recorder = Recorder<Int, Never>(scheduler: scheduler)
    recorder.subscribe(to: subject.debounce(for: .milliseconds(13), on: scheduler))
    for (moment, value) in [(0, 1), (4, 2), (9, 3)] {
      scheduler.advance(to: Moment(.milliseconds(moment)))
      subject.send(value)
    }
    scheduler.advance(to: Moment(.milliseconds(100)))
    #expect(recorder.transcript == ["3@22.0"], "expected only the last, 13 after it came")
    recorder.dispose()
  }

  @Test("TM-01 a finish hands the waiting value over")
  func tm01Finish() {
    #expect(debounced("-a|", for: 5) == ["a@2.0", "finished@2.0"], "expected the value first")
  }

  @Test("TM-03 a failure while a value waits")
  func tm03() {
    #expect(debounced("-a-#", for: 5) == ["failed(first)@3.0"], "expected the failure at once")
  }

  @Test("TM-04 two subscriptions of one debounce are independent")
  func tm04() {
    let scheduler = VirtualScheduler()
    let subject = PublishSubject<Int, Never>()
    let flow = subject.debounce(for: .milliseconds(5), on: scheduler)
    let early = Recorder<Int, Never>(scheduler: scheduler)
    let late = Recorder<Int, Never>(scheduler: scheduler)
    early.subscribe(to: flow)
    subject.send(1)
    scheduler.advance(by: .milliseconds(3))
    late.subscribe(to: flow)
    subject.send(2)
    scheduler.advance(by: .milliseconds(3))
    early.dispose()
    scheduler.advance(by: .milliseconds(10))
    #expect(early.transcript == [], "expected the early one to be disposed of before its time")
    #expect(late.transcript == ["2@8.0"], "expected the late one to be served on its own")
    late.dispose()
    #expect(scheduler.pendingCount == 0, "expected no timer to be left")
  }

  @Test("TM-21 work scheduled during an advance runs inside it, at its own time")
  func tm21() {
    let scheduler = VirtualScheduler()
    let times = Seen<Duration>()
    @Sendable func tick() {
      times.add(scheduler.now.sinceOrigin)
      Kept.token(scheduler.schedule(after: .milliseconds(10)) { tick() })
    }
    Kept.token(scheduler.schedule(after: .milliseconds(10)) { tick() })
    scheduler.advance(by: .milliseconds(50))
    #expect(
      times.all == [10, 20, 30, 40, 50].map { .milliseconds($0) }, "expected five runs, on time")
    #expect(scheduler.now == Moment(.milliseconds(50)), "expected the advance to end at 50")
  }

  @Test("TM-22 run with an endless timer stops at its limit")
  func tm22() {
    let scheduler = VirtualScheduler()
    @Sendable func tick() {
      Kept.token(scheduler.schedule(after: .seconds(1)) { tick() })
    }
    tick()
    #expect(throws: VirtualScheduler.LimitReached.self, "expected an error, not an endless loop") {
      try scheduler.run(limit: 1000)
    }
    #expect(scheduler.now == Moment(.seconds(1000)), "expected a thousand runs")
  }

  @Test("TM-22 an advance over a hundred thousand works uses a flat stack")
  func tm22Flat() {
    let count = Box(0)
    Threads.onSmallStack {
      let scheduler = VirtualScheduler()
      @Sendable func tick(_ left: Int) {
        count.value = left
        if left > 0 { scheduler.schedule { tick(left - 1) } }
      }
      scheduler.schedule { tick(100_000) }
      scheduler.runDue()
    }
    #expect(count.value == 0, "expected all of them to run")
  }
}

/// Keeps tokens of timers, which would otherwise be called off at once.
enum Kept {
  private static let bag = DisposeBag()

  static func token(_ token: Disposable) {
    token.store(in: bag)
  }
}
