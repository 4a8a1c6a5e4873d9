import Freshet
import FreshetTesting
import Testing

@Suite("RC: subscribing and disposing during a delivery")
struct ReentrantSubscriptionTests {
  @Test("RC-01 an observer added during a send starts with the next value")
  func rc01() {
    let subject = PublishSubject<Int, Never>()
    let b = Seen<Int>()
    let bag = DisposeBag()
    subject.subscribe { value in
      if value == 1 { subject.subscribe { b.add($0) }.store(in: bag) }
    }.store(in: bag)
    subject.send(1)
    subject.send(2)
    #expect(b.all == [2], "expected only the value after the subscription")
  }

  @Test("RC-02 the same with a behaviour subject: exactly once")
  func rc02() {
    let subject = BehaviorSubject<Int, Never>(0)
    let b = Seen<Int>()
    let bag = DisposeBag()
    subject.subscribe { value in
      if value == 1 { subject.subscribe { b.add($0) }.store(in: bag) }
    }.store(in: bag)
    subject.send(1)
    #expect(b.all == [1], "expected 1 once: not 0, not 1 twice")
  }

  @Test("RC-02 a value sent after the re-entrant subscription is not told twice")
  func rc02Sent() {
    let subject = BehaviorSubject<Int, Never>(0)
    let b = Seen<Int>()
    let bag = DisposeBag()
    subject.subscribe { value in
      guard value == 1 else { return }
      subject.subscribe { b.add($0) }.store(in: bag)
      subject.send(2)
    }.store(in: bag)
    subject.send(1)
    #expect(b.all == [1, 2], "expected the current value once and then the one sent, once")
  }

  @Test("RC-03 disposing of a sibling that is about to be called")
  func rc03() {
    let subject = PublishSubject<Int, Never>()
    let b = Recorder<Int, Never>()
    let a = Recorder<Int, Never> { _, value in
      if value == 1 { b.dispose() }
      return .more
    }
    a.subscribe(to: subject)
    b.subscribe(to: subject)
    subject.send(1)
    subject.finish()
    #expect(b.events.isEmpty, "expected nothing after dispose() had returned on that thread")
    #expect(a.transcript == ["1", "finished"], "expected the other one to go on")
  }

  @Test("RC-03 disposing of a sibling in the end of the first")
  func rc03End() {
    let subject = PublishSubject<Int, Never>()
    let b = Recorder<Int, Never>()
    let a = subject.subscribe(onValue: { _ in }, onEnd: { _ in b.dispose() })
    b.subscribe(to: subject)
    subject.finish()
    #expect(b.events.isEmpty, "expected no finish after dispose() had returned on that thread")
    a.dispose()
  }

  @Test("RC-04 disposing of oneself inside a synchronous source", arguments: [true, false])
  func rc04(mayPause: Bool) {
    let pulls = Seen<Int>()
    let numbers = CountedNumbers(1...1_000_000, pulls: pulls)
    let recorder = Recorder<Int, Never> { recorder, value in
      guard value == 2 else { return .more }
      recorder.dispose()
      return .stop
    }
    if mayPause {
      recorder.subscribe(to: numbers.flow)
    } else {
      recorder.subscribeWithoutPausing(to: numbers.flow)
    }
    #expect(recorder.transcript == ["1", "2"], "expected 1, 2 and no finish")
    #expect(pulls.all == [1, 2], "expected the iterator not to be pulled any further")
  }

  @Test("RC-06 disposing in start", arguments: [true, false])
  func rc06(isHot: Bool) {
    let source =
      isHot ? ScriptedSource<Int, Never>() : ScriptedSource<Int, Never>(playing: [1, 2, 3])
    let subject = PublishSubject<Int, Never>()
    let log = Seen<String>()
    source.subscribe(Impatient(log: log))
    subject.subscribe(Impatient(log: log))
    (1...3).flow.subscribe(Impatient(log: log))
    source.merge(with: subject).flatMap { Just($0) }.share().subscribe(Impatient(log: log))
    Just(1).observe(on: ImmediateScheduler()).subscribe(Impatient(log: log))
    BehaviorSubject<Int, Never>(0).subscribe(Impatient(log: log))
    Single<Int, Never>.just(1).subscribe(Impatient(log: log))
    if isHot { source.send(1) }
    subject.send(1)
    subject.finish()
    #expect(log.all == [], "expected no value and no end")
    #expect(source.activeCount == 0, "expected the source to be released")
  }

