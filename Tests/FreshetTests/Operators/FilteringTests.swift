import Freshet
import FreshetTesting
import Testing

@Suite("filtering operators")
struct FilteringTests {
  @Test("send what they say", arguments: examples)
  func example(_ example: Example) {
    example.check()
  }

  static let examples: [Example] = [
    Example("takeWhile", "1 2 |") { [1, 2, 3, 1].flow.takeWhile { $0 < 3 } },
    Example("takeWhile, inclusive", "1 2 3 |") {
      [1, 2, 3, 1].flow.takeWhile(inclusive: true) { $0 < 3 }
    },
    Example("takeWhile, a source that ends before", "1 #5") {
      failing(1, code: 5).takeWhile { $0 < 3 }
    },
    Example("skipWhile", "3 1 |") { [1, 2, 3, 1].flow.skipWhile { $0 < 3 } },
    Example("takeLast", "3 4 |") { [1, 2, 3, 4].flow.takeLast(2) },
    Example("takeLast after the ring has turned", "5 6 7 |") { (1...7).flow.takeLast(3) },
    Example("takeLast, more than there are", "1 2 |") { [1, 2].flow.takeLast(5) },
    Example("takeLast(0)", "|") { [1, 2].flow.takeLast(0) },
    Example("takeLast of a failure", "#5") { failing(1, 2, code: 5).takeLast(1) },
    Example("skipLast", "1 2 |") { [1, 2, 3, 4].flow.skipLast(2) },
    Example("skipLast, more than there are", "|") { [1, 2].flow.skipLast(5) },
    Example("skipLast(0)", "1 2 |") { [1, 2].flow.skipLast(0) },
    Example("skipLast of a failure", "1 #5") { failing(1, 2, code: 5).skipLast(1) },
    Example("first", "1 |") { [1, 2].flow.first() },
    Example("OP-03: first of nothing", "|") { Empty<Int, Never>().first() },
    Example("first(where:)", "2 |") { [1, 2, 3].flow.first { $0 > 1 } },
    Example("first(where:), none", "|") { [1, 2].flow.first { $0 > 2 } },
    Example("last", "2 |") { [1, 2].flow.last() },
    Example("last of nothing", "|") { Empty<Int, Never>().last() },
    Example("last of a failure", "#5") { failing(1, code: 5).last() },
    Example("last(where:)", "2 |") { [1, 2, 3].flow.last { $0 < 3 } },
    Example("element(at:)", "2 |") { [1, 2, 3].flow.element(at: 1) },
    Example("element(at:), too few", "|") { [1, 2, 3].flow.element(at: 3) },
    Example("elements(in:) a range", "2 3 |") { [1, 2, 3, 4].flow.elements(in: 1..<3) },
    Example("elements(in:) a closed range", "2 3 |") { [1, 2, 3, 4].flow.elements(in: 1...2) },
    Example("elements(in:) from", "3 4 |") { [1, 2, 3, 4].flow.elements(in: 2...) },
    Example("elements(in:) up to", "1 2 |") { [1, 2, 3, 4].flow.elements(in: ...1) },
    Example("distinct", "1 2 3 |") { [1, 2, 1, 3, 2].flow.distinct() },
    Example("distinct by a key", "1 2 |") { [1, 3, 2, 4, 5].flow.distinct { $0 % 2 } },
    Example("distinct, the last two only", "1 2 3 1 |") {
      [1, 2, 2, 1, 3, 3, 1].flow.distinct(limit: 2)
    },
    Example("distinct lets NaN pass", "nan 1.0 nan |") {
      [Double.nan, 1, .nan, 1].flow.distinct()
    },
    Example("distinct with a limit does not count NaN", "1.0 nan nan |") {
      [1, Double.nan, .nan, 1].flow.distinct(limit: 1)
    },
    Example("ignoreValues", "|") { [1, 2].flow.ignoreValues() },
    Example("ignoreValues as another type", "end |") {
      [1, 2].flow.ignoreValues(as: String.self).defaultIfEmpty("end")
    },
    Example("ignoreValues of a failure", "#5") { failing(1, code: 5).ignoreValues() },
    Example("ignoreFailure", "1 |") { failing(1, code: 5).ignoreFailure() },
    Example("single", "1 |") { Just(1).single() },
    Example("single of nothing", "#the stream finished without a value") {
      Empty<Int, Never>().single()
    },
    Example("single of two", "#the stream has more than one value") { [1, 2].flow.single() },
    Example("single with a failure of its own", "#2") {
      playing(1, 2).single { Trouble($0 == .noValue ? 1 : 2) }
    },
    Example("single of nothing with a failure of its own", "#1") {
      playing().single { Trouble($0 == .noValue ? 1 : 2) }
    },
    Example("single of a failure", "#5") { failing(1, code: 5).single { _ in Trouble(1) } },
  ]

  @Test("stop the source on the answer, once", arguments: stopping)
  func stop(_ name: String, _ build: @Sendable (AnyFlow<Int, Trouble>) -> AnyFlow<String, Trouble>)
  {
    let source = ScriptedSource<Int, Trouble>()
    let recorder = Recorder<String, Trouble>()
    recorder.subscribe(to: build(source.erased()))
    #expect(source.activeCount == 1, "\(name)")
    source.send(1)
    source.send(2)
    #expect(source.activeCount == 0, "\(name)")
    #expect(recorder.hasEnded, "\(name)")
    source.send(3)
    recorder.dispose()
    #expect(source.log.disposals == 1, "\(name)")
    #expect(recorder.violations == [], "\(name)")
  }

  typealias Build = @Sendable (AnyFlow<Int, Trouble>) -> AnyFlow<String, Trouble>

  // OP-09, and the others that know their answer before the source ends.
  static let stopping: [(String, Build)] = [
    ("first(where:)", { $0.first { $0 == 2 }.map { "\($0)" }.erased() }),
    ("contains(where:)", { $0.contains { $0 == 2 }.map { "\($0)" }.erased() }),
    ("contains", { $0.contains(2).map { "\($0)" }.erased() }),
    ("allSatisfy", { $0.allSatisfy { $0 < 2 }.map { "\($0)" }.erased() }),
    ("takeWhile", { $0.takeWhile { $0 < 2 }.map { "\($0)" }.erased() }),
    ("takeWhile, inclusive", { $0.takeWhile(inclusive: true) { $0 < 2 }.map { "\($0)" }.erased() }),
    ("element(at:)", { $0.element(at: 1).map { "\($0)" }.erased() }),
    ("elements(in:)", { $0.elements(in: 0..<2).map { "\($0)" }.erased() }),
    ("single", { $0.single { _ in Trouble(1) }.map { "\($0)" }.erased() }),
  ]

  @Test("OP-02: an empty range does not subscribe to the source")
  func emptyRange() {
    let source = ScriptedSource<Int, Never>()
    let recorder = Recorder<Int, Never>()
    recorder.subscribe(to: source.elements(in: 3..<3))
    #expect(recorder.transcript == ["finished"])
    #expect(source.log.subscriptions == 0)
  }

  @Test("OP-08: stopping operators pull no more than they need")
  func pullsNoMore() {
    let pulls = Seen<Int>()
    let recorder = Recorder<Int, Never>()
    recorder.subscribe(to: CountedNumbers(1...9, pulls: pulls).flow.takeWhile { $0 < 3 })
    #expect(recorder.transcript == ["1", "2", "finished"])
    #expect(pulls.all == [1, 2, 3])
  }
}
