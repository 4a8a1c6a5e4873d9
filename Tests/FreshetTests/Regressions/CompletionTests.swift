import Dispatch
import Freshet
import FreshetTesting
import Testing

@Suite("CC: completion, dispose, after the end")
struct CompletionTests {
  @Test("CC-01 nothing after a dispose, which is idempotent")
  func cc01() {
    let source = ScriptedSource<Int, Never>(.unruly)
    let log = Seen<String>()
    let token = source.subscribe(onValue: { log.add("\($0)") }, onEnd: { log.add("\($0)") })
    source.send(1)
    token.dispose()
    token.dispose()
    source.send(2)
    source.finish()
    #expect(log.all == ["1"], "expected nothing after the dispose")
    #expect(source.log.disposals == 1, "expected the source to be disposed of once")
    source.release()
  }

  @Test("CC-01 resuming after a dispose does nothing")
  func cc01Resume() {
    let recorder = Recorder<Int, Never> { _, _ in .pause }
    let handles = [
      recorder.subscribe(to: (0..<10).flow),
      Recorder<Int, Never> { _, _ in .pause }.subscribe(to: (0..<10).flow.merge(with: Empty())),
      Recorder<Int, Never> { _, _ in .pause }
        .subscribe(to: (0..<10).flow.observe(on: ImmediateScheduler())),
      Recorder<Int, Never> { _, _ in .pause }.subscribe(to: (0..<10).flow.share()),
    ]
    for handle in handles {
      handle.dispose()
      for _ in 0..<5 { handle.resume() }
      #expect(handle.isDisposed, "expected the handle to stay closed")
    }
    #expect(recorder.values == [0], "expected only the value before the dispose")
  }

  @Test("CC-03 an end needs nobody to ask for it")
  func cc03() {
    for end in [End<Problem>.finished, .failed(.first)] {
      let subject = PublishSubject<Int, Problem>()
      let recorders = (0..<4).map { _ in Recorder<Int, Problem> { _, _ in .pause } }
      recorders[0].subscribe(to: subject)
      recorders[1].subscribe(to: subject.merge(with: Empty()))
      recorders[2].subscribe(to: subject.observe(on: ImmediateScheduler()))
      recorders[3].subscribe(to: subject.share())
      subject.send(1)
      if case .failed(let failure) = end { subject.fail(failure) } else { subject.finish() }
      for recorder in recorders.dropLast(2) + [recorders[3]] {
        #expect(recorder.end == end, "expected the end although the observer had paused")
      }
      // A buffer hands the end over in order; it does not need the observer's consent either,
      // only that values before it have gone.
      recorders[2].resume()
      #expect(recorders[2].end == end, "expected the end after the values")
    }
  }

  @Test("CC-04 subscribing to a subject that has ended")
  func cc04() {
    for fails in [true, false] {
      let publish = PublishSubject<Int, Problem>()
      let current = BehaviorSubject<Int, Problem>(0)
      publish.send(1)
      current.send(1)
      if fails {
        publish.fail(.first)
        current.fail(.first)
      } else {
        publish.finish()
        current.finish()
      }
      let expected = [fails ? "failed(first)" : "finished"]
      let late = (Recorder<Int, Problem>(), Recorder<Int, Problem>())
      late.0.subscribe(to: publish)
      late.1.subscribe(to: current)
      #expect(late.0.transcript == expected, "expected the end alone")
      #expect(late.1.transcript == expected, "expected the end alone, without the last value")
      #expect(current.value == 1, "expected the last value to stay readable")
    }
  }

  @Test("CC-06 no end after a dispose, and no dispose after an end")
  func cc06() {
    let disposed = ScriptedSource<Int, Never>(.unruly)
    let log = Seen<String>()
    let token = disposed.map { $0 }.tap(onEnd: { _ in log.add("tap") })
      .subscribe(onValue: { _ in }, onEnd: { _ in log.add("end") })
    token.dispose()
    disposed.finish()
    #expect(log.all == [], "expected no end after the dispose")
    disposed.release()

    let ended = ScriptedSource<Int, Never>()
    let other = ended.map { $0 }.subscribe { _ in }
    ended.finish()
    other.dispose()
    #expect(ended.log.disposals == 0, "expected no dispose of a source that had ended")
  }

