import Freshet
import FreshetTesting
import Synchronization
import Testing

@Suite("ReplaySubject, LastSubject, relays")
struct ReplayAndLastTests {
  @Test("SH-04 replay by number, before and after the end")
  func byNumber() {
    for end in [End<Problem>.finished, .failed(.first)] {
      let subject = ReplaySubject<Int, Problem>(capacity: 2)
      for value in 1...3 { subject.send(value) }
      let early = Recorder<Int, Problem>()
      early.subscribe(to: subject)
      subject.send(4)
      switch end {
      case .finished: subject.finish()
      case .failed(let failure): subject.fail(failure)
      }
      subject.send(5)
      let late = Recorder<Int, Problem>()
      late.subscribe(to: subject)
      let text = if case .finished = end { "finished" } else { "failed(first)" }
      #expect(early.transcript == ["2", "3", "4", text])
      #expect(late.transcript == ["3", "4", text])
    }
  }

  @Test("replay of nothing and of everything")
  func capacities() {
    for (capacity, count) in [(0, 0), (1, 1), (.max, 1000)] {
      let subject = ReplaySubject<Int, Never>(capacity: capacity)
      for value in 0..<1000 { subject.send(value) }
      let recorder = Recorder<Int, Never>()
      recorder.subscribe(to: subject)
      #expect(recorder.values == Array((1000 - count)..<1000))
    }
  }

  @Test("replay by time: a value is forgotten when the period is over")
  func byTime() {
    let scheduler = VirtualScheduler()
    let subject = ReplaySubject<Int, Never>(within: .ticks(10), on: scheduler)
    for value in 0..<4 {
      subject.send(value)
      scheduler.advance(by: .ticks(5))
    }
    // 2 was sent at 10, 3 at 15; it is 20: 2 is just forgotten.
    let recorder = Recorder<Int, Never>()
    recorder.subscribe(to: subject)
    #expect(recorder.values == [3])
    subject.finish()
    scheduler.advance(by: .ticks(5))
    let late = Recorder<Int, Never>()
    late.subscribe(to: subject)
    #expect(late.transcript == ["finished"])
  }

  @Test("forgotten values are released")
  func release() {
    let probe = LeakProbe()
    let subject = ReplaySubject<LeakProbe.Token, Never>(capacity: 1)
    subject.send(probe.token("a"))
    subject.send(probe.token("b"))
    #expect(probe.alive == ["b"])
    let last = LastSubject<LeakProbe.Token, Problem>()
    last.send(probe.token("c"))
    last.send(probe.token("d"))
    #expect(probe.alive == ["b", "d"])
    last.fail(.first)
    last.send(probe.token("e"))
    #expect(probe.alive == ["b"])
    withExtendedLifetime((subject, last)) {}
  }

  @Test("SH-07 subscribing while another thread sends: no gap, no double, no swap")
  func subscribeWhileSending() {
    for round in 0..<30 {
      let subject = ReplaySubject<Int, Never>(capacity: round % 5)
      let recorders = (0..<3).map { _ in Recorder<Int, Never>() }
      Threads.concurrently(4) { thread in
        if thread == 0 {
          for value in 0..<300 { subject.send(value) }
          subject.finish()
        } else {
          recorders[thread - 1].subscribe(to: subject)
        }
      }
      for recorder in recorders {
        let values = recorder.values
        #expect(recorder.violations == [])
        #expect(recorder.hasEnded)
        if let first = values.first { #expect(values == Array(first..<300)) }
        #expect(round % 5 == 0 || !values.isEmpty)
      }
    }
  }

  @Test("SH-08 remembered values are not told under a lock")
  func notUnderALock() {
    let subject = ReplaySubject<Int, Never>(capacity: 1)
    subject.send(1)
    let recorder = Recorder<Int, Never> { _, _ in
      let isDone = Threads.finishes {
        subject.send(2)
        let other = Recorder<Int, Never>()
        other.subscribe(to: subject)
        other.dispose()
      }
      #expect(isDone)
      return .stop
    }
    recorder.subscribe(to: subject)
    #expect(recorder.values == [1])
  }

  @Test("RC-02 a value sent while the memory is told comes once, after it")
  func sendWhileReplaying() {
    let subject = ReplaySubject<Int, Never>(capacity: 3)
    for value in 1...3 { subject.send(value) }
    let recorder = Recorder<Int, Never> { _, value in
      if value == 1 { subject.send(4) }
      return .more
    }
    recorder.subscribe(to: subject)
    #expect(recorder.values == [1, 2, 3, 4])
    #expect(recorder.violations == [])
  }

  @Test("an observer that stops or disposes of itself during the memory gets no more of it")
  func stopWhileReplaying() {
    for disposes in [true, false] {
      let subject = ReplaySubject<Int, Never>(capacity: 3)
      for value in 1...3 { subject.send(value) }
      let recorder = Recorder<Int, Never> { recorder, value in
        guard value == 2 else { return .more }
        if disposes { recorder.dispose() }
        return disposes ? .more : .stop
      }
      recorder.subscribe(to: subject)
      subject.send(4)
      #expect(recorder.values == [1, 2])
    }
  }

  @Test("LastSubject tells its last value when it finishes, and a failure alone")
  func last() {
    let subject = LastSubject<Int, Problem>()
    let early = Recorder<Int, Problem>()
    early.subscribe(to: subject)
    subject.send(1)
    subject.send(2)
    #expect(early.transcript == [])
    subject.finish()
    subject.send(3)
    subject.fail(.first)
    let late = Recorder<Int, Problem>()
    late.subscribe(to: subject)
    #expect(early.transcript == ["2", "finished"])
    #expect(late.transcript == ["2", "finished"])
    let empty = LastSubject<Int, Problem>()
    empty.finish()
    let nothing = Recorder<Int, Problem>()
    nothing.subscribe(to: empty)
    #expect(nothing.transcript == ["finished"])
    let failed = LastSubject<Int?, Problem>()
    failed.send(nil)
    failed.fail(.second)
    let failure = Recorder<Int?, Problem>()
    failure.subscribe(to: failed)
    #expect(failure.transcript == ["failed(second)"])
  }

  @Test("relays pass on and keep the current value; bind stops with its token")
  func relays() {
    let source = PublishRelay<Int>()
    let state = BehaviorRelay(0)
    let recorder = Recorder<Int, Never>()
    recorder.subscribe(to: state)
    let token = source.bind(to: state)
    source.accept(1)
    #expect(state.value == 1)
    token.dispose()
    source.accept(2)
    #expect(recorder.values == [0, 1])
    let other = PublishRelay<Int>()
    let seen = Recorder<Int, Never>()
    seen.subscribe(to: other)
    let second = state.bind(to: other)
    state.accept(5)
    #expect(seen.values == [1, 5])
    second.dispose()
  }

  @Test("ML-03 ML-06 bind to a property does not keep its object alive")
  func bindToProperty() {
    let source = BehaviorRelay(1)
    weak var released: Target?
    let bag = DisposeBag()
    do {
      let target = Target()
      released = target
      source.bind(to: target, \.value).store(in: bag)
      #expect(target.value == 1)
      source.accept(2)
      #expect(target.value == 2)
    }
    #expect(released == nil)
    source.accept(3)
    bag.dispose()
  }
}

private final class Target: Sendable {
  private let stored = Mutex(0)
  var value: Int {
    get { stored.withLock { $0 } }
    set { stored.withLock { $0 = newValue } }
  }
}
