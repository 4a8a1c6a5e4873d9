import Freshet
import FreshetTesting
import Testing

/// Operators that send values when their source has ended: pause and stop hold for these too.
@Suite("values at the end")
struct LastWordTests {
  @Test("takeLast hands over one value per resume, and then the end")
  func takeLastPauses() {
    let recorder = Recorder<Int, Never> { _, _ in .pause }
    recorder.subscribe(to: (1...5).flow.takeLast(3))
    #expect(recorder.transcript == ["3"])
    recorder.resume()
    #expect(recorder.transcript == ["3", "4"])
    for _ in 0..<3 { recorder.resume() }
    #expect(recorder.transcript == ["3", "4", "5", "finished"])
    #expect(recorder.violations == [])
  }

  @Test("takeLast sends nothing after a stop", arguments: [true, false])
  func takeLastStops(mayPause: Bool) {
    let recorder = Recorder<Int, Never> { _, value in value == 4 ? .stop : .more }
    if mayPause {
      recorder.subscribe(to: (1...5).flow.takeLast(3))
    } else {
      recorder.subscribeWithoutPausing(to: (1...5).flow.takeLast(3))
    }
    #expect(recorder.transcript == ["3", "4"])
  }

  @Test("takeLast sends nothing after a dispose", arguments: [true, false])
  func takeLastDisposed(mayPause: Bool) {
    let recorder = Recorder<Int, Never> { recorder, value in
      if value == 4 { recorder.dispose() }
      return .more
    }
    if mayPause {
      recorder.subscribe(to: (1...5).flow.takeLast(3))
    } else {
      recorder.subscribeWithoutPausing(to: (1...5).flow.takeLast(3))
    }
    #expect(recorder.transcript == ["3", "4"])
    #expect(recorder.violations == [])
  }

  @Test("takeLast: pausing at each of many values costs no more than the values")
  func takeLastManyPauses() {
    let recorder = Recorder<Int, Never> { recorder, _ in
      recorder.resume()
      return .pause
    }
    recorder.subscribe(to: (0..<100_000).flow.takeLast(100_000))
    #expect(recorder.valueCount == 100_000)
    #expect(recorder.hasEnded)
    #expect(recorder.violations == [])
  }

  @Test("the last value waits for the resume of a paused observer", arguments: waiting)
  func waits(_ name: String, _ build: @Sendable (AnyFlow<Int, Trouble>) -> AnyFlow<String, Never>) {
    let source = ScriptedSource<Int, Trouble>()
    let recorder = Recorder<String, Never> { _, _ in .pause }
    recorder.subscribe(to: build(source.erased()))
    source.send(1)
    source.fail(Trouble(5))
    #expect(recorder.valueCount == 1, "\(name)")
    #expect(!recorder.hasEnded, "\(name)")
    for _ in 0..<2 { recorder.resume() }
    #expect(recorder.valueCount == 2, "\(name)")
    #expect(recorder.hasEnded, "\(name)")
    #expect(recorder.violations == [], "\(name)")
  }

  typealias Build = @Sendable (AnyFlow<Int, Trouble>) -> AnyFlow<String, Never>

  static let waiting: [(String, Build)] = [
    ("materialize", { $0.materialize().map { "\($0)" }.erased() }),
    ("mapToResult", { $0.mapToResult().map { "\($0)" }.erased() }),
    ("replaceFailure", { $0.replaceFailure(with: 0).map { "\($0)" }.erased() }),
  ]
}
