import Freshet
import FreshetTesting
import Testing

@Suite("SR: re-entrant sends into subjects")
struct SubjectReentrancyTests {
  @Test("SR-01 observers are called in the order of subscription")
  func sr01() {
    let subject = PublishSubject<Int, Never>()
    let calls = Seen<String>()
    let tokens = ["A", "B", "C", "D"].map { name in subject.subscribe { _ in calls.add(name) } }
    subject.send(1)
    tokens[2].dispose()
    let late = subject.subscribe { _ in calls.add("E") }
    subject.send(2)
    #expect(
      calls.all == ["A", "B", "C", "D", "A", "B", "D", "E"],
      "expected the order of subscription, without the one that left and with the late one last")
    late.dispose()
    for token in tokens { token.dispose() }
  }

  @Test("SR-01 order holds when many leave and many come")
  func sr01Many() {
    let subject = PublishSubject<Int, Never>()
    let calls = Seen<Int>()
    var tokens = (0..<500).map { number in subject.subscribe { _ in calls.add(number) } }
    for (number, token) in tokens.enumerated() where !number.isMultiple(of: 5) { token.dispose() }
    tokens += (500..<700).map { number in subject.subscribe { _ in calls.add(number) } }
    subject.send(0)
    let expected = (0..<500).filter { $0.isMultiple(of: 5) } + Array(500..<700)
    #expect(calls.all == expected, "expected those who stayed, in order of subscription")
    for token in tokens { token.dispose() }
  }

  @Test("SR-02 a re-entrant send to one observer")
  func sr02() {
    let subject = PublishSubject<Int, Never>()
    let recorder = Recorder<Int, Never> { _, value in
      if value == 1 { subject.send(2) }
      return .more
    }
    recorder.subscribe(to: subject)
    subject.send(1)
    #expect(recorder.values == [1, 2], "expected both, and send to return")
    #expect(recorder.violations == [], "expected the second not to come from inside the first")
    recorder.dispose()
  }

  @Test("SR-03 a re-entrant send: the same order for everybody")
  func sr03() {
    let subject = PublishSubject<Int, Never>()
    let a = Recorder<Int, Never> { _, value in
      if value == 1 { subject.send(2) }
      return .more
    }
    let b = Recorder<Int, Never>()
    a.subscribe(to: subject)
    b.subscribe(to: subject)
    subject.send(1)
    #expect(a.values == [1, 2] && b.values == [1, 2], "expected [1, 2] for both")
    a.dispose()
    b.dispose()
  }

  @Test("SR-04 a re-entrant chain")
  func sr04() {
    let subject = BehaviorSubject<Int, Never>(0)
    let b = Seen<Int>()
    let first = subject.subscribe { if $0 > 0, $0 < 5 { subject.send($0 + 1) } }
    let second = subject.subscribe { b.add($0) }
    subject.send(1)
    #expect(b.all == [0, 1, 2, 3, 4, 5], "expected the order in which the values were sent")
    #expect(subject.value == 5, "expected the last value to be current")
    first.dispose()
    second.dispose()
  }

  @Test("SR-05 a hundred thousand re-entrant sends on a small stack")
  func sr05() {
    let seen = Box(0)
    Threads.onSmallStack {
      let publish = PublishSubject<Int, Never>()
      let counter = Recorder<Int, Never> { _, value in
        if value > 0 { publish.send(value - 1) }
        return .more
      }
      counter.subscribe(to: publish)
      publish.send(100_000)
      counter.dispose()

      let current = BehaviorSubject<Int, Never>(-1)
      let token = current.subscribe { if $0 > 0 { current.send($0 - 1) } }
      current.send(100_000)
      token.dispose()
      seen.value = counter.valueCount + current.value
    }
    #expect(seen.value == 100_001, "expected all values and a flat stack")
  }

  @Test("SR-06 a re-entrant finish does not swallow the value for later observers")
  func sr06() {
    let subject = PublishSubject<Int, Never>()
    let a = Recorder<Int, Never> { _, _ in
      subject.finish()
      subject.send(99)
      return .more
    }
    let b = Recorder<Int, Never>()
    a.subscribe(to: subject)
    b.subscribe(to: subject)
    subject.send(1)
    #expect(a.transcript == ["1", "finished"], "expected the value, then the finish")
    #expect(b.transcript == ["1", "finished"], "expected the same for the later observer")
  }

  @Test("SR-07 reading the current value inside its own observer")
  func sr07() {
    let subject = BehaviorSubject<Int, Never>(0)
    let reads = Seen<Int>()
    let token = subject.subscribe { _ in reads.add(subject.value) }
    subject.value = 10
    #expect(reads.all == [0, 10], "expected the value that is being delivered")
    token.dispose()
  }

  @Test("SR-07 a value sent from inside is current at once")
  func sr07Sent() {
    let subject = BehaviorSubject<Int, Never>(0)
    let reads = Seen<Int>()
    let token = subject.subscribe { value in
      guard value == 1 else { return }
      subject.send(2)
      reads.add(subject.value)
    }
    subject.send(1)
    #expect(reads.all == [2], "expected to read what was just sent")
    token.dispose()
  }

  @Test("SR-07 what is sent after the end does not become current")
  func sr07AfterEnd() {
    let subject = BehaviorSubject<Int, Never>(0)
    let token = subject.subscribe(onValue: { _ in }, onEnd: { _ in subject.send(9) })
    subject.finish()
    subject.send(8)
    #expect(subject.value == 0, "expected the last value before the end")
    token.dispose()
  }

  @Test("SR-08 a subscription made during an update gets the new value")
  func sr08() {
    let subject = BehaviorSubject<Int, Never>(0)
    let inner = Seen<Int>()
    let bag = DisposeBag()
    subject.subscribe { value in
      if value == 1 { subject.subscribe { inner.add($0) }.store(in: bag) }
    }.store(in: bag)
    subject.send(1)
    #expect(inner.all == [1], "expected 1, once: not 0, and not 1 twice")
  }

  @Test("SR-08 A subscribes to B, whose observer subscribes to A again")
  func sr08ABA() {
    let a = BehaviorSubject<Int, Never>(0)
    let b = BehaviorSubject<Int, Never>(0)
    let inner = Seen<Int>()
    let bag = DisposeBag()
    a.subscribe { value in
      guard value == 1 else { return }
      b.subscribe { _ in a.subscribe { inner.add($0) }.store(in: bag) }.store(in: bag)
    }.store(in: bag)
    a.send(1)
    #expect(inner.all == [1], "expected the new value of A and no hang")
  }

  @Test("SR-10 take counts before it calls its observer")
  func sr10() {
    let subject = PublishSubject<Int, Never>()
    let recorder = Recorder<Int, Never> { _, value in
      subject.send(value + 1)
      return .more
    }
    recorder.subscribe(to: subject.take(10))
    subject.send(0)
    #expect(
      recorder.transcript == (0..<10).map { "\($0)" } + ["finished"], "expected 0 to 9, then |")
  }

  @Test("SR-10 scan, skip and distinctUntilChanged commit their state first")
  func sr10Others() {
    func echo<Result: Flow>(
      _ build: (PublishSubject<Int, Never>) -> Result
    ) -> [Int] where Result.Element == Int, Result.Failure == Never {
      let subject = PublishSubject<Int, Never>()
      let sent = Box(1)
      let recorder = Recorder<Int, Never> { _, _ in
        guard let last = sent.value, last < 6 else { return .more }
        sent.value = last + 1
        subject.send(last + 1)
        return .more
      }
      recorder.subscribe(to: build(subject))
      subject.send(1)
      for _ in 0..<3 where recorder.valueCount == 0 { subject.send(1) }
      recorder.dispose()
      return recorder.values
    }
    #expect(echo { $0.scan(0, +) } == [1, 3, 6, 10, 15, 21], "expected running sums of 1 to 6")
    #expect(echo { $0.skip(2) } == [1, 2, 3, 4, 5, 6], "expected two values to be left out")
    #expect(
      echo { $0.distinctUntilChanged { $0 >= $1 } } == [1, 2, 3, 4, 5, 6],
      "expected each to be compared with the last one sent")
  }

  @Test("SR-13 two holders that drive each other settle")
  func sr13() {
    let a = BehaviorSubject<Int, Never>(0)
    let b = BehaviorSubject<Int, Never>(0)
    let rounds = Seen<String>()
    let bag = DisposeBag()
    a.distinctUntilChanged().subscribe { value in
      rounds.add("a\(value)")
      b.send(value)
    }.store(in: bag)
    b.distinctUntilChanged().subscribe { value in
      rounds.add("b\(value)")
      a.send(value)
    }.store(in: bag)
    let before = rounds.count
    a.send(1)
    #expect(a.value == 1 && b.value == 1, "expected both to become 1")
    #expect(Array(rounds.all[before...]) == ["a1", "b1"], "expected exactly one round")
  }
}
