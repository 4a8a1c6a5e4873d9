import Freshet
import FreshetTesting
import Synchronization
import Testing

@Suite("Create, Using, Deferred, Result and Optional")
struct CreateUsingTests {
  @Test("what is emitted comes in order; nothing follows the end")
  func create() {
    let recorder = Recorder<Int, Problem>()
    let disposals = Counter()
    recorder.subscribe(
      to: Create<Int, Problem> { emitter in
        emitter.send(1)
        emitter.send(2)
        emitter.finish()
        emitter.send(3)
        emitter.fail(.first)
        return Disposable { disposals.next() }
      })
    #expect(recorder.transcript == ["1", "2", "finished"])
    #expect(disposals.value == 1)
    #expect(recorder.violations == [])
  }

  @Test("the work runs with each subscription, and its token goes with a dispose")
  func createDispose() {
    let (runs, disposals) = (Counter(), Counter())
    let kept = Box<Emitter<Int, Problem>>()
    let flow = Create<Int, Problem> { emitter in
      runs.next()
      kept.value = emitter
      return Disposable { disposals.next() }
    }
    let recorder = Recorder<Int, Problem>()
    recorder.subscribe(to: flow)
    kept.value?.send(1)
    recorder.dispose()
    #expect(kept.value?.isDisposed == true)
    #expect(kept.value?.send(2) == .stop)
    #expect(recorder.transcript == ["1"])
    #expect(disposals.value == 1)
    recorder.dispose()
    #expect(disposals.value == 1)
  }

  @Test("letting go of the emitter finishes the stream")
  func letGo() {
    let recorder = Recorder<Int, Problem>()
    recorder.subscribe(
      to: Create<Int, Problem> { emitter in
        emitter.send(1)
        return nil
      })
    #expect(recorder.transcript == ["1", "finished"])
  }

  @Test("a producer is told to stop with the value that was one too many")
  func stop() {
    let sent = Counter()
    let recorder = Recorder<Int, Never>()
    recorder.subscribe(
      to: Create<Int, Never> { emitter in
        while sent.value < 1000, emitter.send(sent.next()) != .stop {}
        return nil
      }.take(3))
    #expect(recorder.transcript == ["1", "2", "3", "finished"])
    #expect(sent.value == 3)
  }

  @Test("an observer that disposes of itself in its start does not start the work")
  func disposeInStart() {
    let runs = Counter()
    let flow = Create<Int, Never> { _ in
      runs.next()
      return nil
    }
    flow.subscribe(Leaver())
    #expect(runs.value == 0)
  }

  @Test("a pause is answered, and its end is told, also when the hook comes late")
  func pause() {
    let kept = Box<Emitter<Int, Never>>()
    let recorder = Recorder<Int, Never> { _, _ in .pause }
    recorder.subscribe(
      to: Create<Int, Never> { emitter in
        kept.value = emitter
        return nil
      })
    let resumes = Counter()
    #expect(kept.value?.send(1) == .pause)
    recorder.resume()
    kept.value?.onResume { resumes.next() }
    #expect(resumes.value == 1)
    #expect(kept.value?.send(2) == .pause)
    recorder.resume()
    #expect(resumes.value == 2)
    recorder.dispose()
    kept.value = nil
  }

  @Test("TH-01 values from many threads come one at a time, all of them, each thread's in order")
  func threads() {
    let recorder = Recorder<Int, Never>()
    let flow = Create<Int, Never> { emitter in
      Threads.concurrently(4) { thread in
        for number in 0..<1000 { emitter.send(thread * 10_000 + number) }
      }
      emitter.finish()
      return nil
    }
    recorder.subscribe(to: flow)
    #expect(recorder.violations == [])
    for thread in 0..<4 {
      let own = recorder.values.filter { $0 / 10_000 == thread }
      #expect(own == (0..<1000).map { thread * 10_000 + $0 })
    }
    #expect(recorder.hasEnded)
  }

  @Test("TH-03 a dispose during sends from other threads: nothing new starts after it")
  func disposeRace() {
    for _ in 0..<100 {
      let recorder = Recorder<Int, Never>()
      let kept = Box<Emitter<Int, Never>>()
      recorder.subscribe(
        to: Create<Int, Never> { emitter in
          kept.value = emitter
          return nil
        })
      Threads.concurrently(3) { thread in
        if thread == 0 {
          recorder.dispose()
        } else {
          for number in 0..<50 where kept.value?.send(number) != .stop {}
        }
      }
      #expect(recorder.violations == [])
      #expect(kept.value?.send(1) == .stop)
      kept.value = nil
    }
  }

