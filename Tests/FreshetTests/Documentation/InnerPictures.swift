import Freshet
import FreshetTesting

/// The diagrams with flows in flows, with lists, and with several diagrams in one comment.
enum InnerPictures {
  static let pictures = inner + lists + several

  /// An operator that makes flows of values: the first value gets the first row named `inner`.
  private static func inner<Result: Flow>(
    _ name: String,
    _ build:
      @escaping @Sendable (
        Picture.Source, @escaping @Sendable (String) -> Picture.Source
      ) -> Result
  ) -> Picture {
    Picture(name: name) { diagram, time in
      let first = try time.cold(diagram.row("inner", 0))
      let second = try time.cold(diagram.row("inner", 1))
      let flow = build(try time.hot(diagram.source)) { $0 == "a" ? first : second }
      return try time.difference(of: flow, from: diagram.row("result"))
    }
  }

  private static let inner: [Picture] = [
    inner("ConcatMap 0") { source, flow in source.concatMap { flow($0) } },
    inner("ExhaustMap 0") { source, flow in source.exhaustMap { flow($0) } },
    inner("FlatMap 0") { source, flow in source.flatMap { flow($0) } },
    inner("SwitchMap 0") { source, flow in source.switchMap { flow($0) } },
    inner("FlatMapDelayingFailures 0") { source, flow in
      source.flatMapDelayingFailures { flow($0) }
    },
  ]

  private static func numbers(_ text: String) -> [Int] {
    text.split { "[,]".contains($0) }.compactMap { Int($0) }
  }

  private static func text<Values: Sequence>(_ values: Values) -> String {
    "[\(values.map { "\($0)" }.joined(separator: ","))]"
  }

  private static let lists: [Picture] = [
    .two("ForkJoin 0") { [$0, $1].forkJoined().map { text($0) } },
    .two("ForkJoin 1") { forkJoin($0.erased(), $1.erased()) { $0 + $1 } },
    Picture(name: "InBatches 0") { diagram, time in
      let flows = try ["a", "b", "c"].map { try time.cold(diagram.row($0)) }
      return try time.difference(
        of: flows.inBatches(of: 2).map { text($0) }, from: diagram.row("result"))
    },
    .one("MapMany 0") { source, _ in source.map(numbers).mapMany { $0 * 2 }.map { text($0) } },
    .one("MapMany 1") { source, _ in
      source.map(numbers).filterMany { $0.isMultiple(of: 2) }.map { text($0) }
    },
    .one("ScanMap 1") { source, _ in source.nwise(3).map { text($0) } },
    // A shared source is one origin for both sides; a scripted source would be two.
    .one("CombineLatestAtomic 0") { source, _ in
      let source = source.share()
      return source.combineLatestAtomic(with: source.map { $0 + "0" }).map { "\($0),\($1)" }
    },
    .one("CombineLatestAtomic 1") { source, _ in
      let source = source.share()
      return combineLatestAtomic(
        source.erased(), source.map { $0 + "0" }.erased(), source.map { $0 + "000" }.erased()
      ) { "\($0),\($1),\($2)" }
    },
    .one("CombineLatestAtomic 2") { source, _ in
      let source = source.share()
      return [source.erased(), source.map { $0 + "0" }.erased()].combinedLatestAtomic()
        .map { text($0) }
    },
  ]

  /// Each source of the comment with the result below it; the first that differs is told.
  private static func each<Result: Flow>(
    _ name: String, _ build: @escaping @Sendable (Picture.Source) -> Result
  ) -> Picture {
    Picture(name: name) { diagram, _ in
      for number in 0..<3 {
        let time = VirtualScheduler()
        let source = try time.hot(diagram.row("source", number))
        let difference = try time.difference(
          of: build(source), from: diagram.row("result", number))
        if let difference { return difference }
      }
      return nil
    }
  }

  private static let several: [Picture] = [
    each("OnlyValue 0") { $0.single { _ in MarbleFailure() } },
    each("OnlyValue 1") { $0.assertNoFailure().single().mapFailure { _ in MarbleFailure() } },
  ]
}
