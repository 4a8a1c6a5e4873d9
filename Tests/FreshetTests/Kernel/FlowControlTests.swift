import Freshet
import FreshetTesting
import Testing

/// Endless cold sources below observers that pause: whoever pulls on without being asked
/// to never returns, so these tests find it out by not finishing or by counting pulls.
@Suite("flow control through kernel operators")
struct FlowControlTests {
  /// Takes ten values by pausing at each; the source may be ahead by a few.
  private func tenFromEndless<Result: Flow>(
    ahead: Int = 4, _ build: (ScriptedSource<Int, Never>) -> Result
  ) -> [Result.Element] {
    let source = ScriptedSource<Int, Never>(generating: { $0 < 10_000 ? $0 : nil }, end: nil)
    let recorder = Recorder<Result.Element, Result.Failure> { _, _ in .pause }
    recorder.subscribe(to: build(source))
    for _ in 0..<9 { recorder.resume() }
    #expect(
      source.log.sent <= recorder.valueCount + ahead,
      "expected the source to be at most \(ahead) values ahead of \(recorder.valueCount)")
    recorder.dispose()
    return recorder.values
  }

  @Test("flatMap does not pull while its observer pauses")
  func flatMap() {
    #expect(
      tenFromEndless { $0.flatMap { Just($0) } } == Array(0..<10),
      "expected each inner value once, in order")
  }

  @Test("an inner flow that ends while the observer pauses does not resume the source")
  func flatMapOneAtATime() {
    #expect(
      tenFromEndless { $0.flatMap(maxConcurrent: 1) { Just($0) } } == Array(0..<10),
      "expected each inner value once, in order")
  }

  @Test("a resumed source does not run ahead of the inner flows it causes")
  func switchMap() {
    #expect(
      tenFromEndless { $0.switchMap { Just($0) } } == Array(0..<10),
      "expected no inner flow to be skipped because the observer had paused")
  }

  @Test("a resumed shared source is not pumped into the backlog")
  func share() {
    #expect(
      tenFromEndless { $0.share() } == Array(0..<10), "expected each value once, in order")
  }

  @Test("share passes a pause on when one of two observers wants one")
  func shareOfTwo() {
    let source = ScriptedSource<Int, Never>(playing: Array(0..<100))
    let shared = Just(-1).merge(with: source).share()
    let fast = Recorder<Int, Never>()
    let slow = Recorder<Int, Never> { _, _ in .pause }
    // The first value goes to the first observer alone and pauses nobody.
    slow.subscribe(to: shared)
    fast.subscribe(to: shared)
    for _ in 0..<200 where !slow.hasEnded { slow.resume() }
    #expect(slow.values == Array(-1..<100), "expected the slow one to miss nothing")
    #expect(fast.values.suffix(10) == Array(90..<100), "expected the fast one to see the rest")
    #expect(fast.hasEnded && slow.hasEnded, "expected both to finish")
  }

  @Test("a paused observer that leaves a share lets the others go on")
  func pausedOneLeaves() {
    let source = ScriptedSource<Int, Never>(playing: Array(0..<100))
    let gate = PublishSubject<Int, Never>()
    let shared = gate.merge(with: source).share()
    let slow = Recorder<Int, Never> { _, _ in .pause }
    slow.subscribe(to: shared)
    let fast = Recorder<Int, Never>()
    fast.subscribe(to: shared)
    slow.dispose()
    #expect(fast.values.last == 99, "expected the source to go on when the paused one had left")
    fast.dispose()
  }

  @Test("an endless source through observe(on:) with a small buffer")
  func observeOn() throws {
    let scheduler = VirtualScheduler()
    let source = ScriptedSource<Int, Never>(generating: { $0 < 10_000 ? $0 : nil }, end: nil)
    let recorder = Recorder<Int, Never>(scheduler: scheduler)
    recorder.subscribe(
      to: source.flatMap { Just($0) }.share().observe(on: scheduler, capacity: 4).take(100))
    try scheduler.run(limit: 1000)
    #expect(recorder.values == Array(0..<100), "expected the first hundred")
    #expect(source.log.sent < 120, "expected the source to be pulled only as needed")
    #expect(source.activeCount == 0, "expected take to stop the source")
  }

  @Test("an end does not wait for an observer that has paused on the last waiting value")
  func endAfterPause() {
    let source = PublishSubject<Int, Never>()
    let recorder = Recorder<Int, Never> { _, _ in .pause }
    recorder.subscribe(to: source.merge(with: Empty()))
    for value in 1...3 { source.send(value) }
    source.finish()
    #expect(recorder.transcript == ["1"], "expected the rest to wait")
    recorder.resume()
    #expect(recorder.transcript == ["1", "2"], "expected one more")
    recorder.resume()
    #expect(
      recorder.transcript == ["1", "2", "3", "finished"], "expected the end with the last value")
  }

  @Test("a cold source that sends while another thread delivers is paused at a crowd")
  func crowd() {
    let busy = PublishSubject<Int, Never>()
    let start = PublishSubject<Void, Never>()
    let cold = ScriptedSource<Int, Never>(generating: { $0 < 20_000 ? $0 : nil }, end: .finished)
    let ahead = Box(0)
    let seen = Seen<Int>()
    let token = busy.merge(with: start.flatMap { cold }).subscribe { value in
      guard value == -1 else { return seen.add(value) }
      // While this delivery lasts the cold source runs on another thread.
      Threads.concurrently(1) { _ in start.send(()) }
      ahead.value = cold.log.sent
    }
    busy.send(-1)
    #expect((1000...1100).contains(ahead.value ?? 0), "expected a pause at some 1024 values")
    #expect(seen.all == Array(0..<20_000), "expected every value in the end, in order")
    token.dispose()
  }

  @Test("a subject that is sent to during one long delivery answers with a pause at a crowd")
  func crowdedSubject() {
    let subject = PublishSubject<Int, Never>()
    let answers = Seen<Answer>()
    let count = Counter()
    let token = subject.subscribe { value in
      count.next()
      guard value == -1 else { return }
      for number in 0..<2048 { answers.add(subject.send(number)) }
    }
    subject.send(-1)
    #expect(
      answers.all.enumerated().filter { $0.element == .pause }.map(\.offset) == [1023, 2046],
      "expected a pause with each 1024th event that waits")
    #expect(count.value == 2049, "expected nothing to be lost by a sender that goes on")
    token.dispose()
  }

  @Test("a hot value in the backlog does not make the kernel forget a real pause")
  func pauseIsNotForgotten() {
    // `shared` carries a cold source, which parks, and a hot one, which cannot.
    let hot = PublishSubject<Int, Never>()
    let cold = ScriptedSource<Int, Never>(playing: Array(100..<110))
    let other = PublishSubject<Int, Never>()
    let recorder = Recorder<Int, Never> { _, value in
      if value == 1 { hot.send(2) }  // Re-entrant: it waits in the backlog.
      return .pause
    }
    recorder.subscribe(to: other.merge(with: hot.merge(with: cold).share()))
    other.send(1)
    for _ in 0..<20 { recorder.resume() }
    #expect(
      recorder.values.filter { $0 >= 100 } == Array(100..<110),
      "expected the cold source to be resumed to its end")
    #expect(recorder.values.contains(2), "expected the hot value too")
    recorder.dispose()
  }

  @Test("a source whose value waited in the backlog was not told to pause, and is not resumed")
  func notPausedIsNotResumed() {
    let first = ScriptedSource<Int, Never>()
    let second = ScriptedSource<Int, Never>()
    let answers = Seen<Answer>()
    let recorder = Recorder<Int, Never> { _, value in
      if value == 1 { second.send(2).forEach { answers.add($0) } }
      return .pause
    }
    recorder.subscribe(to: first.merge(with: second))
    #expect(first.send(1) == [.pause])
    #expect(answers.all == [.more], "expected the value to wait in the backlog")
    recorder.resume()
    recorder.resume()
    #expect(recorder.values == [1, 2])
    #expect(first.log.resumes == 1, "expected the one that was told to pause to be resumed")
    #expect(second.log.resumes == 0, "expected no resume without a pause")
    recorder.dispose()
  }

  @Test("a flow that came out of another is let go before that one")
  func innerGoesFirst() {
    let outer = PublishSubject<Int, Never>()
    let inner = PublishSubject<Int, Never>()
    let gone = Seen<String>()
    let token = outer.finally { _ in gone.add("outer") }
      .flatMap { value in inner.finally { _ in gone.add("inner \(value)") } }
      .subscribe { _ in }
    outer.send(1)
    outer.send(2)
    token.dispose()
    #expect(gone.all == ["inner 2", "inner 1", "outer"])
  }
}
