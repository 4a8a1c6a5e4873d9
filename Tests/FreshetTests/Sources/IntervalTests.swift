import Freshet
import FreshetTesting
import Synchronization
import Testing

@Suite("Interval and Timer")
struct IntervalTests {
  @Test("ticks are on the beat and end with a dispose")
  func ticks() throws {
    let time = VirtualScheduler()
    let flow = Interval(every: .ticks(3), on: time)
    #expect(try time.difference(of: flow, from: "---0--1--2", limit: 10) == nil)
    #expect(time.pendingCount == 0)
  }

  @Test("each subscription counts by itself")
  func independent() {
    let scheduler = VirtualScheduler()
    let interval = Interval(every: .ticks(10), on: scheduler)
    let (a, b) = (
      Recorder<Int, Never>(scheduler: scheduler), Recorder<Int, Never>(scheduler: scheduler)
    )
    a.subscribe(to: interval)
    scheduler.advance(by: .ticks(15))
    b.subscribe(to: interval)
    scheduler.advance(by: .ticks(15))
    #expect(a.ticked == ["0@10", "1@20", "2@30"])
    #expect(b.ticked == ["0@25"])
    a.dispose()
    b.dispose()
  }

  @Test("TM-21 work that is scheduled while time advances runs inside the same advance")
  func sameAdvance() {
    let scheduler = VirtualScheduler()
    let recorder = Recorder<Int, Never>(scheduler: scheduler)
    recorder.subscribe(to: Interval(every: .ticks(10), on: scheduler))
    scheduler.advance(by: .ticks(50))
    #expect(recorder.ticked == ["0@10", "1@20", "2@30", "3@40", "4@50"])
    recorder.dispose()
  }

  @Test("TM-22 running an endless timer stops at the limit")
  func endless() throws {
    let scheduler = VirtualScheduler()
    let token = Interval(every: .ticks(1), on: scheduler).subscribe { _ in }
    #expect(throws: VirtualScheduler.LimitReached.self) { try scheduler.run(limit: 100) }
    token.dispose()
  }

  @Test(
    "TM-24 no burst after a busy time: missed ticks are left out of time, not of the count",
    arguments: [1, 3, 7, 10])
  func busy(period: Int) {
    let scheduler = BusyScheduler()
    let recorder = Recorder<Int, Never> { recorder, _ in
      // The third tick is taken slowly: five and a half periods pass.
      if recorder.valueCount == 3 { scheduler.pass(.ticks(period) * 11 / 2) }
      return .more
    }
    recorder.subscribe(to: Interval(every: .ticks(period), on: scheduler))
    for _ in 0..<12 { scheduler.pass(.ticks(period)) }
    // Tick 2 at 3p. It is 8.5p when it is over: tick 7, due at 8p, comes then; then 8 at 9.5p.
    let values = recorder.values
    #expect(values.starts(with: [0, 1, 2, 7]), "\(values)")
    #expect(Set(values).count == values.count)
    #expect(zip(values, values.dropFirst()).allSatisfy { $0 < $1 })
    recorder.dispose()
  }

  @Test("TM-24 late by a whole number of periods: one tick, with the number of its time")
  func lateByWholePeriods() {
    var random = Seed.generator(24)
    for _ in 0..<500 {
      let attoseconds = Int64.random(in: 1...1_000_000_000_000_000_000, using: &random)
      let missed = Int.random(in: 1...1_000_000, using: &random)
      let period = Duration(secondsComponent: 0, attosecondsComponent: attoseconds)
      let scheduler = BusyScheduler()
      let recorder = Recorder<Int, Never>()
      recorder.subscribe(to: Interval(every: period, on: scheduler))
      scheduler.pass(period * (missed + 1))
      scheduler.pass(period)
      #expect(recorder.values == [missed, missed + 1], "\(attoseconds) \(missed), \(Seed.replay)")
      recorder.dispose()
    }
  }

