import Freshet
import FreshetTesting
import Testing

@Suite("reducing operators")
struct ReducingTests {
  @Test("send what they say", arguments: examples)
  func example(_ example: Example) {
    example.check()
  }

  static let examples: [Example] = [
    Example("reduce", "6 |") { [1, 2, 3].flow.reduce(0, +) },
    Example("reduce of nothing", "7 |") { [Int]().flow.reduce(7, +) },
    Example("reduce of a failure", "#5") { failing(1, code: 5).reduce(0, +) },
    Example("reduce(into:)", "[1, 2] |") { [1, 2].flow.reduce(into: [Int]()) { $0.append($1) } },
    Example("toArray", "[1, 2, 3] |") { [1, 2, 3].flow.toArray() },
    Example("toArray of nothing", "[] |") { [Int]().flow.toArray() },
    Example("toArray of a failure", "#5") { failing(1, code: 5).toArray() },
    Example("count", "3 |") { [4, 4, 4].flow.count() },
    Example("sum", "6 |") { [1, 2, 3].flow.sum() },
    Example("sum of nothing", "0 |") { [Int]().flow.sum() },
    Example("min", "1 |") { [2, 1, 3].flow.min() },
    Example("min of nothing", "|") { [Int]().flow.min() },
    Example("min by, of equal ones the first", "12 |") {
      [31, 12, 11].flow.min { $0 / 10 < $1 / 10 }
    },
    Example("max", "3 |") { [2, 3, 1].flow.max() },
    Example("max by, of equal ones the first", "32 |") {
      [12, 32, 31].flow.max { $0 / 10 < $1 / 10 }
    },
    Example("min with a NaN that is not first", "1.0 |") { [2, Double.nan, 1].flow.min() },
    Example("max with a NaN that is first", "nan |") { [Double.nan, 1].flow.max() },
    Example("contains", "true |") { [1, 2, 3].flow.contains(2) },
    Example("contains, not", "false |") { [1, 2, 3].flow.contains(4) },
    Example("OP-09: contains of nothing", "false |") { [Int]().flow.contains(4) },
    Example("contains NaN", "false |") { [Double.nan].flow.contains(.nan) },
    Example("contains(where:)", "true |") { [1, 2, 3].flow.contains { $0 > 2 } },
    Example("contains of a failure", "#5") { failing(1, code: 5).contains(2) },
    Example("allSatisfy", "true |") { [1, 2].flow.allSatisfy { $0 < 3 } },
    Example("allSatisfy, not", "false |") { [1, 2, 3].flow.allSatisfy { $0 < 3 } },
    Example("OP-09: allSatisfy of nothing", "true |") { [Int]().flow.allSatisfy { $0 < 3 } },
    Example("defaultIfEmpty of nothing", "0 |") { [Int]().flow.defaultIfEmpty(0) },
    Example("defaultIfEmpty of something", "1 |") { [1].flow.defaultIfEmpty(0) },
    Example("defaultIfEmpty of a failure", "#5") { failing(code: 5).defaultIfEmpty(0) },
    Example("throwIfEmpty of nothing", "#1") { playing().throwIfEmpty(Trouble(1)) },
    Example("throwIfEmpty of something", "1 |") { playing(1).throwIfEmpty(Trouble(1)) },
    Example("throwIfEmpty of a failure", "#5") { failing(code: 5).throwIfEmpty(Trouble(1)) },
    Example("throwIfEmpty of a source that cannot fail", "#1") {
      [Int]().flow.throwIfEmpty(Trouble(1))
    },
    Example("a result of a result", "1 |") { [1, 2, 3].flow.toArray().map { $0.count }.count() },
  ]

  @Test("a pause on the result does not delay the end")
  func pauseOnTheResult() {
    let recorder = Recorder<Int, Never> { _, _ in .pause }
    recorder.subscribe(to: [1, 2].flow.reduce(0, +))
    #expect(recorder.transcript == ["3", "finished"])
    #expect(recorder.violations == [])
  }

  @Test("a stop on the result means no end, and the handle is closed")
  func stopOnTheResult() {
    let recorder = Recorder<Int, Never> { _, _ in .stop }
    let handle = recorder.subscribe(to: [1, 2].flow.reduce(0, +))
    #expect(recorder.transcript == ["3"])
    #expect(handle.isDisposed)
  }

  @Test("disposing while the source's end is on its way means no result")
  func disposeAtTheEnd() {
    let recorder = Recorder<Int, Never>()
    let source = PublishSubject<Int, Never>()
    recorder.subscribe(to: source.tap(onEnd: { _ in recorder.dispose() }).reduce(0, +))
    source.send(1)
    source.finish()
    #expect(recorder.transcript == [])
    #expect(recorder.violations == [])
  }

  @Test("the handle that subscribe returns is the one that the observer was given")
  func oneHandle() {
    let recorder = Recorder<Int, Never>()
    let source = PublishSubject<Int, Never>()
    let handle = recorder.subscribe(to: source.count())
    #expect(handle === recorder.subscription)
    handle.dispose()
    source.finish()
    #expect(recorder.transcript == [])
  }
}