  @Test("RC-06 the work of a single is not done for somebody who has left in start")
  func rc06Single() {
    let runs = Seen<Int>()
    let single = Single<Int, Never> { resolver in
      runs.add(1)
      resolver.succeed(1)
      return nil
    }
    single.subscribe(Impatient(log: Seen()))
    #expect(runs.count == 0, "expected no work")
  }

  @Test("RC-07 a re-entrant subscription to a share connects once")
  func rc07() {
    let source = ScriptedSource<Int, Never>()
    let shared = source.share()
    let inner = Recorder<Int, Never>()
    let outer = Recorder<Int, Never>()
    shared.subscribe(
      Starting(recorder: outer) { inner.subscribe(to: shared) })
    source.send(1)
    #expect(source.log.subscriptions == 1, "expected one connection")
    #expect(inner.values == [1] && outer.values == [1], "expected both to be served by it")
    inner.dispose()
    #expect(source.log.disposals == 0, "expected the connection to stay for the other one")
    outer.dispose()
    #expect(source.log.disposals == 1, "expected one disconnect after both have left")
  }

  @Test("RC-09 skipUntil: the trigger finishes silently")
  func rc09() {
    let source = ScriptedSource<String, Problem>()
    let trigger = ScriptedSource<Int, Problem>(.unruly)
    let log = Seen<String>()
    let token = source.skipUntil(trigger).subscribe(
      onValue: { log.add($0) }, onEnd: { log.add("\($0)") })
    source.send("a")
    trigger.finish()
    trigger.finish()
    source.send("b")
    source.send("c")
    source.finish()
    #expect(log.all == ["finished"], "expected exactly one finish, then silence")
    #expect(source.log.disposals == 1, "expected the source to be let go")
    trigger.release()
    token.dispose()
  }

  @Test("RC-10 takeUntil: the other finishes without a value")
  func rc10() {
    let source = ScriptedSource<Int, Problem>()
    let other = ScriptedSource<Int, Problem>()
    let recorder = Recorder<Int, Problem>()
    recorder.subscribe(to: source.takeUntil(other))
    source.send(1)
    other.finish()
    source.send(2)
    source.send(3)
    source.finish()
    #expect(recorder.transcript == ["1", "2", "3", "finished"], "expected no effect on the source")
  }

  @Test("RC-10 takeUntil: a value or a failure of the other ends the stream")
  func rc10Value() {
    for fails in [true, false] {
      let source = ScriptedSource<Int, Problem>()
      let other = ScriptedSource<Int, Problem>()
      let recorder = Recorder<Int, Problem>()
      recorder.subscribe(to: source.takeUntil(other))
      source.send(1)
      if fails { other.fail(.first) } else { other.send(0) }
      source.send(2)
      let end = fails ? "failed(first)" : "finished"
      #expect(recorder.transcript == ["1", end], "expected the other to end the stream")
      #expect(source.activeCount == 0 && other.activeCount == 0, "expected both to be let go")
    }
  }

  @Test("RC-12 a failure of the source racing with our own finish")
  func rc12() {
    let subject = PublishSubject<String, Problem>()
    let recorder = Recorder<String, Problem> { _, _ in
      subject.fail(.first)
      return .more
    }
    recorder.subscribe(
      to: Just("a").promoteFailure(to: Problem.self).merge(with: subject).take(1))
    #expect(recorder.transcript == ["a", "finished"], "expected the finish, never the failure")
    #expect(recorder.violations == [], "expected one end")
  }
}

/// Disposes of its subscription at once.
private struct Impatient: Observer {
  let log: Seen<String>

  static var mayPause: Bool { true }
  mutating func start(_ subscription: Subscription) { subscription.dispose() }

  mutating func receive(_ value: Int) -> Answer {
    log.add("\(value)")
    return .more
  }

  mutating func end(_ end: End<Never>) { log.add("\(end)") }
}

/// Does something in start, then records.
private struct Starting: Observer {
  let recorder: Recorder<Int, Never>
  let onStart: @Sendable () -> Void
  private var forward: RecordingObserver<Int, Never>

  init(recorder: Recorder<Int, Never>, onStart: @escaping @Sendable () -> Void) {
    self.recorder = recorder
    self.onStart = onStart
    forward = recorder.observer
  }

  static var mayPause: Bool { true }

  mutating func start(_ subscription: Subscription) {
    forward.start(subscription)
    onStart()
  }

  mutating func receive(_ value: Int) -> Answer { forward.receive(value) }
  mutating func end(_ end: End<Never>) { forward.end(end) }
}
