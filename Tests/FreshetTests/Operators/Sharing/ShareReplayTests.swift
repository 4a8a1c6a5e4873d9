import Freshet
import FreshetTesting
import Testing

@Suite("share with a memory and with a grace time")
struct ShareReplayTests {
  @Test("SH-04 late observers are told the latest values, then the rest")
  func replay() {
    let source = ScriptedSource<Int, Problem>()
    let shared = source.share(replay: 2)
    let (a, b) = (Recorder<Int, Problem>(), Recorder<Int, Problem>())
    a.subscribe(to: shared)
    for value in 1...3 { source.send(value) }
    b.subscribe(to: shared)
    source.send(4)
    source.finish()
    #expect(a.transcript == ["1", "2", "3", "4", "finished"])
    #expect(b.transcript == ["2", "3", "4", "finished"])
    #expect(source.log.subscriptions == 1)
  }

  @Test("SH-04 after the end: for ever means one run, while connected means another")
  func afterTheEnd() {
    for end in [End<Problem>.finished, .failed(.first)] {
      let source = ScriptedSource<Int, Problem>(playing: [1, 2, 3], end: end)
      let text = if case .finished = end { "finished" } else { "failed(first)" }
      let forever = source.share(replay: 2, scope: .forever)
      let (a, b) = (Recorder<Int, Problem>(), Recorder<Int, Problem>())
      a.subscribe(to: forever)
      b.subscribe(to: forever)
      #expect(a.transcript == ["1", "2", "3", text])
      #expect(b.transcript == ["2", "3", text])
      #expect(source.log.subscriptions == 1)
      let connected = source.share(replay: 2)
      let (c, d) = (Recorder<Int, Problem>(), Recorder<Int, Problem>())
      c.subscribe(to: connected)
      d.subscribe(to: connected)
      #expect(d.transcript == ["1", "2", "3", text])
      #expect(source.log.subscriptions == 3)
    }
  }

  @Test("SH-05 the last to leave stops the source; what was remembered is forgotten or stays")
  func stops() {
    for (scope, late) in [(ShareScope.whileConnected, ["7"]), (.forever, ["1", "2", "7"])] {
      let source = ScriptedSource<Int, Problem>()
      let shared = source.share(replay: 2, scope: scope)
      let a = Recorder<Int, Problem>()
      a.subscribe(to: shared)
      source.send(1)
      source.send(2)
      a.dispose()
      #expect(source.activeCount == 0)
      let b = Recorder<Int, Problem>()
      b.subscribe(to: shared)
      #expect(source.log.subscriptions == 2)
      source.send(7)
      #expect(b.transcript == late)
      b.dispose()
      #expect(source.log.disposals == 2)
    }
  }

  @Test("within the grace time the source goes on, after it the source stops")
  func grace() {
    let scheduler = VirtualScheduler()
    let source = ScriptedSource<Int, Problem>()
    let shared = source.share(replay: 1, keepingFor: .ticks(10), on: scheduler)
    let a = Recorder<Int, Problem>()
    a.subscribe(to: shared)
    source.send(1)
    a.dispose()
    scheduler.advance(by: .ticks(9))
    source.send(2)
    let b = Recorder<Int, Problem>()
    b.subscribe(to: shared)
    #expect(scheduler.pendingCount == 0)
    scheduler.advance(by: .ticks(50))
    source.send(3)
    #expect(b.transcript == ["2", "3"])
    #expect(source.log.subscriptions == 1)
    b.dispose()
    scheduler.advance(by: .ticks(10))
    #expect(source.activeCount == 0)
    let c = Recorder<Int, Problem>()
    c.subscribe(to: shared)
    #expect(c.transcript == [])
    #expect(source.log.subscriptions == 2)
    c.dispose()
  }

  @Test("a source that ends within the grace time is not started again by its timer")
  func endsInGrace() {
    for scope in [ShareScope.whileConnected, .forever] {
      let scheduler = VirtualScheduler()
      let source = ScriptedSource<Int, Problem>()
      let shared = source.share(replay: 1, scope: scope, keepingFor: .ticks(10), on: scheduler)
      let a = Recorder<Int, Problem>()
      a.subscribe(to: shared)
      source.send(1)
      a.dispose()
      source.finish()
      #expect(scheduler.pendingCount == 0)
      scheduler.advance(by: .ticks(20))
      let b = Recorder<Int, Problem>()
      b.subscribe(to: shared)
      switch scope {
      case .forever:
        #expect(b.transcript == ["1", "finished"])
        #expect(source.log.subscriptions == 1)
      case .whileConnected:
        #expect(b.transcript == [])
        #expect(source.log.subscriptions == 2)
      }
      b.dispose()
    }
  }

  @Test("SH-11 share, then retry, over a source that fails at once")
  func retry() {
    let source = ScriptedSource<Int, Problem>(playing: [10, 20, 30], end: .failed(.first))
    let recorder = Recorder<Int, Problem>()
    recorder.subscribe(to: source.share().retry(5))
    #expect(source.log.subscriptions == 6)
    #expect(recorder.valueCount == 18)
    #expect(recorder.transcript.last == "failed(first)")
  }

