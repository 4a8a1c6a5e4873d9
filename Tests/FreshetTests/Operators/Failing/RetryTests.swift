import Freshet
import FreshetTesting
import Testing

@Suite("retry")
struct RetryTests {
  @Test("RT-01 retry(3) is three more, four in all")
  func count() {
    let source = ScriptedSource<Int, Problem>(playing: [1], end: .failed(.first))
    let recorder = Recorder<Int, Problem>()
    recorder.subscribe(to: source.retry(3))
    #expect(recorder.transcript == ["1", "1", "1", "1", "failed(first)"])
    #expect(source.log.subscriptions == 4)
    let none = Recorder<Int, Problem>()
    none.subscribe(to: source.retry(0))
    #expect(none.transcript == ["1", "failed(first)"])
  }

  @Test("RT-03 values of failed attempts stay")
  func values() {
    let tries = Counter()
    let recorder = Recorder<Int, Problem>()
    recorder.subscribe(
      to: Deferred {
        tries.next() == 1
          ? ScriptedSource<Int, Problem>(playing: [1, 2], end: .failed(.first))
          : ScriptedSource(playing: [1, 2, 3])
      }.retry(5))
    #expect(recorder.transcript == ["1", "2", "1", "2", "3", "finished"])
  }

  @Test("RT-04 100 000 failures at once stay flat and are counted exactly")
  func flat() {
    Threads.onSmallStack {
      let tries = Counter()
      let source = Deferred { () -> Fail<Int, Problem> in
        tries.next()
        return Fail(.first)
      }
      let recorder = Recorder<Int, Problem>()
      recorder.subscribe(to: source.retry(100_000))
      #expect(recorder.transcript == ["failed(first)"])
      #expect(tries.value == 100_001)
    }
  }

  @Test("RT-06 retry of a promise does its work once; of a deferred one anew")
  func promise() {
    let runs = Counter()
    let recorder = Recorder<Int, Problem>()
    let promise = Promise<Int, Problem> { promise in
      runs.next()
      promise.fail(.first)
    }
    let subscriptions = Counter()
    recorder.subscribe(to: promise.tap(onStart: { subscriptions.next() }).retry(3))
    #expect(recorder.transcript == ["failed(first)"])
    #expect(runs.value == 1)
    #expect(subscriptions.value == 4)
    let deferred = Recorder<Int, Problem>()
    deferred.subscribe(
      to: Deferred {
        Promise<Int, Problem> { promise in
          runs.next()
          promise.fail(.first)
        }
      }.retry(3))
    #expect(runs.value == 5)
  }

  @Test("RT-07 the count belongs to the subscription")
  func countPerSubscription() {
    let source = ScriptedSource<Int, Problem>(playing: [], end: .failed(.first))
    let flow = source.retry(2)
    for round in 1...2 {
      let recorder = Recorder<Int, Problem>()
      recorder.subscribe(to: flow)
      #expect(source.log.subscriptions == 3 * round)
    }
  }

  @Test("DM-10 an observer that pauses goes on over the attempts")
  func pausing() {
    let source = ScriptedSource<Int, Problem>(playing: [1, 2], end: .failed(.first))
    let recorder = Recorder<Int, Problem> { _, _ in .pause }
    recorder.subscribe(to: source.retry(3))
    for round in 1...8 {
      #expect(recorder.valueCount == round)
      recorder.resume()
    }
    #expect(recorder.values == [1, 2, 1, 2, 1, 2, 1, 2])
    #expect(recorder.hasEnded)
    #expect(recorder.violations == [])
  }

  @Test("a predicate lets other failures through")
  func predicate() {
    let tries = Counter()
    let recorder = Recorder<Int, Problem>()
    recorder.subscribe(
      to: Deferred { Fail<Int, Problem>(tries.next() < 3 ? .first : .second) }
        .retry { $0 == .first })
    #expect(recorder.transcript == ["failed(second)"])
    #expect(tries.value == 3)
  }

  @Test("after growing pauses")
  func backOff() throws {
    let time = VirtualScheduler()
    let source = try time.cold("1#")
    let flow = source.retry(3, after: .exponential(from: .ticks(1)), on: time)
    #expect(try time.difference(of: flow, from: "1-1--1----1#") == nil)
    #expect(source.starts == [0, 2, 5, 10])
    let capped = VirtualScheduler()
    let cold = try capped.cold("#")
    let backOff = BackOff.exponential(from: .ticks(2), factor: 3, upTo: .ticks(10))
    _ = try capped.record(cold.retry(4, after: backOff, on: capped))
    #expect(cold.starts == [0, 2, 8, 18, 28])
  }

  @Test("a dispose during the pause calls the next attempt off")
  func disposeDuringPause() throws {
    let time = VirtualScheduler()
    let source = try time.cold("#")
    let flow = source.retry(3, after: .constant(.ticks(5)), on: time)
    #expect(try time.difference(of: flow, from: "", limit: 3) == nil)
    #expect(source.starts == [0])
    #expect(time.pendingCount == 0)
  }

  @Test("the pauses of a back-off: limit, jitter, many attempts, no pause")
  func pauses() {
    let exponential = BackOff.exponential(from: .milliseconds(100), upTo: .seconds(2))
    #expect(
      (1...6).map { exponential.pause(before: $0) } == [
        .milliseconds(100), .milliseconds(200), .milliseconds(400), .milliseconds(800),
        .milliseconds(1600), .seconds(2),
      ])
    #expect(exponential.pause(before: .max) == .seconds(2))
    let half = BackOff.constant(.seconds(4), jitter: 0.5, random: { 0.5 })
    #expect(half.pause(before: 1) == .seconds(3))
    let none = BackOff.constant(.seconds(4), jitter: 1, random: { 0 })
    #expect(none.pause(before: 1) == .seconds(4))
    let shrinking = BackOff.exponential(from: .seconds(4), factor: 0.5)
    #expect(shrinking.pause(before: 3) == .seconds(1))
    #expect(BackOff.constant(.zero).pause(before: 1) == .zero)
    #expect(BackOff.exponential(from: .seconds(100)).pause(before: 1) == .seconds(60))
  }

  @Test("an unruly source is retried once per failure")
  func unruly() {
    let source = ScriptedSource<Int, Problem>(.unruly)
    let recorder = Recorder<Int, Problem>()
    recorder.subscribe(to: source.take(100).retry(5))
    source.fail(.first)
    // Both attempts are told now; the first has ended.
    source.fail(.first)
    #expect(source.log.subscriptions == 3)
    source.send(7)
    #expect(recorder.transcript == ["7"])
    recorder.dispose()
    source.release()
  }

  @Test("a dispose from inside a value stops the attempts")
  func disposeInside() {
    let source = ScriptedSource<Int, Problem>(playing: [1], end: .failed(.first))
    let recorder = Recorder<Int, Problem> { recorder, _ in
      if recorder.valueCount == 3 { recorder.dispose() }
      return .more
    }
    recorder.subscribe(to: source.retry())
    #expect(recorder.transcript == ["1", "1", "1"])
    #expect(source.log.subscriptions == 3)
  }

  @Test("retries across threads: every attempt once, in order")
  func threads() async throws {
    let scheduler = QueueScheduler(label: "retry")
    let tries = Counter()
    let source = Deferred {
      Single<Int, Problem> { resolver in
        let number = tries.next()
        scheduler.schedule {
          if number < 500 { resolver.fail(.first) } else { resolver.succeed(number) }
        }
        return nil
      }
    }
    let value = try? await source.retry().firstValue()
    #expect(value == 500)
    #expect(tries.value == 500)
  }
}
