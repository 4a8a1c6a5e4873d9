import Dispatch
import Freshet
import FreshetTesting
import Synchronization
import Testing

@Suite("schedulers")
struct SchedulerTests {
  /// Schedules works and waits until all have run.
  private func order(
    of count: Int, on scheduler: some Scheduler,
    schedule: @escaping @Sendable (Int, @escaping @Sendable () -> Void) -> Void
  ) async -> [Int] {
    let seen = Seen<Int>()
    await withCheckedContinuation { continuation in
      for number in 0..<count {
        schedule(number) {
          seen.add(number)
          if seen.count == count { continuation.resume() }
        }
      }
    }
    return seen.all
  }

  @Test("work runs in the order in which it was handed over")
  func order() async {
    let expected = Array(0..<500)
    let tasks = TaskScheduler()
    #expect(await order(of: 500, on: tasks) { tasks.schedule($1) } == expected)
    let queue = QueueScheduler(label: "order")
    #expect(await order(of: 500, on: queue) { queue.schedule($1) } == expected)
    let host = Host()
    let onActor = TaskScheduler(on: host)
    #expect(await order(of: 500, on: onActor) { onActor.schedule($1) } == expected)
  }

  @Test("works that are due at the same time run in the order in which they were scheduled")
  func timedOrder() async {
    let expected = Array(0..<500)
    let tokens = DisposeBag()
    let tasks = TaskScheduler()
    #expect(
      await order(of: 500, on: tasks) {
        tasks.schedule(after: .milliseconds(1), $1).store(in: tokens)
      } == expected)
    let concurrent = QueueScheduler(
      DispatchQueue(label: "concurrent", attributes: .concurrent))
    #expect(
      await order(of: 500, on: concurrent) {
        concurrent.schedule(after: .milliseconds(1), $1).store(in: tokens)
      } == expected)
    let zero = QueueScheduler(label: "zero")
    #expect(
      await order(of: 500, on: zero) {
        zero.schedule(after: .seconds(-1), $1).store(in: tokens)
      } == expected)
  }

  @Test("the sooner comes first, whenever it was scheduled")
  func soonerFirst() async {
    let tokens = DisposeBag()
    for scheduler in [TaskScheduler(), QueueScheduler(label: "sooner")] as [any TimeScheduler] {
      let seen = Seen<Int>()
      await withCheckedContinuation { continuation in
        // A long way off, so that a slow machine cannot mix them up before all are scheduled.
        for number in [3, 1, 2] {
          scheduler.schedule(after: .milliseconds(100 * number)) {
            seen.add(number)
            if seen.count == 3 { continuation.resume() }
          }.store(in: tokens)
        }
      }
      #expect(seen.all == [1, 2, 3])
    }
  }

  @Test("a timed work never comes too early, by the scheduler's own clock")
  func notEarly() async {
    for scheduler in [TaskScheduler(), QueueScheduler(label: "early")] as [any TimeScheduler] {
      for microseconds in [1, 999, 1500] {
        let due = scheduler.now + .microseconds(microseconds)
        let token = Box<Disposable>()
        let ran = await withCheckedContinuation { continuation in
          token.value = scheduler.schedule(after: .microseconds(microseconds)) {
            continuation.resume(returning: scheduler.now)
          }
        }
        #expect(ran >= due)
      }
    }
  }

  @Test("a work that was called off does not run and is released at once")
  func callOff() async {
    for scheduler in [TaskScheduler(), QueueScheduler(label: "off")] as [any TimeScheduler] {
      let probe = LeakProbe()
      let seen = Seen<Int>()
      do {
        let token = probe.token()
        let work = scheduler.schedule(after: .seconds(3600)) { seen.add(token.pass(1)) }
        work.dispose()
        work.dispose()
      }
      #expect(probe.alive == [])
      #expect(await order(of: 1, on: scheduler) { scheduler.schedule($1) } == [0])
      #expect(seen.all == [])
    }
  }

  @Test("letting go of the token calls the work off")
  func letGo() {
    for scheduler in [TaskScheduler(), QueueScheduler(label: "go")] as [any TimeScheduler] {
      let probe = LeakProbe()
      do {
        let token = probe.token()
        _ = scheduler.schedule(after: .seconds(3600)) { _ = token.pass(1) }
      }
      #expect(probe.alive == [])
    }
  }

  @Test("times that no clock reaches do not trap")
  func farAway() {
    for scheduler in [TaskScheduler(), QueueScheduler(label: "far")] as [any TimeScheduler] {
      for delay in [Duration.seconds(Int64(1) << 60), .seconds(3_000_000_000), .seconds(-5)] {
        scheduler.schedule(after: delay) {}.dispose()
      }
    }
  }

  @Test("the trampoline runs at once, and never inside other work")
  func trampoline() {
    let scheduler = TrampolineScheduler()
    let seen = Seen<String>()
    scheduler.schedule {
      seen.add("a")
      scheduler.schedule { seen.add("c") }
      seen.add("b")
    }
    seen.add("d")
    #expect(seen.all == ["a", "b", "c", "d"])
  }

  @Test("the trampoline keeps 100 000 nested works flat")
  func trampolineFlat() {
    Threads.onSmallStack {
      let scheduler = TrampolineScheduler()
      let count = Counter()
      @Sendable func next() {
        if count.next() < 100_000 { scheduler.schedule(next) }
      }
      scheduler.schedule(next)
      #expect(count.value == 100_000)
    }
  }

  @Test("the trampoline on many threads: one at a time, all of it")
  func trampolineThreads() {
    let scheduler = TrampolineScheduler()
    let count = Counter()
    let isInside = Atomic<Bool>(false)
    let overlaps = Counter()
    Threads.concurrently(4) { _ in
      for _ in 0..<2000 {
        scheduler.schedule {
          if isInside.exchange(true, ordering: .acquiring) { overlaps.next() }
          count.next()
          isInside.store(false, ordering: .releasing)
        }
      }
    }
    #expect(count.value == 8000)
    #expect(overlaps.value == 0)
  }
}

private actor Host {}
