import Freshet
import FreshetTesting
import Testing

@Suite("FM and SW: flatMap and switchMap")
struct FlatteningTests {
  @Test("FM-01 maxConcurrent pauses the source, and each end of an inner flow asks for one more")
  func fm01() {
    let source = ScriptedSource<Int, Never>(playing: Array(0..<10))
    let inners = (0..<10).map { _ in ScriptedSource<String, Never>() }
    let recorder = Recorder<String, Never>()
    recorder.subscribeWithoutPausing(to: source.flatMap(maxConcurrent: 2) { inners[$0] })
    #expect(source.log.sent == 2, "expected two values to be asked for")
    inners[0].finish()
    #expect(source.log.sent == 3, "expected one more when one inner flow has finished")
    inners[1].finish()
    inners[2].finish()
    #expect(source.log.sent == 5, "expected one more for each")
    recorder.dispose()
    #expect(inners[3].activeCount + inners[4].activeCount == 0, "expected the inner ones to go")
    #expect(source.activeCount == 0, "expected the source to go")
  }

  @Test("FM-02 one at a time means one after the other, not ignoring while busy")
  func fm02() throws {
    let scheduler = VirtualScheduler()
    let recorder = Recorder<String, Never>(scheduler: scheduler)
    recorder.subscribe(
      to: (1...3).flow.flatMap(maxConcurrent: 1) { number in
        Single<String, Never> { resolver in
          scheduler.schedule(after: .milliseconds(3)) { resolver.succeed("v\(number)") }
        }
      })
    try scheduler.run()
    #expect(
      recorder.transcript == ["v1@3.0", "v2@6.0", "v3@9.0", "finished@9.0"],
      "expected all three, three ticks apart")
  }

  @Test("FM-02 inner flows of a hot source wait in order")
  func fm02Hot() {
    let source = PublishSubject<Int, Never>()
    let inners = (0..<3).map { _ in ScriptedSource<Int, Never>() }
    let recorder = Recorder<Int, Never>()
    recorder.subscribe(to: source.flatMap(maxConcurrent: 1) { inners[$0] })
    for number in 0..<3 { source.send(number) }
    source.finish()
    for (number, inner) in inners.enumerated() {
      #expect(inner.log.subscriptions == 1, "expected inner flow \(number) to have its turn")
      inner.send(number)
      inner.finish()
    }
    #expect(recorder.transcript == ["0", "1", "2", "finished"], "expected nothing to be lost")
  }

  @Test("FM-05 the finish waits for inner flows and for values that wait")
  func fm05() {
    let source = ScriptedSource<Int, Never>()
    let inner = ScriptedSource<String, Never>()
    let recorder = Recorder<String, Never> { _, value in value == "a" ? .pause : .more }
    recorder.subscribe(to: source.flatMap { _ in inner })
    source.send(0)
    inner.send("a")
    inner.send("b")
    source.finish()
    inner.finish()
    #expect(recorder.transcript == ["a"], "expected b and the finish to wait")
    recorder.resume()
    #expect(recorder.transcript == ["a", "b", "finished"], "expected them in order")
  }

  @Test("FM-07 a failure while inner flows are being disposed of")
  func fm07() {
    let source = PublishSubject<Int, Problem>()
    let recorder = Recorder<Int, Problem>()
    let failing = ScriptedSource<Int, Problem>()
    recorder.subscribe(
      to: source.flatMap { number in
        number == 0
          ? failing.erased()
          : Single<Int, Problem> { resolver in
            Disposable {
              source.fail(.second)
              resolver.fail(.second)
            }
          }.erased()
      })
    source.send(0)
    source.send(1)
    failing.fail(.first)
    #expect(recorder.transcript == ["failed(first)"], "expected one failure, the first")
    #expect(recorder.violations == [], "expected one end")
  }

  @Test("FM-08 a hundred thousand waiting inner flows that finish at once")
  func fm08() {
    let counts = Box(0)
    Threads.onSmallStack {
      let source = PublishSubject<Int, Never>()
      let first = ScriptedSource<Int, Never>()
      let recorder = Recorder<Int, Never>()
      recorder.subscribe(
        to: source.flatMap(maxConcurrent: 1) { number in
          number == 0 ? first.erased() : Just(number).erased()
        })
      for number in 0...100_000 { source.send(number) }
      source.finish()
      first.finish()
      counts.value = recorder.hasEnded ? recorder.valueCount : -1
    }
    #expect(counts.value == 100_000, "expected all values, the finish and a flat stack")
  }

  @Test("FM-10 a dispose reaches inner flows after the source has finished")
  func fm10() {
    let source = ScriptedSource<Int, Never>()
    let inner = ScriptedSource<Int, Never>()
    let recorder = Recorder<Int, Never>()
    recorder.subscribe(to: source.flatMap { _ in inner })
    source.send(0)
    source.finish()
    recorder.dispose()
    #expect(inner.log.disposals == 1, "expected the running inner flow to be disposed of")
  }

  @Test("SW-02 the inner flow ends first")
  func sw02() {
    let source = ScriptedSource<Int, Never>()
    let inners = [ScriptedSource<String, Never>(), ScriptedSource<String, Never>()]
    let recorder = Recorder<String, Never>()
    recorder.subscribe(to: source.switchMap { inners[$0] })
    source.send(0)
    inners[0].finish()
    #expect(!recorder.hasEnded, "expected nothing until the source ends")
    source.send(1)
    inners[1].send("later")
    inners[1].finish()
    source.finish()
    #expect(recorder.transcript == ["later", "finished"], "expected a later inner flow to work")
  }

  @Test("SW-03 failures")
  func sw03() {
    let source = ScriptedSource<Int, Problem>()
    let inner = ScriptedSource<Int, Problem>()
    let recorder = Recorder<Int, Problem>()
    recorder.subscribe(to: source.switchMap { _ in inner })
    source.send(0)
    inner.fail(.first)
    #expect(recorder.transcript == ["failed(first)"], "expected the inner failure")
    #expect(source.log.disposals == 1, "expected the source to be disposed of")

    let outer = ScriptedSource<Int, Problem>()
    let unruly = ScriptedSource<Int, Problem>(.unruly)
    let other = Recorder<Int, Problem>()
    other.subscribe(to: outer.switchMap { _ in unruly })
    outer.send(0)
    outer.fail(.second)
    unruly.send(9)
    #expect(other.transcript == ["failed(second)"], "expected nothing after the failure")
    #expect(unruly.log.disposals == 1, "expected the inner flow to be disposed of")
    unruly.release()
  }

  @Test("SW-05 two inner flows in one tick")
  func sw05() {
    let source = PublishSubject<Int, Never>()
    let inners = [ScriptedSource<String, Never>(), ScriptedSource<String, Never>()]
    let recorder = Recorder<String, Never>()
    recorder.subscribe(to: source.switchMap { inners[$0] })
    source.send(0)
    source.send(1)
    inners[0].send("x")
    inners[1].send("y")
    #expect(inners[0].log.subscriptions == 1 && inners[0].log.disposals == 1, "expected x to go")
    #expect(recorder.values == ["y"], "expected only the latest")
    recorder.dispose()
  }

  @Test("SW-06 take(1) below a synchronous inner flow")
  func sw06() {
    let recorder = Recorder<Int, Never>()
    let isDone = Threads.finishes {
      recorder.subscribe(to: Just(1).switchMap { _ in Just(10) }.take(1))
    }
    #expect(isDone, "expected no deadlock")
    #expect(recorder.transcript == ["10", "finished"], "expected the value and the finish")
  }
}
