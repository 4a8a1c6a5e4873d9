import FreshetTesting
import Synchronization
import Testing

@testable import Freshet

@Suite("timer queue")
struct TimerQueueTests {
  private func queue(on clock: VirtualScheduler) -> TimerQueue {
    TimerQueue(now: { clock.now }) { delay, wake in clock.schedule(after: delay, wake) }
  }

  @Test("equal times: first come, first served; one armed timer")
  func order() {
    let clock = VirtualScheduler()
    let timers = queue(on: clock)
    let seen = Seen<Int>()
    let tokens = (0..<1000).map { number in
      timers.schedule(after: .ticks(5 - number % 2)) { seen.add(number) }
    }
    #expect(clock.pendingCount == 1)
    clock.advance(by: .ticks(4))
    #expect(seen.all == (0..<1000).filter { !$0.isMultiple(of: 2) })
    #expect(clock.pendingCount == 1)
    clock.advance(by: .ticks(1))
    #expect(seen.all.suffix(500) == (0..<1000).filter { $0.isMultiple(of: 2) })
    #expect(clock.pendingCount == 0)
    withExtendedLifetime(tokens) {}
  }

  @Test("what was called off is cleared away, and the armed timer with the last of it")
  func callOff() {
    let clock = VirtualScheduler()
    let timers = queue(on: clock)
    let tokens = (0..<1000).map { timers.schedule(after: .ticks($0 + 1)) {} }
    for token in tokens.dropLast() { token.dispose() }
    #expect(timers.count <= 2)
    #expect(clock.pendingCount == 1)
    tokens.last?.dispose()
    #expect(timers.count == 0)
    #expect(clock.pendingCount == 0)
  }

  @Test("work scheduled from inside work")
  func nested() {
    let clock = VirtualScheduler()
    let timers = queue(on: clock)
    let seen = Seen<String>()
    let tokens = DisposeBag()
    timers.schedule(after: .ticks(2)) {
      seen.add("a")
      timers.schedule(after: .zero) { seen.add("c") }.store(in: tokens)
      timers.schedule(after: .ticks(3)) { seen.add("d") }.store(in: tokens)
    }.store(in: tokens)
    timers.schedule(after: .ticks(2)) { seen.add("b") }.store(in: tokens)
    clock.advance(by: .ticks(2))
    #expect(seen.all == ["a", "b", "c"])
    clock.advance(by: .ticks(3))
    #expect(seen.all == ["a", "b", "c", "d"])
  }

  @Test("against a plain sorted list, with random times and cancellations")
  func model() {
    var random = Seed.generator(26)
    for _ in 0..<50 {
      let clock = VirtualScheduler()
      let timers = queue(on: clock)
      let seen = Seen<Int>()
      var expected: [(due: Moment, number: Int)] = []
      var tokens: [Int: Disposable] = [:]
      for number in 0..<200 {
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
          clock.advance(by: .ticks(Int.random(in: 0..<4, using: &random)))
        case 1:
          if let key = tokens.keys.sorted().randomElement(using: &random) {
            tokens.removeValue(forKey: key)?.dispose()
            if !seen.all.contains(key) { expected.removeAll { $0.number == key } }
          }
        default:
          let delay = Duration.ticks(Int.random(in: 0..<20, using: &random))
          expected.append((clock.now + delay, number))
          tokens[number] = timers.schedule(after: delay) { seen.add(number) }
        }
      }
      clock.advance(by: .ticks(30))
      let order = expected.sorted { ($0.due, $0.number) < ($1.due, $1.number) }.map(\.number)
      #expect(seen.all == order, Seed.replay)
      #expect(clock.pendingCount == 0)
    }
  }
}
