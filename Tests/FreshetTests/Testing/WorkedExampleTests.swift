import Freshet
import FreshetTesting
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// docs/testing.md shows this file from here to the end of the suite.

extension Flow {
  /// Sends each value together with the one before it.
  func neighbours() -> Neighbours<Self> { Neighbours(source: self) }
}

struct Neighbours<Source: Flow>: Flow {
  typealias Element = [Source.Element]
  typealias Failure = Source.Failure
  let source: Source

  func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    source.subscribe(NeighboursObserver(downstream: observer))
  }
}

struct NeighboursObserver<Value: Sendable, Downstream: Observer>: Observer
where Downstream.Element == [Value] {
  var downstream: Downstream
  var last: Value?

  static var mayPause: Bool { Downstream.mayPause }

  mutating func start(_ subscription: Subscription) { downstream.start(subscription) }

  mutating func receive(_ value: Value) -> Answer {
    let before = last
    last = value  // State first, then the call.
    guard let before else { return .more }
    return downstream.receive([before, value])
  }

  mutating func end(_ end: End<Downstream.Failure>) { downstream.end(end) }
}

@Suite("neighbours")
struct NeighboursTests {
  @Test("sends each value with the one before it, when it comes")
  func pairs() {
    let scheduler = VirtualScheduler()
    let source = ScriptedSource<Int, Never>()
    let recorder = Recorder<[Int], Never>(scheduler: scheduler)
    recorder.subscribe(to: source.neighbours())
    for value in 1...3 {
      scheduler.advance(by: .milliseconds(10))
      source.send(value)
    }
    source.finish()
    #expect(recorder.transcript == ["[1, 2]@20.0", "[2, 3]@30.0", "finished@30.0"])
    #expect(recorder.violations == [])
  }

  @Test("keeps the stream contract")
  func contract() {
    let contract = StreamContract("neighbours") { rig in
      rig.source.map { [token = rig.token] in token.pass($0) }.neighbours()
    }
    for violation in contract.violations() { Issue.record("\(violation)") }
  }
}

// The end of what docs/testing.md shows.

@Suite("docs/testing.md")
struct WorkedExampleTests {
  @Test("shows the example that is compiled")
  func shown() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let document = try String(contentsOf: root.appending(path: "docs/testing.md"), encoding: .utf8)
    let source = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
    let parts = source.components(separatedBy: "docs/testing.md shows")
    let example =
      try #require(parts.dropFirst().first)
      .components(separatedBy: "// The end of what").first ?? ""
    let lines = example.split(separator: "\n").dropFirst()
    #expect(lines.count > 40, "expected to find the example in this file")
    for line in lines where !document.contains(line) {
      Issue.record("docs/testing.md does not show: \(line)")
    }
  }
}
