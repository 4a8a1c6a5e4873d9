import Freshet
import FreshetTesting
import Testing

@Suite("OP: operators")
struct OperatorCaseTests {
  @Test("OP-02 take(0) finishes at once and does not subscribe")
  func op02() {
    let source = ScriptedSource<Int, Never>()
    let recorder = Recorder<Int, Never>()
    recorder.subscribe(to: source.take(0))
    #expect(recorder.transcript == ["finished"], "expected a finish at once")
    #expect(source.log.subscriptions == 0, "expected the source not to be subscribed to")
  }

  @Test("OP-03 the first value of an empty flow")
  func op03() async {
    let value = await Empty<Int, Never>().firstValue()
    #expect(value == nil, "expected no value and no hang")
  }

  @Test("OP-05 scan does not send its first result")
  func op05() {
    let recorder = Recorder<Int, Never>()
    recorder.subscribe(to: Empty<Int, Never>().scan(7, +))
    #expect(recorder.transcript == ["finished"], "expected the finish alone")
  }

  @Test("OP-06 distinctUntilChanged compares with the last value sent, per subscription")
  func op06() {
    let flow = [1, 1, 2, 1].flow.distinctUntilChanged()
    for run in 1...2 {
      let recorder = Recorder<Int, Never>()
      recorder.subscribe(to: flow)
      #expect(recorder.values == [1, 2, 1], "run \(run): expected state per subscription")
    }
    let tolerant = Recorder<Int, Never>()
    tolerant.subscribe(to: [1, 2, 3, 4].flow.distinctUntilChanged { abs($0 - $1) <= 1 })
    #expect(tolerant.values == [1, 3], "expected a tolerance to add up")
    let nan = Recorder<Double, Never>()
    nan.subscribe(to: [Double.nan, .nan, 1].flow.distinctUntilChanged())
    #expect(nan.valueCount == 3, "expected NaN to pass always")
  }

  @Test("OP-08 a sequence is pulled one by one, and no more than needed")
  func op08() {
    let pulls = Seen<Int>()
    let order = Seen<String>()
    let token = CountedNumbers(1...3, pulls: pulls).flow.map { $0 * 10 }
      .subscribe { order.add("pulled \(pulls.count), got \($0)") }
    #expect(
      order.all == ["pulled 1, got 10", "pulled 2, got 20", "pulled 3, got 30"],
      "expected each to be delivered before the next is pulled")
    token.dispose()

    let few = Seen<Int>()
    let taken = CountedNumbers(1...1_000_000, pulls: few).flow.take(2).subscribe { _ in }
    #expect(few.all == [1, 2], "expected take to stop the pulling")
    taken.dispose()
  }

  @Test("OP-08 an iterator that calls back finds no lock held")
  func op08CallsBack() {
    let box = Box<Subscription>()
    let recorder = Recorder<Int, Never> { recorder, _ in
      box.value = recorder.subscription
      return .more
    }
    let isDone = Threads.finishes {
      recorder.subscribe(to: DisposingSequence(box: box).flow.observe(on: ImmediateScheduler()))
    }
    #expect(isDone, "expected no deadlock")
    #expect(recorder.transcript == ["1"], "expected the iterator's dispose to stop the stream")
  }

  @Test("skip, take and startWith with nothing")
  func edges() {
    let recorders = (0..<4).map { _ in Recorder<Int, Never>() }
    recorders[0].subscribe(to: (1...3).flow.skip(0))
    recorders[1].subscribe(to: (1...3).flow.skip(5))
    recorders[2].subscribe(to: (1...3).flow.take(5))
    recorders[3].subscribe(to: (1...3).flow.startWith([]))
    #expect(recorders[0].transcript == ["1", "2", "3", "finished"], "expected all")
    #expect(recorders[1].transcript == ["finished"], "expected the finish alone")
    #expect(recorders[2].transcript == ["1", "2", "3", "finished"], "expected the source's end")
    #expect(recorders[3].transcript == ["1", "2", "3", "finished"], "expected the source alone")
  }

  @Test("tap sees the start, the values and the end, before the observer, but no dispose")
  func tap() {
    let log = Seen<String>()
    let subject = PublishSubject<Int, Problem>()
    let flow = subject.tap(
      onStart: { log.add("start") }, onValue: { log.add("tap \($0)") },
      onEnd: { log.add("tap \($0)") })
    let first = flow.subscribe(onValue: { log.add("\($0)") }, onEnd: { log.add("\($0)") })
    subject.send(1)
    first.dispose()
    #expect(log.all == ["start", "tap 1", "1"], "expected no end for a dispose")
    let second = flow.subscribe(onValue: { _ in }, onEnd: { log.add("\($0)") })
    subject.fail(.first)
    #expect(
      log.all.dropFirst(3).map { $0.prefix(10) } == ["start", "tap failed", "failed(Fre"],
      "expected tap to see the failure first")
    second.dispose()
  }
}

/// Disposes of the subscription that pulls it, when pulled for the second time.
private struct DisposingSequence: Sequence, IteratorProtocol, Sendable {
  let box: Box<Subscription>
  var count = 0

  mutating func next() -> Int? {
    count += 1
    box.value?.dispose()
    return count < 100 ? count : nil
  }
}
