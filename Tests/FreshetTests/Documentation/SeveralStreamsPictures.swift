import Freshet
import FreshetTesting

/// The diagrams that take more than a source and a result.
enum SeveralStreams {
  static let pictures = delayed + collected + flattened + opened

  private static func isEven(_ value: String) throws(MarbleFailure) -> Bool {
    guard let number = Int(value) else { throw MarbleFailure() }
    return number.isMultiple(of: 2)
  }

  private static func letter(_ value: Bool) -> String { value ? "t" : "f" }

  private static let delayed: [Picture] = [
    .two("FlatMapDelayingFailures 1") { [$0, $1].mergedDelayingFailures() },
    .two("FlatMapDelayingFailures 2", isCold: true) { [$0, $1].concatenatedDelayingFailures() },
    Picture(name: "DelayWhen 0") { diagram, time in
      let signals = try ["a": time.cold("----x"), "b": time.cold("-x")]
      let none = try time.cold("-")
      let flow = try time.hot(diagram.source).delayWhen { signals[$0] ?? none }
      return try time.difference(of: flow, from: diagram.row("result"))
    },
    Picture(name: "TryCatchError 0") { diagram, time in
      let replacement = try time.cold("8--9--|")
      let flow = try time.hot(diagram.source).tryCatchError { _ throws(MarbleFailure) in replacement
      }
      return try time.difference(of: flow, from: diagram.row("result"))
    },
  ]

  private static let collected: [Picture] = [
    .one("Toggled 0") { source, _ in source.map { $0 == "t" }.toggled().map(letter) },
    .one("TryContains 0") { source, _ in source.tryContains(where: isEven).map(letter) },
    .one("TryContains 1") { source, _ in source.tryAllSatisfy(isEven).map(letter) },
    .one("TryContains 2") { source, _ in
      source.assertNoFailure().tryContains(where: isEven).map(letter)
    },
    .one("TryContains 3") { source, _ in
      source.assertNoFailure().tryAllSatisfy(isEven).map(letter)
    },
    Picture(name: "WithLatestFromMany 0") { diagram, time in
      let first = try time.hot(diagram.row("a"))
      let second = try time.hot(diagram.row("b"))
      let flow = try time.hot(diagram.source)
        .withLatestFrom(first.erased(), second.erased()) { $0 + $1 + $2 }
      return try time.difference(of: flow, from: diagram.row("result"))
    },
  ]

  private static let flattened: [Picture] = [
    .one("MergeScan 0") { source, time in
      source.compactMap { Int($0) }.mergeScan(0) { sum, value in
        Just(sum + value).promoteFailure(to: MarbleFailure.self).delay(for: .ticks(1), on: time)
      }
    },
    .one("Dematerialize 0") { source, _ in
      source.assertNoFailure().map { text -> Event<String, MarbleFailure> in
        switch text {
        case "end(failed)": .end(.failed(MarbleFailure()))
        default: .value(String(text.dropFirst(6).dropLast()))
        }
      }
      .dematerialize()
    },
  ]

  /// Of flows in flows, the moments at which they open; what is in them is the business of
  /// `WindowTests` and `GroupByTests`.
  private static let opened: [Picture] = [
    .one("Window 0") { source, _ in source.window(count: 2).enumerated().map { letters[$0.offset] }
    },
    .one("Window 1") { source, time in
      source.window(for: .ticks(5), on: time).enumerated().map { letters[$0.offset] }
    },
    .two("Window 2") { $0.window(until: $1).enumerated().map { letters[$0.offset] } },
    .one("GroupBy 0") { source, _ in
      source.groupBy { (Int($0) ?? 0).isMultiple(of: 2) }.map { $0.key ? "even" : "odd" }
    },
  ]

  private static let letters = ["a", "b", "c", "d"]
}
