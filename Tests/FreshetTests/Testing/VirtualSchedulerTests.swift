import Freshet
import FreshetTesting
import Testing

@Suite("VirtualScheduler")
struct VirtualSchedulerTests {
  @Test("works due at the same moment run in the order in which they were scheduled")
  func ties() throws {
    let scheduler = VirtualScheduler()
    let log = Seen<Int>()
    let bag = DisposeBag()
    for number in 0..<50 {
      scheduler.schedule(after: .seconds(number % 3)) { log.add(number) }.store(in: bag)
    }
    try scheduler.run()
    let expected = (0..<50).sorted { ($0 % 3, $0) < ($1 % 3, $1) }
    #expect(log.all == expected, "expected order by time, then by turn")
  }

  @Test("work that was called off neither runs nor moves time")
  func calledOff() throws {
    let scheduler = VirtualScheduler()
    let log = Seen<Int>()
    let token = scheduler.schedule(after: .seconds(5)) { log.add(1) }
    token.dispose()
    #expect(scheduler.pendingCount == 0, "expected it not to count")
    try scheduler.run()
    #expect(log.count == 0 && scheduler.now == .zero, "expected nothing to happen")
  }

  @Test("letting go of the token calls the work off, and releases it")
  func releases() {
    let scheduler = VirtualScheduler()
    let probe = LeakProbe()
    do {
      let token = probe.token()
      _ = scheduler.schedule(after: .seconds(1)) { token.pass(()) }
    }
    #expect(probe.alive.isEmpty, "expected the closure to be released at once")
  }

  @Test("advance to a moment in the past runs nothing and does not go back")
  func past() {
    let scheduler = VirtualScheduler(now: Moment(.seconds(10)))
    let log = Seen<Int>()
    scheduler.schedule { log.add(1) }
    scheduler.advance(to: Moment(.seconds(5)))
    #expect(log.count == 0 && scheduler.now == Moment(.seconds(10)), "expected no way back")
    scheduler.runDue()
    #expect(log.count == 1, "expected what is due now to run")
  }

  @Test("an advance stops at its moment, before later work")
  func stops() {
    let scheduler = VirtualScheduler()
    let log = Seen<Duration>()
    let bag = DisposeBag()
    for second in 1...3 {
      scheduler.schedule(after: .seconds(second)) { log.add(scheduler.now.sinceOrigin) }
        .store(in: bag)
    }
    scheduler.advance(by: .milliseconds(2500))
    #expect(log.all == [.seconds(1), .seconds(2)], "expected only what was due")
    #expect(scheduler.now == Moment(.milliseconds(2500)), "expected to stand in between")
    #expect(scheduler.nextDue == Moment(.seconds(3)), "expected the next one to be known")
  }

  @Test("an advance from inside a work runs what is due and never goes back")
  func nested() {
    let scheduler = VirtualScheduler()
    let log = Seen<String>()
    let bag = DisposeBag()
    scheduler.schedule(after: .seconds(1)) {
      log.add("a\(scheduler.now.sinceOrigin.components.seconds)")
      scheduler.advance(by: .seconds(5))
      log.add("b\(scheduler.now.sinceOrigin.components.seconds)")
    }.store(in: bag)
    scheduler.schedule(after: .seconds(3)) {
      log.add("c\(scheduler.now.sinceOrigin.components.seconds)")
    }.store(in: bag)
    scheduler.advance(by: .seconds(4))
    #expect(log.all == ["a1", "c3", "b6"], "expected time to move forward only")
    #expect(scheduler.now == Moment(.seconds(6)), "expected the farther of the two")
  }

  @Test("run says how many works ran, and how many are left when it stops")
  func limit() throws {
    let scheduler = VirtualScheduler()
    for _ in 0..<5 { scheduler.schedule {} }
    #expect(throws: VirtualScheduler.LimitReached.self, "expected the limit to be an error") {
      try scheduler.run(limit: 3)
    }
    let count = try scheduler.run(limit: 2)
    #expect(count == 2, "expected the two that were left")
  }

  @Test("a heap against a sorted list, by seed")
  func heap() throws {
    var random = Seed.generator(7)
    let scheduler = VirtualScheduler()
    let log = Seen<Int>()
    let bag = DisposeBag()
    var model: [(due: Int, number: Int)] = []
    for number in 0..<500 {
      let due = Int.random(in: 0..<40, using: &random)
      let token = scheduler.schedule(after: .seconds(due)) { log.add(number) }
      if Int.random(in: 0..<4, using: &random) == 0 {
        token.dispose()
      } else {
        token.store(in: bag)
        model.append((due, number))
      }
    }
    try scheduler.run()
    let expected = model.sorted { ($0.due, $0.number) < ($1.due, $1.number) }.map(\.number)
    #expect(log.all == expected, "expected the order of a sorted list; \(Seed.replay)")
  }
}
