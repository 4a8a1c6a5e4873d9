import Freshet
import FreshetTesting
import Testing

@Suite("race")
struct RaceTests {
  @Test("the first to speak is followed")
  func timelines() throws {
    for (a, b, expected) in [
      ("---1--2--|", "--8--9--|", "--8--9--|"),
      ("--8--9--|", "---1--2--|", "--8--9--|"),
      ("--|", "---1", "--|"),
      ("--#", "---1", "--#"),
      ("--1-#", "---8|", "--1-#"),
      ("----", "-", ""),
    ] as [(String, String, String)] {
      let time = VirtualScheduler()
      #expect(try time.difference(of: time.hot(a).race(with: time.hot(b)), from: expected) == nil)
    }
  }

  @Test("the loser is let go as soon as there is a winner")
  func loser() throws {
    let time = VirtualScheduler()
    let (a, b) = try (time.hot("---1---"), time.hot("--8--9-"))
    let recorder = Recorder<String, MarbleFailure>()
    recorder.subscribe(to: a.race(with: b))
    time.advance(by: .ticks(2))
    #expect(a.activeCount == 0)
    #expect(b.activeCount == 1)
    recorder.dispose()
    #expect(b.activeCount == 0)
  }

  @Test("one that ends at once leaves the rest without a subscription")
  func atOnce() {
    let rest = ScriptedSource<Int, Never>()
    let recorder = Recorder<Int, Never>()
    recorder.subscribe(to: [Just(1).erased(), rest.erased()].raced())
    #expect(recorder.transcript == ["1", "finished"])
    #expect(rest.log.subscriptions == 0)
  }

  @Test("one that speaks at once wins also when it goes on later")
  func speaksAtOnce() {
    let first = BehaviorSubject<Int, Never>(1)
    let second = BehaviorSubject<Int, Never>(2)
    let recorder = Recorder<Int, Never>()
    recorder.subscribe(to: first.race(with: second))
    second.send(3)
    first.send(4)
    #expect(recorder.values == [1, 4])
  }

  @Test("one that speaks at once leaves the rest without a subscription, though it goes on")
  func speakerLeavesTheRest() {
    let first = BehaviorSubject<Int, Never>(1)
    let rest = (0..<3).map { _ in ScriptedSource<Int, Never>() }
    let recorder = Recorder<Int, Never>()
    recorder.subscribe(to: ([first.erased()] + rest.map { $0.erased() }).raced())
    #expect(rest.map(\.log.subscriptions) == [0, 0, 0], "expected nobody else to be asked")
    first.send(2)
    #expect(recorder.values == [1, 2])
    recorder.dispose()
  }

  @Test("of no flows nothing is ever said")
  func none() {
    let recorder = Recorder<Int, Never>()
    recorder.subscribe(to: [Just<Int>]().raced())
    #expect(recorder.transcript == [])
    recorder.dispose()
  }

  @Test("the winner is not disposed of by a loser that speaks while it is let go")
  func loserSpeaksLate() {
    let loser = PublishSubject<Int, Never>()
    let winner = PublishSubject<Int, Never>()
    let recorder = Recorder<Int, Never>()
    let late = Using({}, use: { loser }, release: { loser.send(99) })
    recorder.subscribe(to: late.race(with: winner))
    winner.send(1)
    winner.send(2)
    #expect(recorder.values == [1, 2])
    #expect(recorder.violations == [])
  }
}
