import Freshet
import Testing

@testable import FreshetCLI

/// The language of `bench --pipeline`.
@Suite struct PipelineTests {
  private func parse(_ text: String) throws -> Pipeline { try PipelineParser.pipeline(text) }

  @Test("a source and stages, however they are spaced")
  func structure() throws {
    let pipeline = try parse("range(1..1_000) |map( *3 )|  filter(even) | scan(+) | take(10)")
    #expect(pipeline.source == .range(1...1000))
    #expect(
      pipeline.stages.map(\.operation) == [
        .map(.times(3)), .filter(.even), .scan(.sum), .take(10),
      ])
    #expect(pipeline.stages.map(\.column) == [18, 30, 45, 55])
  }

  @Test("every source")
  func everySource() throws {
    #expect(try parse("range(-3..3)").source == .range(-3...3))
    #expect(try parse("lines(-)").source == .lines("-"))
    #expect(try parse("lines(\"a (b).txt\")").source == .lines("a (b).txt"))
    #expect(try parse("subject(10 observers)").source == .subject(observers: 10))
    #expect(try parse("subject(1)").source == .subject(observers: 1))
    #expect(try parse("timer(1ms)").source == .timer(.milliseconds(1)))
  }

  @Test("every operator of the help is understood as it is written there")
  func everyForm() throws {
    for form in PipelineStages.forms {
      let before = form.name == "flatten" ? "range(1..3) | buffer(2) | " : "range(1..3) | "
      let pipeline = try parse(before + form.written)
      #expect(!pipeline.stages.isEmpty, "\(form.written)")
    }
  }

  @Test(
    "what cannot be understood is told with its column",
    arguments: [
      ("", 1, "the text ends"), ("range(1..10) |", 15, "the text ends"),
      ("range(1..10", 6, "never closed"), ("range(1..10) filter(even)", 14, "expected “|”"),
      ("range(1..10) | fliter(even)", 16, "did you mean filter?"),
      ("rnge(1..10)", 1, "did you mean range?"), ("range(10..1)", 7, "ends before it begins"),
      ("range(0..\(Int.max))", 7, "more values than"),
      ("range(\(Int.min)..\(Int.max)) | count", 7, "more values than"),
      ("range(1..99999999999999999999)", 7, "two numbers"), ("range(1..10) | map(/0)", 20, "by 0"),
      ("range(1..10) | map(length)", 20, "numbers are mapped by"),
      ("range(1..10) | take(-1)", 21, "at least 0"), ("range(1..10) | take", 16, "needs"),
      ("range(1..10) | count(3)", 22, "takes nothing"),
      ("range(1..10) | range(1..3)", 16, "can only stand first"),
      ("range(1..10) | buffer(2) | scan(+)", 28, "takes numbers, but lists come here"),
      ("lines(-) | scan(+)", 12, "takes numbers, but text come here"),
      ("lines(-) | filter(contains x)", 19, "in quotes"), ("timer(0s)", 7, "a time such as"),
      ("subject(0)", 9, "1 to 100000"), ("range(1..10) | 3", 16, "the name of"),
    ])
  func faults(_ text: String, _ column: Int, _ words: String) {
    #expect {
      try parse(text)
    } throws: { error in
      guard let fault = error as? PipelineFault else { return false }
      #expect(fault.column == column && fault.message.contains(words), "\(fault)")
      return true
    }
  }

  private func numbers(_ text: String) throws -> [Int] {
    let pipeline = try parse(text)
    guard case .range(let range) = pipeline.source else { return [] }
    let scheduler = QueueScheduler(label: "test")
    let flow = PipelineFlow.make(
      .numbers(range.flow.erased()), pipeline.stages, on: scheduler)
    let collected = Recorded()
    guard case .numbers(let result) = flow else { return [] }
    result.toArray().subscribe { collected.take($0) }.dispose()
    return collected.values
  }

  // @unchecked: written before subscribe returns, by the thread that subscribes.
  private final class Recorded: @unchecked Sendable {
    private(set) var values: [Int] = []
    func take(_ values: [Int]) { self.values = values }
  }

  @Test(
    "stages do what they say",
    arguments: [
      ("range(1..10) | map(*3) | filter(even) | scan(+)", [6, 18, 36, 60, 90]),
      ("range(1..5) | map(%3)", [1, 2, 0, 1, 2]), ("range(1..5) | reduce(*)", [120]),
      ("range(1..7) | buffer(3) | map(+)", [6, 15, 7]),
      ("range(1..5) | buffer(2) | flatten", [1, 2, 3, 4, 5]),
      ("range(1..6) | skip(1) | skipLast(1) | takeLast(2)", [4, 5]),
      ("range(1..9) | takeWhile(<4)", [1, 2, 3]), ("range(1..9) | skipWhile(<=7)", [8, 9]),
      ("range(1..4) | map(/2) | distinctUntilChanged", [0, 1, 2]),
      ("range(1..6) | map(%3) | distinct", [1, 2, 0]),
      ("range(1..3) | concatMap(2)", [1, 2, 2, 3, 3, 4]),
      ("range(1..3) | startWith(0) | zip(10..13)", [10, 12, 14, 16]),
      ("range(1..9) | first", [1]), ("range(1..9) | last", [9]), ("range(1..9) | count", [9]),
      ("range(1..3) | map(negate) | scan(max)", [-1, -1, -1]),
      ("range(9223372036854775806..9223372036854775807) | map(+1)", [Int.max, Int.min]),
      ("range(-9223372036854775808..-9223372036854775808) | map(/-1)", [Int.min]),
    ])
  func results(_ text: String, _ expected: [Int]) throws {
    #expect(try numbers(text) == expected)
  }

  @Test("random text is understood or refused, never a trap")
  func randomText() {
    let pieces = [
      "range", "(", ")", "1..5", "|", " ", "map", "*3", "\"", "lines", "-", "é", "🎬", "filter", "<",
      "9999999999999999999999", "..", "take", "(((", "\n", "timer(1ms)", "0",
    ]
    let seed = UInt64.random(in: 0 ... .max)
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<5000 {
      let count = Int.random(in: 0...9, using: &generator)
      let text = (0..<count).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
      do {
        _ = try parse(text)
      } catch {
        let fault = error as? PipelineFault
        #expect(
          fault.map { (1...(text.count + 1)).contains($0.column) } == true, "seed \(seed): \(text)")
      }
    }
  }
}
