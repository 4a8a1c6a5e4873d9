import Freshet
import FreshetTesting
import Testing

@Suite("ML: memory")
struct MemoryTests {
  @Test("ML-02 letting go of the token disposes")
  func ml02() {
    let source = ScriptedSource<Int, Never>()
    let seen = Seen<Int>()
    do {
      let token = source.subscribe { seen.add($0) }
      source.send(1)
      _ = token
    }
    source.send(2)
    #expect(seen.all == [1], "expected nothing after the token has gone")
    #expect(source.log.disposals == 1, "expected the source to be disposed of")
  }

  @Test("ML-02 a token in a token disposes once")
  func ml02Nested() {
    let count = Seen<Int>()
    do {
      let inner = Disposable { count.add(1) }
      let outer = Disposable { inner.dispose() }
      outer.dispose()
      outer.dispose()
    }
    #expect(count.count == 1, "expected one dispose")
  }

  @Test("ML-06 the order of an owner's properties does not matter")
  func ml06() {
    final class BagFirst: Sendable {
      let bag = DisposeBag()
      let subject = BehaviorSubject<Int, Never>(0)
      let token: LeakProbe.Token
      init(_ token: LeakProbe.Token) {
        self.token = token
        subject.subscribe { [weak self] _ in _ = self }.store(in: bag)
      }
    }
    final class SubjectFirst: Sendable {
      let subject = BehaviorSubject<Int, Never>(0)
      let token: LeakProbe.Token
      let bag = DisposeBag()
      init(_ token: LeakProbe.Token) {
        self.token = token
        subject.subscribe { [weak self] _ in _ = self }.store(in: bag)
      }
    }
    let probe = LeakProbe()
    do {
      let first = BagFirst(probe.token("bag first"))
      let second = SubjectFirst(probe.token("subject first"))
      first.subject.send(1)
      second.subject.send(1)
    }
    #expect(probe.alive.isEmpty, "expected both owners to be released")
  }

  @Test("ML-08 a bag does not keep what short streams have captured")
  func ml08() {
    let probe = LeakProbe()
    let bag = DisposeBag()
    for number in 0..<10_000 {
      let token = probe.token()
      let subject = PublishSubject<Int, Never>()
      Just(number).subscribe { _ in token.pass(()) }.store(in: bag)
      Single<Int, Never>.just(number).subscribe { _ in token.pass(()) }.store(in: bag)
      subject.merge(with: Empty()).subscribe { _ in token.pass(()) }.store(in: bag)
      subject.finish()
    }
    #expect(probe.alive.count == 0, "expected everything captured to go at the finish")
    bag.dispose()
  }

  @Test("ML-09 flatMap releases finished inner flows")
  func ml09() {
    let probe = LeakProbe()
    let source = PublishSubject<Int, Never>()
    let recorder = Recorder<Int, Never>()
    recorder.subscribe(
      to: source.flatMap { number in
        let token = probe.token()
        return Just(number).map { token.pass($0) }
      })
    for number in 0..<1000 { source.send(number) }
    #expect(probe.alive.count == 0, "expected no inner flow to be kept while the source runs")
    #expect(recorder.valueCount == 1000, "expected all values")
    recorder.dispose()
  }

  @Test("ML-09 switchMap releases the inner flow it leaves")
  func ml09Switch() {
    let probe = LeakProbe()
    let source = PublishSubject<Int, Never>()
    let recorder = Recorder<Int, Never>()
    recorder.subscribe(
      to: source.switchMap { _ in
        let token = probe.token()
        return NeverEnding().map { token.pass($0) }
      })
    for number in 0..<100 { source.send(number) }
    #expect(probe.alive.count == 1, "expected only the latest to be kept")
    recorder.dispose()
    #expect(probe.alive.count == 0, "expected nothing to be kept")
  }

  @Test("ML-11 a subject nobody keeps goes silently, and takes its observers along")
  func ml11() {
    let log = Seen<String>()
    let probe = LeakProbe()
    let handle: Subscription
    do {
      let subject = PublishSubject<Int, Never>()
      let token = probe.token()
      let recorder = Recorder<Int, Never> { _, _ in token.pass(.more) }
      handle = recorder.subscribe(to: subject)
      subject.send(1)
      log.add("\(recorder.transcript)")
    }
    #expect(log.all == ["[\"1\"]"], "expected no end")
    #expect(handle.isDisposed, "expected the handle to be closed")
  }

  @Test("a bag that was disposed of disposes of what comes late")
  func lateToken() {
    let bag = DisposeBag()
    bag.dispose()
    let count = Seen<Int>()
    bag.insert(Disposable { count.add(1) })
    #expect(count.count == 1, "expected a late token to be disposed of at once")
  }
}

/// Keeps its observer and never says anything.
private struct NeverEnding: Flow {
  typealias Element = Int
  typealias Failure = Never

  func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Int, O.Failure == Never {
    let source = ScriptedSource<Int, Never>()
    return source.subscribe(observer)
  }
}