  @Test("a re-entrant value waits for its turn")
  func reentrant() {
    let kept = Box<Emitter<Int, Never>>()
    let recorder = Recorder<Int, Never> { _, value in
      if value < 3 { kept.value?.send(value + 1) }
      return .more
    }
    recorder.subscribe(
      to: Create<Int, Never> { emitter in
        kept.value = emitter
        emitter.send(0)
        return nil
      })
    #expect(recorder.values == [0, 1, 2, 3])
    #expect(recorder.violations == [])
    recorder.dispose()
    kept.value = nil
  }

  @Test("a cycle of token and emitter ends with the stream")
  func cycle() {
    for finishes in [true, false] {
      let probe = LeakProbe()
      let recorder = Recorder<Int, Never>()
      let finish = Box<@Sendable () -> Void>()
      do {
        let token = probe.token()
        recorder.subscribe(
          to: Create<Int, Never> { emitter in
            finish.value = { [weak emitter] in emitter?.finish() }
            return Disposable { _ = (emitter, token) }
          })
      }
      #expect(probe.alive.count == 1)
      if finishes { finish.value?() } else { recorder.dispose() }
      #expect(probe.alive == [])
    }
  }

  @Test("Using releases the resource once: after a finish, a failure, a dispose, a stop")
  func using() {
    for way in 0..<5 {
      let events = Seen<String>()
      let source = ScriptedSource<Int, Problem>()
      let flow = Using {
        events.add("made")
        return 7
      } use: { resource in
        source.map { $0 + resource }
      } release: { _ in
        events.add("released")
      }
      let recorder = Recorder<Int, Problem> { recorder, value in
        events.add("value")
        if way == 3 { recorder.dispose() }
        return way == 4 ? .stop : .more
      }
      recorder.subscribe(to: flow.tap(onEnd: { _ in events.add("end") }))
      #expect(events.all == ["made"])
      source.send(1)
      #expect(recorder.values == [8])
      switch way {
      case 0: source.finish()
      case 1: source.fail(.first)
      case 2: recorder.dispose()
      default: break
      }
      let expected =
        way < 2 ? ["made", "value", "end", "released"] : ["made", "value", "released"]
      #expect(events.all == expected, "\(way)")
      #expect(source.activeCount == 0)
    }
  }

  @Test("Using: one resource per subscription, also for a source that ends at once")
  func usingEach() {
    let (made, released) = (Counter(), Counter())
    let flow = Using {
      made.next()
    } use: {
      Just($0)
    } release: { _ in
      released.next()
    }
    for number in 1...3 {
      let recorder = Recorder<Int, Never>()
      recorder.subscribe(to: flow)
      #expect(recorder.transcript == ["\(number)", "finished"])
      #expect(released.value == number)
    }
    let recorder = Recorder<Int, Never>()
    recorder.subscribe(to: flow.repeat(100).take(50))
    #expect(made.value == released.value)
  }

  @Test("an unruly source below Using: the resource is released once, nothing follows")
  func usingUnruly() {
    let released = Counter()
    let source = ScriptedSource<Int, Problem>(.unruly)
    let recorder = Recorder<Int, Problem>()
    recorder.subscribe(
      to: Using {
      } use: {
        source
      } release: {
        released.next()
      }.filter { _ in true }.merge(
        with: NeverFlow()))
    source.send(1)
    source.finish()
    source.finish()
    source.send(2)
    #expect(recorder.transcript == ["1"])
    #expect(released.value == 1)
    recorder.dispose()
    source.release()
  }

  @Test("Deferred makes the flow with each subscription")
  func deferred() {
    let count = Counter()
    let flow = Deferred { Just(count.next()) }
    #expect(count.value == 0)
    for number in 1...2 {
      let recorder = Recorder<Int, Never>()
      recorder.subscribe(to: flow)
      #expect(recorder.values == [number])
    }
  }

  @Test("flows of results and optionals")
  func resultAndOptional() {
    let success = Recorder<Int, Problem>()
    success.subscribe(to: Result<Int, Problem>.success(1).flow)
    #expect(success.transcript == ["1", "finished"])
    let failure = Recorder<Int, Problem>()
    failure.subscribe(to: Result<Int, Problem>.failure(.second).flow)
    #expect(failure.transcript == ["failed(second)"])
    let some = Recorder<Int, Never>()
    some.subscribe(to: Int?.some(1).flow)
    #expect(some.transcript == ["1", "finished"])
    let none = Recorder<Int, Never>()
    none.subscribe(to: Int?.none.flow)
    #expect(none.transcript == ["finished"])
    let nested = Recorder<Int?, Never>()
    nested.subscribe(to: Int??.some(nil).flow)
    #expect(nested.transcript == ["nil", "finished"])
  }
}

/// Disposes of its subscription at once.
private struct Leaver: Observer {
  static var mayPause: Bool { false }
  mutating func start(_ subscription: Subscription) { subscription.dispose() }
  mutating func receive(_ value: Int) -> Answer { .stop }
  mutating func end(_ end: End<Never>) {}
}
