import Freshet
import FreshetTesting
import Testing

@Suite("ST: stack depth")
struct StackDepthTests {
  /// A chain of erased stages: each is a place of its own, so its length is what the stack bears.
  private func chain(_ length: Int) -> AnyFlow<Int, Never> {
    var flow = Just(0).erased()
    for _ in 0..<length { flow = flow.map { $0 + 1 }.erased() }
    return flow
  }

  @Test("ST-01 a chain of stages is as long as docs/stream-contract.md says it may be")
  func st01() {
    // What is made when it is used for the first time, types and symbols, takes stack of its own
    // wherever that happens. Here it happens at the top, whatever has run before.
    #expect(passed(3, on: 512) == 3)
    #expect(passed(300, on: 512) == 300, "expected every stage to have been passed")
    // The promise is 390 on 512 KiB: 300 need less than that, so the test has a margin.
    #expect(passed(300, on: 448) == 300, "expected the stages to need no more than they say")
  }

  private func passed(_ length: Int, on kibibytes: Int) -> Int {
    let result = Box(0)
    Threads.onSmallStack(kibibytes: kibibytes) {
      let recorder = Recorder<Int, Never>()
      recorder.subscribe(to: chain(length))
      result.value = recorder.values.first ?? -1
    }
    return result.value ?? -1
  }

  @Test("ST-08 releasing a chain of stages")
  func st08() {
    let probe = LeakProbe()
    Threads.onSmallStack {
      var flow: AnyFlow<Int, Never>? = {
        let token = probe.token()
        return Just(0).map { token.pass($0) }.erased()
      }()
      for _ in 0..<100 { flow = flow.map { $0.merge(with: Empty()).erased() } }
      let subject = PublishSubject<Int, Never>()
      let recorder = Recorder<Int, Never>()
      recorder.subscribe(to: flow!.merge(with: subject))
      flow = nil
      recorder.dispose()
    }
    #expect(probe.alive.isEmpty, "expected the whole chain to be released")
  }

  @Test("ST-04 a hundred thousand attempts that fail at once")
  func st04() {
    let attempts = Counter()
    let result = Box<[String]>()
    Threads.onSmallStack {
      let recorder = Recorder<Int, Problem>()
      recorder.subscribe(
        to: Deferred {
          attempts.next()
          return Fail<Int, Problem>(.first)
        }.retry(100_000))
      result.value = recorder.transcript
    }
    #expect(attempts.value == 100_001, "expected the first attempt and so many more")
    #expect(result.value == ["failed(first)"])
  }

  @Test("ST-05 a hundred thousand flows that end at once, one after the other")
  func st05() {
    let result = Box(0)
    Threads.onSmallStack {
      let recorder = Recorder<Int, Never>()
      let pieces = (0..<50_000).map { Just($0) }
      recorder.subscribe(
        to: pieces.concatenated().concat((0..<50_000).flow.concatMap { Just($0) }))
      result.value = recorder.valueCount
    }
    #expect(result.value == 100_000)
  }

  @Test("ST-06 a zip of twenty thousand flows")
  func st06() {
    let result = Box(0)
    Threads.onSmallStack {
      let recorder = Recorder<[Int], Never>()
      recorder.subscribe(to: (0..<20_000).map { Just($0) }.zipped())
      result.value = recorder.values.first?.count ?? 0
    }
    #expect(result.value == 20_000)
  }

  @Test("ST-07 a hundred thousand values that are sent from inside the one before")
  func st07() {
    let result = Box(0)
    Threads.onSmallStack {
      let subject = PublishSubject<Int, Never>()
      let recorder = Recorder<Int, Never> { _, value in
        if value < 100_000 { subject.send(value + 1) }
        return .more
      }
      recorder.subscribe(to: subject.merge(with: Empty()))
      subject.send(1)
      recorder.dispose()
      result.value = recorder.valueCount
    }
    #expect(result.value == 100_000)
  }

  @Test("a hundred thousand values through every kind of stage at once")
  func values() {
    let result = Box(0)
    Threads.onSmallStack {
      let recorder = Recorder<Int, Never> { recorder, _ in
        recorder.resume()
        return .pause
      }
      recorder.subscribe(
        to: (0..<100_000).flow.map { $0 }.share().merge(with: Empty())
          .observe(on: ImmediateScheduler(), capacity: 16).flatMap(maxConcurrent: 1) { Just($0) })
      result.value = recorder.valueCount
    }
    #expect(result.value == 100_000, "expected every value")
  }

  @Test("a hundred thousand observers that come and go from inside a delivery")
  func observers() {
    let result = Box(0)
    Threads.onSmallStack {
      let subject = PublishSubject<Int, Never>()
      let count = Box(0)
      let recorder = Recorder<Int, Never> { _, value in
        subject.subscribe { _ in }.dispose()
        count.value = value
        if value < 100_000 { subject.send(value + 1) }
        return .more
      }
      recorder.subscribe(to: subject)
      subject.send(1)
      recorder.dispose()
      result.value = count.value
    }
    #expect(result.value == 100_000, "expected a flat stack")
  }
}
