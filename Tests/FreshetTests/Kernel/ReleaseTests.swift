import Freshet
import FreshetTesting
import Testing

/// Foreign objects that are let go run foreign code: never under a lock, and never too late.
@Suite("release of foreign objects")
struct ReleaseTests {
  // The scripted source calls its observers directly, so a send from a deinit arrives
  // where the value was dropped.

  @Test("a value dropped by observe(on:) may send from its deinit")
  func droppedByObserveOn() throws {
    let probe = LeakProbe()
    let scheduler = VirtualScheduler()
    let source = ScriptedSource<LeakProbe.Token?, Never>()
    let recorder = Recorder<LeakProbe.Token?, Never>()
    recorder.subscribe(to: source.observe(on: scheduler, capacity: 1, overflow: .dropOldest))
    let isDone = Threads.finishes {
      source.send(probe.token(onRelease: { source.send(nil) }))
      source.send(nil)
    }
    #expect(isDone, "expected the deinit of a dropped value to find no lock held")
    try scheduler.run()
    recorder.dispose()
    #expect(probe.alive.isEmpty, "expected the dropped value to be released")
  }

  @Test("a value dropped by values may send from its deinit")
  func droppedByValues() {
    let probe = LeakProbe()
    let source = ScriptedSource<LeakProbe.Token?, Never>()
    let iterator = source.values(capacity: 1, overflow: .dropOldest).makeAsyncIterator()
    let isDone = Threads.finishes {
      source.send(probe.token(onRelease: { source.send(nil) }))
      source.send(nil)
    }
    #expect(isDone, "expected the deinit of a dropped value to find no lock held")
    #expect(probe.alive.isEmpty, "expected the dropped value to be released")
    withExtendedLifetime(iterator) {}
  }

  @Test("the value a behaviour subject replaces may read the subject from its deinit")
  func replacedValue() {
    let probe = LeakProbe()
    let subject = BehaviorSubject<LeakProbe.Token?, Never>(nil)
    let reads = Seen<Bool>()
    let isDone = Threads.finishes {
      // The observer goes while the subject is busy letting it go, and its deinit sends:
      // the value it replaces has no other owner.
      let kept = Box(probe.token("observer", onRelease: { subject.send(nil) }))
      let token = subject.subscribe { _ in _ = kept.value }
      subject.send(probe.token("value", onRelease: { reads.add(subject.value == nil) }))
      kept.value = nil
      token.dispose()
      let other = subject.subscribe { [token = probe.token(onRelease: { subject.send(nil) })] _ in
        token.pass(())
      }
      subject.send(probe.token("value", onRelease: { reads.add(subject.value == nil) }))
      other.dispose()
    }
    #expect(isDone, "expected the deinit of a replaced value to find no lock held")
    #expect(reads.all == [true, true], "expected both values to be replaced and released")
    #expect(probe.alive.isEmpty, "expected nothing to be kept")
  }

  @Test("disposing and then pausing releases what observe(on:) holds")
  func disposeThenPause() throws {
    let probe = LeakProbe()
    let scheduler = VirtualScheduler()
    do {
      let token = probe.token()
      let recorder = Recorder<Int, Never> { recorder, value in
        recorder.dispose()
        return token.pass(.pause)
      }
      recorder.subscribe(to: (0..<10).flow.observe(on: scheduler))
    }
    try scheduler.run()
    #expect(probe.alive.isEmpty, "expected the observer to be released")
  }

  @Test("a subject that goes away lets the observers of a share go")
  func shareOfAGoneSubject() {
    let probe = LeakProbe()
    do {
      let subject = PublishSubject<Int, Never>()
      let token = probe.token()
      subject.share().subscribe(Keeping(token: token))
      subject.send(1)
    }
    #expect(probe.alive.isEmpty, "expected nothing to be kept by a cycle")
  }

  @Test("a subject that goes away lets its observers go")
  func goneSubject() {
    let probe = LeakProbe()
    do {
      let subject = PublishSubject<Int, Never>()
      let value = BehaviorSubject<Int, Never>(0)
      let kept = probe.token()
      let token = subject.merge(with: value).flatMap { Just($0) }.subscribe { _ in kept.pass(()) }
      subject.send(1)
      token.dispose()
      subject.subscribe(Keeping(token: probe.token()))
      value.subscribe(Keeping(token: probe.token()))
    }
    #expect(probe.alive.isEmpty, "expected nothing to be kept by a cycle")
  }
}

/// An observer that keeps something alive.
private struct Keeping: Observer {
  let token: LeakProbe.Token

  static var mayPause: Bool { false }
  mutating func start(_ subscription: Subscription) {}
  mutating func receive(_ value: Int) -> Answer { token.pass(.more) }
  mutating func end(_ end: End<Never>) {}
}