  @Test("CC-07 releasing closures on dispose may run user code")
  func cc07() {
    final class Owner: Sendable {
      let subject: PublishSubject<Int, Never>
      init(_ subject: PublishSubject<Int, Never>) { self.subject = subject }
      deinit {
        subject.send(7)
        subject.finish()
      }
    }
    func check(
      _ name: String, _ subscribe: @Sendable (PublishSubject<Int, Never>, Owner) -> Disposable
    ) {
      let subject = PublishSubject<Int, Never>()
      let token = subscribe(subject, Owner(subject))
      let isDone = Threads.finishes { token.dispose() }
      #expect(isDone, "\(name): expected dispose() to return")
      let late = Recorder<Int, Never>()
      late.subscribe(to: subject)
      #expect(late.hasEnded, "\(name): expected the deinit to have finished the subject")
    }
    check("subject") { subject, owner in subject.subscribe { _ in _ = owner } }
    check("map") { subject, owner in
      subject.map { [owner] in
        _ = owner
        return $0
      }.subscribe { _ in }
    }
    check("merge") { subject, owner in
      subject.merge(with: NeverFlow()).subscribe { _ in _ = owner }
    }
    check("flatMap") { subject, owner in
      subject.flatMap { [owner] value in
        _ = owner
        return Just(value)
      }.subscribe { _ in }
    }
    check("share") { subject, owner in subject.share().subscribe { _ in _ = owner } }
    check("observe(on:)") { subject, owner in
      subject.observe(on: ImmediateScheduler()).subscribe { _ in _ = owner }
    }
    check("single") { subject, owner in
      Single<Int, Never> { resolver in Disposable { _ = (owner, resolver) } }.subscribe { _ in }
    }
  }

  @Test("CC-09 observe(on:) keeps order on a concurrent queue")
  func cc09() async {
    let scheduler = QueueScheduler(DispatchQueue(label: "concurrent", attributes: .concurrent))
    for round in 0..<200 {
      var values: [Int] = []
      for await value in (0..<3).flow.observe(on: scheduler).values { values.append(value) }
      #expect(values == [0, 1, 2], "round \(round): expected the values in order, then the finish")
    }
  }

  @Test("CC-10 observe(on:) lets no failure overtake values")
  func cc10() throws {
    let scheduler = VirtualScheduler()
    let subject = PublishSubject<Int, Problem>()
    let recorder = Recorder<Int, Problem>()
    recorder.subscribe(to: subject.observe(on: scheduler))
    subject.send(1)
    subject.send(2)
    subject.fail(.first)
    try scheduler.run()
    #expect(recorder.transcript == ["1", "2", "failed(first)"], "expected the values first")
  }

  @Test("CC-12 start comes before everything, also on failure")
  func cc12() {
    let recorders = (0..<9).map { _ in Recorder<Int, Problem>() }
    recorders[0].subscribe(to: Fail(.first))
    recorders[1].subscribe(to: Empty())
    recorders[2].subscribe(
      to: Fail<Int, Problem>(.first).catchError { _ in Fail<Int, Problem>(.second) })
    recorders[3].subscribe(to: Single.fail(.first))
    recorders[4].subscribe(to: Fail<Int, Problem>(.first).merge(with: Fail(.second)))
    recorders[5].subscribe(to: Fail<Int, Problem>(.first).flatMap { _ in NeverFlow() })
    recorders[6].subscribe(to: Fail<Int, Problem>(.first).share())
    recorders[7].subscribe(to: Fail<Int, Problem>(.first).observe(on: ImmediateScheduler()))
    recorders[8].subscribe(to: Fail<Int, Problem>(.first).startWith(0).take(0))
    for recorder in recorders {
      #expect(recorder.violations == [], "expected start, then at most one end")
      #expect(recorder.hasEnded, "expected an end")
    }
  }

  @Test("CC-13 a second start is disposed of, the first lives")
  func cc13() {
    let source = ScriptedSource<Int, Never>(.unruly)
    let log = Seen<String>()
    let token = source.take(2).subscribe(
      onValue: { log.add("\($0)") }, onEnd: { log.add("\($0)") })
    source.send(1)
    let areDisposed = source.startAgain().map(\.isDisposed)
    #expect(areDisposed == [true], "expected the second handle to be disposed of")
    source.send(2)
    #expect(log.all == ["1", "2", "finished"], "expected the first subscription to live on")
    source.release()
    token.dispose()
  }
}
