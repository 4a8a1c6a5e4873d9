import Freshet
import FreshetTesting
import Testing

@Suite("inner flows that are known beforehand")
struct KnownInnerTests {
  @Test("give what the same flows give when they are subscribed to")
  func same() {
    for number in 0..<400 {
      var random = Seed.generator(number)
      let pieces = (0..<Int.random(in: 0..<8, using: &random)).map { Piece.random($0, &random) }
      let pauseAt = Int.random(in: 0..<4, using: &random)
      let source = pieces.flow.promoteFailure(to: Odd.self)
      // An observer that pauses decides when which of several sources goes on, so then only
      // one source at a time gives the same order.
      for width in pauseAt == 0 ? [1, 2, Int.max] : [1] {
        #expect(
          told(by: source.flatMap(maxConcurrent: width) { $0 }, pauseAt)
            == told(by: source.flatMap(maxConcurrent: width) { $0.erased() }, pauseAt),
          "flatMap(maxConcurrent: \(width)) of \(pieces); \(Seed.replay)")
      }
      guard pauseAt == 0 else { continue }
      #expect(
        told(by: source.switchMap { $0 }, 0) == told(by: source.switchMap { $0.erased() }, 0),
        "switchMap of \(pieces); \(Seed.replay)")
    }
  }

  @Test("lose nothing when the observer pauses")
  func pausing() {
    for number in 0..<200 {
      var random = Seed.generator(number)
      let pieces = (0..<12).map { Piece.random($0, &random) }.filter { !$0.fails }
      let source = pieces.flow.promoteFailure(to: Odd.self)
      let pauseAt = Int.random(in: 1..<4, using: &random)
      #expect(
        told(by: source.flatMap { $0 }, pauseAt).sorted()
          == told(by: source.flatMap { $0.erased() }, pauseAt).sorted(),
        "flatMap of \(pieces); \(Seed.replay)")
    }
  }

  @Test("are not subscribed to")
  func notSubscribed() {
    #expect(Just(1).known != nil)
    #expect(Just(1).erased().known == nil)
    #expect(Just(1).map { $0 + 1 }.known == .value(2))
    let recorder = Recorder<Int, Never>()
    recorder.subscribe(to: (1...3).flow.flatMap { Unsubscribable(value: $0) })
    #expect(recorder.values == [1, 2, 3])
    #expect(recorder.end == .finished)
  }

  @Test("a value that is sent from inside a delivery comes after the one before")
  func reentrant() {
    let subject = PublishSubject<Int, Never>()
    let recorder = Recorder<Int, Never> { _, value in
      if value < 100_000 { subject.send(value + 1) }
      return .more
    }
    recorder.subscribe(to: subject.flatMap { Just($0) })
    Threads.onSmallStack { subject.send(0) }
    #expect(recorder.values == Array(0...100_000))
    #expect(recorder.violations == [])
  }

  @Test("switchMap lets the flow before go when the next one is known")
  func switched() {
    let inner = ScriptedSource<Int, Never>()
    let subject = PublishSubject<Int?, Never>()
    let recorder = Recorder<Int, Never>()
    recorder.subscribe(to: subject.switchMap { Either(value: $0, otherwise: inner) })
    subject.send(nil)
    inner.send(7)
    #expect(inner.activeCount == 1)
    subject.send(8)
    #expect(inner.activeCount == 0)
    inner.send(9)
    subject.finish()
    #expect(recorder.transcript == ["7", "8", "finished"])
  }

  /// What an observer is told that pauses at every n-th value, or at none.
  private func told<F: Flow>(by flow: F, _ pauseAt: Int) -> [String]
  where F.Element == Int, F.Failure == Odd {
    let recorder = Recorder<Int, Odd> { recorder, _ in
      pauseAt > 0 && recorder.valueCount % pauseAt == 0 ? .pause : .more
    }
    if pauseAt == 0 {
      recorder.subscribeWithoutPausing(to: flow)
    } else {
      recorder.subscribe(to: flow)
    }
    for _ in 0..<100 where pauseAt > 0 { recorder.resume() }
    return recorder.transcript + recorder.violations
  }
}

private struct Odd: Error, Hashable {}

private enum Piece: Flow {
  typealias Failure = Odd
  case just(Int)
  case empty
  case fail
  case several(Int)

  static func random(_ number: Int, _ random: inout SeededGenerator) -> Piece {
    switch Int.random(in: 0..<16, using: &random) {
    case 0..<8: .just(number)
    case 8..<10: .empty
    case 10: .fail
    default: .several(number)
    }
  }

  func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Int, O.Failure == Odd {
    switch self {
    case .just(let value): Just(value).promoteFailure(to: Odd.self).subscribe(observer)
    case .empty: Empty<Int, Odd>().subscribe(observer)
    case .fail: Fail<Int, Odd>(Odd()).subscribe(observer)
    case .several(let value):
      [value, value + 10, value + 20].flow.promoteFailure(to: Odd.self).subscribe(observer)
    }
  }

  var fails: Bool {
    if case .fail = self { true } else { false }
  }

  var known: Known<Int, Odd>? {
    switch self {
    case .just(let value): .value(value)
    case .empty: .end(.finished)
    case .fail: .end(.failed(Odd()))
    case .several: nil
    }
  }
}

private struct Unsubscribable: Flow {
  let value: Int

  func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Int, O.Failure == Never {
    Issue.record("a known flow was subscribed to")
    return Just(value).subscribe(observer)
  }

  var known: Known<Int, Never>? { .value(value) }
}

private struct Either<Other: Flow>: Flow where Other.Element == Int, Other.Failure == Never {
  let value: Int?
  let otherwise: Other

  func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Int, O.Failure == Never {
    otherwise.subscribe(observer)
  }

  var known: Known<Int, Never>? { value.map { .value($0) } }
}
