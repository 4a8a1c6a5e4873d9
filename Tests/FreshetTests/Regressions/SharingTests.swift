import Freshet
import FreshetTesting
import Testing

@Suite("SH: share")
struct SharingTests {
  @Test("SH-01 a late observer starts with the next value; the source is subscribed to once")
  func sh01() {
    let source = ScriptedSource<Int, Never>()
    let shared = source.share()
    let a = Recorder<Int, Never>()
    let b = Recorder<Int, Never>()
    a.subscribe(to: shared)
    for number in 1...4 { source.send(number) }
    b.subscribe(to: shared)
    source.send(5)
    #expect(a.values == [1, 2, 3, 4, 5] && b.values == [5], "expected b to get 5 only")
    #expect(source.log.subscriptions == 1, "expected one subscription to the source")
    a.dispose()
    b.dispose()
  }

  @Test("SH-02 over a synchronous source the next observer starts it again")
  func sh02() {
    let source = ScriptedSource<Int, Never>(playing: [1, 2, 3])
    let shared = source.share()
    for run in 1...2 {
      let recorder = Recorder<Int, Never>()
      recorder.subscribe(to: shared)
      #expect(
        recorder.transcript == ["1", "2", "3", "finished"], "run \(run): expected all values")
    }
    #expect(source.log.subscriptions == 2, "expected one run per observer, since each had ended")
  }

  @Test("SH-02 an observer that subscribes again at the end starts the source again")
  func sh02AtEnd() {
    let source = ScriptedSource<Int, Never>()
    let shared = source.share()
    let again = Recorder<Int, Never>()
    let token = shared.subscribe(onValue: { _ in }, onEnd: { _ in again.subscribe(to: shared) })
    source.finish()
    #expect(source.log.subscriptions == 2, "expected a second run")
    source.send(1)
    #expect(again.values == [1], "expected the second run to be served")
    again.dispose()
    token.dispose()
  }

  @Test("SH-05 the source stops when the last observer leaves, and starts again with the next")
  func sh05() {
    let source = ScriptedSource<Int, Never>()
    let shared = source.share()
    for run in 1...3 {
      let recorders = [Recorder<Int, Never>(), Recorder<Int, Never>()]
      for recorder in recorders { recorder.subscribe(to: shared) }
      recorders[0].dispose()
      #expect(source.activeCount == 1, "run \(run): expected the source to run for the other one")
      recorders[1].dispose()
      #expect(source.activeCount == 0, "run \(run): expected the source to be stopped")
      #expect(source.log.subscriptions == run && source.log.disposals == run, "expected one a run")
    }
  }

  @Test("SH-06 concurrent first observers make one subscription")
  func sh06() {
    for round in 0..<50 {
      let source = ScriptedSource<Int, Never>()
      let shared = source.share()
      let recorders = (0..<16).map { _ in Recorder<Int, Never>() }
      Threads.concurrently(16) { recorders[$0].subscribe(to: shared) }
      source.send(1)
      #expect(source.log.subscriptions == 1, "round \(round): expected one subscription")
      #expect(
        recorders.filter { $0.values == [1] }.count == 16, "round \(round): expected all served")
      Threads.concurrently(16) { recorders[$0].dispose() }
      #expect(source.activeCount == 0, "round \(round): expected the source to be stopped")
    }
  }

  @Test("SH-07 subscribing to a behaviour subject while another thread sends: no gap, no double")
  func sh07() {
    for round in 0..<200 {
      let subject = BehaviorSubject<Int, Never>(0)
      let recorder = Recorder<Int, Never>()
      Threads.concurrently(2) { thread in
        if thread == 0 {
          for number in 1...50 { subject.send(number) }
        } else {
          recorder.subscribe(to: subject)
        }
      }
      let values = recorder.values
      #expect(
        values == Array((values.first ?? 0)...50),
        "round \(round): expected the current value and all after it, each once")
      #expect(recorder.violations == [], "round \(round): expected one at a time")
      recorder.dispose()
    }
  }

  @Test("SH-08 the first value is not told under a lock")
  func sh08() {
    let subject = BehaviorSubject<Int, Never>(0)
    let promise = Promise<Int, Never>()
    promise.resolve(1)
    let isDone = Threads.finishes {
      let token = subject.merge(with: promise).subscribe { value in
        // Another thread uses the subject while this one is being told.
        guard value < 2 else { return }
        Threads.concurrently(1) { _ in
          subject.send(2)
          _ = subject.value
          subject.subscribe { _ in }.dispose()
          promise.subscribe { _ in }.dispose()
        }
      }
      token.dispose()
    }
    #expect(isDone, "expected nobody to wait")
  }

  @Test("MU-07 share passes a failure on to everybody and starts afresh")
  func failure() {
    let source = ScriptedSource<Int, Problem>()
    let shared = source.share()
    let recorders = [Recorder<Int, Problem>(), Recorder<Int, Problem>()]
    for recorder in recorders { recorder.subscribe(to: shared) }
    source.send(1)
    source.fail(.first)
    for recorder in recorders {
      #expect(recorder.transcript == ["1", "failed(first)"], "expected the failure")
    }
    let late = Recorder<Int, Problem>()
    late.subscribe(to: shared)
    #expect(source.log.subscriptions == 2, "expected a new run")
    late.dispose()
  }
}