  @Test("ticks that fall into a pause are left out")
  func pause() {
    let scheduler = VirtualScheduler()
    let recorder = Recorder<Int, Never>(scheduler: scheduler) { _, value in
      value == 1 ? .pause : .more
    }
    recorder.subscribe(to: Interval(every: .ticks(10), on: scheduler))
    scheduler.advance(by: .ticks(55))
    recorder.resume()
    #expect(recorder.values == [0, 1])
    scheduler.advance(by: .ticks(20))
    #expect(recorder.ticked == ["0@10", "1@20", "5@60", "6@70"])
    recorder.dispose()
  }

  @Test("DM-16 a pause of one observer of a timer does not change another's ticks")
  func pausePerObserver() {
    let scheduler = VirtualScheduler()
    let interval = Interval(every: .ticks(10), on: scheduler)
    let slow = Recorder<Int, Never> { _, _ in .pause }
    let fast = Recorder<Int, Never>()
    slow.subscribe(to: interval)
    fast.subscribe(to: interval)
    scheduler.advance(by: .ticks(100))
    #expect(slow.values == [0])
    #expect(fast.values == Array(0..<10))
    slow.dispose()
    fast.dispose()
  }

  @Test("Timer speaks once")
  func timer() throws {
    let time = VirtualScheduler()
    #expect(
      try time.difference(of: Timer(after: .ticks(3), on: time).map { "x" }, from: "---(x|)") == nil
    )
    let atOnce = VirtualScheduler()
    #expect(
      try atOnce.difference(of: Timer(after: .zero, on: atOnce).map { "x" }, from: "(x|)") == nil)
    let never = VirtualScheduler()
    #expect(
      try never.difference(of: Timer(after: .ticks(3), on: never).map { "x" }, from: "", limit: 2)
        == nil)
    #expect(never.pendingCount == 0)
  }

  @Test("a stopped interval lets its closures go")
  func release() {
    let scheduler = VirtualScheduler()
    let probe = LeakProbe()
    let recorder = Recorder<Int, Never>()
    do {
      let token = probe.token()
      recorder.subscribe(to: Interval(every: .ticks(3), on: scheduler).map { token.pass($0) })
    }
    scheduler.advance(by: .ticks(10))
    recorder.dispose()
    #expect(probe.alive == [])
  }
}

/// A scheduler whose time can pass while work runs: work that comes due meanwhile runs late.
private final class BusyScheduler: TimeScheduler {
  private struct State: Sendable {
    var now = Moment.zero
    var isRunning = false
    var jobs: [(due: Moment, isOff: Subscription, work: @Sendable () -> Void)] = []
  }

  private let state = Mutex(State())

  var now: Moment { state.withLock { $0.now } }

  func schedule(_ work: @escaping @Sendable () -> Void) {
    state.withLock { $0.jobs.append(($0.now, Subscription(), work)) }
  }

  func schedule(
    after delay: Duration, _ work: @escaping @Sendable () -> Void
  ) -> Disposable {
    let isOff = Subscription()
    state.withLock { $0.jobs.append(($0.now + max(.zero, delay), isOff, work)) }
    return Disposable { isOff.dispose() }
  }

  /// Time passes; then what is due runs, unless we are inside such work already.
  func pass(_ time: Duration) {
    let isOutside = state.withLock { state in
      state.now = state.now + time
      defer { state.isRunning = true }
      return !state.isRunning
    }
    guard isOutside else { return }
    while let work = next() { work() }
  }

  private func next() -> (@Sendable () -> Void)? {
    state.withLock { state in
      state.jobs.removeAll { $0.isOff.isDisposed }
      let index = state.jobs.indices.filter { state.jobs[$0].due <= state.now }
        .min { state.jobs[$0].due < state.jobs[$1].due }
      guard let index else {
        state.isRunning = false
        return nil
      }
      return state.jobs.remove(at: index).work
    }
  }
}
