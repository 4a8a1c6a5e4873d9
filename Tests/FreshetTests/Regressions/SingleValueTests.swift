import Freshet
import FreshetTesting
import Testing

@Suite("FU: Single and Promise")
struct SingleValueTests {
  @Test("FU-01 a promise starts at once and once; everybody gets the same value")
  func fu01() {
    let runs = Seen<Int>()
    let promise = Promise<Int, Never> { promise in
      runs.add(1)
      promise.resolve(7)
    }
    #expect(runs.count == 1, "expected the work to start without an observer")
    let recorders = (0..<3).map { _ in Recorder<Int, Never>() }
    for recorder in recorders { recorder.subscribe(to: promise) }
    #expect(runs.count == 1, "expected one run for three observers")
    for recorder in recorders {
      #expect(recorder.transcript == ["7", "finished"], "expected the value, remembered")
    }
  }

  @Test("FU-01 a single does its work once per subscription, and not before")
  func fu01Single() {
    let runs = Seen<Int>()
    let single = Single<Int, Never>(calling: {
      runs.add(1)
      return runs.count
    })
    #expect(runs.count == 0, "expected no work before the subscription")
    let recorders = [Recorder<Int, Never>(), Recorder<Int, Never>()]
    for recorder in recorders { recorder.subscribe(to: single) }
    #expect(recorders.map(\.values) == [[1], [2]], "expected one run each")
  }

  @Test("FU-03 a failure needs nobody to ask for it")
  func fu03() {
    let promise = Promise<Int, Problem>()
    let recorder = Recorder<Int, Problem> { _, _ in .pause }
    recorder.subscribe(to: promise)
    promise.fail(.first)
    #expect(recorder.transcript == ["failed(first)"], "expected the failure at once")
    #expect(promise.resolve(1) == false, "expected the first decision to stay")
  }

  @Test("FU-04 disposing of one observer does not disturb the others")
  func fu04() {
    let promise = Promise<Int, Never>()
    let leaving = Recorder<Int, Never>()
    let staying = Recorder<Int, Never>()
    leaving.subscribe(to: promise)
    staying.subscribe(to: promise)
    leaving.dispose()
    promise.resolve(1)
    #expect(leaving.events.isEmpty, "expected nothing for the one that left")
    #expect(staying.transcript == ["1", "finished"], "expected the value for the other")
  }

  @Test("FU-06 a promise that is let go undecided finishes, so that nobody hangs")
  func fu06() async {
    let recorder = Recorder<Int, Never>()
    do {
      let promise = Promise<Int, Never>()
      recorder.subscribe(to: promise)
    }
    #expect(recorder.transcript == ["finished"], "expected a finish without a value")

    await #expect(throws: NoValueError.self, "expected an error, not a hang") {
      try await Single<Int, Never> { _ in nil }.value()
    }
  }

  @Test("FU the first answer of a single counts, and its token is disposed of")
  func firstAnswer() {
    let disposed = Seen<Int>()
    let later = Box<Single<Int, Problem>.Resolver>()
    let single = Single<Int, Problem> { resolver in
      later.value = resolver
      return Disposable { disposed.add(1) }
    }
    let recorder = Recorder<Int, Problem>()
    recorder.subscribe(to: single)
    later.value?.succeed(1)
    later.value?.succeed(2)
    later.value?.fail(.first)
    #expect(recorder.transcript == ["1", "finished"], "expected the first answer only")
    #expect(disposed.count == 1, "expected the token of the work to be disposed of once")

    let left = Recorder<Int, Problem>()
    left.subscribe(to: single)
    left.dispose()
    later.value?.succeed(3)
    #expect(left.events.isEmpty, "expected no answer after the dispose")
    #expect(disposed.count == 2, "expected the work to be told")
  }

  @Test("a promise resolved on many threads has one value")
  func race() {
    for round in 0..<100 {
      let promise = Promise<Int, Never>()
      let recorders = (0..<4).map { _ in Recorder<Int, Never>() }
      Threads.concurrently(8) { thread in
        if thread < 4 {
          promise.resolve(thread)
        } else {
          recorders[thread - 4].subscribe(to: promise)
        }
      }
      let values = Set(recorders.map(\.transcript))
      #expect(values.count == 1, "round \(round): expected the same for all, got \(values)")
      #expect(values.first?.last == "finished", "round \(round): expected a finish")
    }
  }
}