  @Test("share for ever and retry: the failure is remembered, the retries get it again")
  func retryForever() {
    let source = ScriptedSource<Int, Problem>(playing: [1], end: .failed(.first))
    let recorder = Recorder<Int, Problem>()
    recorder.subscribe(to: source.share(replay: 1, scope: .forever).retry(2))
    #expect(recorder.transcript == ["1", "1", "1", "failed(first)"])
    #expect(source.log.subscriptions == 1)
  }

  @Test("a pause of one observer pauses the source, and nothing is lost")
  func pause() {
    let source = ScriptedSource<Int, Never>(generating: { $0 < 500 ? $0 : nil }, end: .finished)
    let shared = source.share()
    let slow = Recorder<Int, Never> { _, _ in .pause }
    slow.subscribe(to: shared)
    let fast = Recorder<Int, Never>()
    fast.subscribe(to: shared)
    for _ in 0..<1000 where !slow.hasEnded {
      #expect(source.log.sent <= slow.valueCount + 2)
      slow.resume()
    }
    #expect(slow.values == Array(0..<500))
    #expect(fast.values == Array(1..<500))
  }

  @Test("a paused observer that leaves lets the others go on")
  func pausedLeaves() {
    let source = ScriptedSource<Int, Never>(generating: { $0 < 500 ? $0 : nil }, end: .finished)
    let shared = source.share()
    let slow = Recorder<Int, Never> { _, _ in .pause }
    slow.subscribe(to: shared)
    let fast = Recorder<Int, Never>()
    fast.subscribe(to: shared)
    slow.dispose()
    #expect(fast.values == Array(1..<500))
    #expect(fast.hasEnded)
  }

  @Test("the last one to leave while paused stops an endless source")
  func pausedLastLeaves() {
    let source = ScriptedSource<Int, Never>(generating: { $0 }, end: nil)
    let recorder = Recorder<Int, Never> { _, _ in .pause }
    recorder.subscribe(to: source.share())
    let isDone = Threads.finishes { recorder.dispose() }
    #expect(isDone)
    #expect(source.activeCount == 0)
    #expect(source.log.sent < 5)
  }

  @Test("ML-05 what share remembers is released with the share and its observers")
  func release() {
    for scope in [ShareScope.whileConnected, .forever] {
      let probe = LeakProbe()
      let source = PublishSubject<LeakProbe.Token, Never>()
      do {
        let shared = source.share(replay: 3, scope: scope)
        let recorder = Recorder<String, Never>()
        recorder.subscribe(to: shared.map { $0.name })
        source.send(probe.token("remembered"))
        #expect(probe.alive == ["remembered"])
        recorder.dispose()
        #expect(probe.alive == (scope == .forever ? ["remembered"] : []))
      }
      #expect(probe.alive == [])
    }
  }

  @Test("an observer that disposes of itself in its start does not start the source")
  func disposeInStart() {
    let source = ScriptedSource<Int, Never>(playing: [1])
    let shared = source.share()
    shared.subscribe(Leaver())
    #expect(source.log.subscriptions == 0)
    let recorder = Recorder<Int, Never>()
    recorder.subscribe(to: shared)
    #expect(recorder.transcript == ["1", "finished"])
  }

  @Test("SH-07 joins and leaves on many threads: no gap, no double, one source at a time")
  func stress() {
    let scheduler = VirtualScheduler()
    for (name, policy) in [("plain", 0), ("replay", 1), ("grace", 2)] {
      let subject = PublishSubject<Int, Never>()
      let active = Counter()
      let ended = Counter()
      let source = Using {
        active.next()
      } use: { _ in
        subject
      } release: { _ in
        ended.next()
      }
      let shared =
        switch policy {
        case 0: source.share()
        case 1: source.share(replay: 1)
        default: source.share(replay: 1, keepingFor: .ticks(1), on: scheduler)
        }
      let isOver = Box(false)
      let problems = Seen<String>()
      Threads.concurrently(4) { number in
        guard number > 0 else {
          for value in 0..<3000 { subject.send(value) }
          isOver.value = true
          return
        }
        var random = Seed.generator(number)
        while isOver.value == false {
          let recorder = Recorder<Int, Never>()
          recorder.subscribe(to: shared)
          for _ in 0..<Int.random(in: 0..<50, using: &random) { _ = recorder.valueCount }
          if Bool.random(using: &random) { scheduler.advance(by: .ticks(1)) }
          recorder.dispose()
          let values = recorder.values
          for (value, next) in zip(values, values.dropFirst()) where next != value + 1 {
            problems.add("\(value) \(next)")
          }
          for violation in recorder.violations { problems.add(violation) }
        }
      }
      scheduler.advance(by: .ticks(10))
      #expect(problems.all == [], "\(name), \(Seed.replay)")
      #expect(active.value == ended.value, "\(name): a source was left running, \(Seed.replay)")
    }
  }
}

/// Disposes of its subscription at once.
private struct Leaver: Observer {
  static var mayPause: Bool { false }
  mutating func start(_ subscription: Subscription) { subscription.dispose() }
  mutating func receive(_ value: Int) -> Answer { .stop }
  mutating func end(_ end: End<Never>) {}
}
