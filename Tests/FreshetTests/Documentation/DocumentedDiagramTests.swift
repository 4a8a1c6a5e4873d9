import Freshet
import FreshetTesting
import Testing

/// The diagrams in the operators' documentation are what the operators do.
@Suite("diagrams in documentation comments")
struct DocumentedDiagramTests {
  @Test("every one is run")
  func complete() throws {
    let names = Set(try DocumentedDiagram.all().map(\.name))
    let run = Set(Self.pictures.map(\.name))
    #expect(names.subtracting(run).sorted() == [], "no picture for these")
    #expect(run.subtracting(names).sorted() == [], "no diagram for these")
  }

  @Test("they are what happens")
  func run() throws {
    let diagrams = try DocumentedDiagram.all()
    for picture in Self.pictures {
      for diagram in diagrams where diagram.name == picture.name {
        let difference = try picture.difference(diagram, VirtualScheduler())
        #expect(difference == nil, "\(picture.name)")
      }
    }
  }

  private static let pictures =
    combining + failing + filtering + reducing + timing + transforming + debugging + mayFail
    + SeveralStreams.pictures + InnerPictures.pictures + PausingPictures.pictures
    + CodingPictures.pictures + PlacePictures.pictures

  /// Whether a number is below three; `x` is no number.
  private static func small(_ value: String) throws(MarbleFailure) -> Bool {
    guard let number = Int(value) else { throw MarbleFailure() }
    return number < 3
  }

  private static func even(_ value: String) throws(MarbleFailure) -> Bool {
    guard let number = Int(value) else { throw MarbleFailure() }
    return number.isMultiple(of: 2)
  }

  private static let mayFail: [Picture] = (0..<2).flatMap { form in
    [
      .one("TryTakeWhile \(form)") { source, _ in source.tryTakeWhile(small) },
      .one("TrySkipWhile \(form)") { source, _ in source.trySkipWhile(small) },
      .one("TryDistinctUntilChanged \(form)") { source, _ in
        source.tryDistinctUntilChanged { last, value throws(MarbleFailure) in
          _ = try small(value)
          return last == value
        }
      },
      .one("TryFirst \(form * 2)") { source, _ in source.tryFirst(where: even) },
      .one("TryFirst \(form * 2 + 1)") { source, _ in source.tryLast(where: even) },
      .one("TryReduce \(form)") { source, _ in
        source.tryReduce(0) { sum, value throws(MarbleFailure) in
          guard let number = Int(value) else { throw MarbleFailure() }
          return sum + number
        }
      },
      .one("TryMinMax \(form * 2)") { source, _ in
        source.tryMin { left, right throws(MarbleFailure) in left < right }
      },
      .one("TryMinMax \(form * 2 + 1)") { source, _ in
        source.tryMax { left, right throws(MarbleFailure) in left < right }
      },
    ]
  }

  private static let combining: [Picture] = [
    .two("Zip 1") { a, b in a.zip(with: b) { (Int($0) ?? 0) + (Int($1) ?? 0) } },
    .one("Monitored 0") { source, _ in source.monitored("orders", by: FlowMonitor()) },
    .one("DetectOverlap 0") { source, _ in source.detectOverlap("sensor") { _ in } },
    .one("ScanMap 0") { source, _ in
      source.scanMap(into: 0) { sum, value -> Int in
        sum += Int(value) ?? 0
        return sum
      }
    },
    .three("AnyNumber 0") { a, b, c in
      combineLatest(a.erased(), b.erased(), c.erased()) { $0 + $1 + $2 }
    },
    .three("AnyNumber 1") { a, b, c in zip(a.erased(), b.erased(), c.erased()) { $0 + $1 + $2 } },
    .two("CombineLatest 0") { $0.combineLatest(with: $1) { $0 + $1 } },
    .two("CombineLatestMany 0") { [$0, $1].combinedLatest().listed() },
    .two("CombineLatestMany 1") { [$0, $1].zipped().listed() },
    .two("Concat 0", isCold: true) { $0.concat($1) },
    .two("ConcatMap 1", isCold: true) { [$0, $1].concatenated() },
    .one("EndWith 0") { source, _ in source.endWith("8") },
    .one("EndWith 1") { source, _ in source.endWith(["8"]) },
    .one("Expand 0") { source, _ in
      source.expand { value -> AnyFlow<String, MarbleFailure> in
        let number = Int(value) ?? 0
        return number < 8
          ? AnyFlow(Just("\(number * 2)").promoteFailure(to: MarbleFailure.self))
          : AnyFlow(Empty())
      }
    },
    .two("Merge 0") { $0.merge(with: $1) },
    .two("Race 0") { $0.race(with: $1) },
    .two("SequenceEqual 0") { $0.sequenceEqual(to: $1) },
    .one("StartWith 0") { source, _ in source.startWith("0") },
    .one("StartWith 1") { source, _ in source.startWith(["0"]) },
    .two("WithLatestFrom 0") { $0.withLatestFrom($1) { $0 + $1 } },
    .two("Zip 0") { $0.zip(with: $1).map { $0.0 + $0.1 } },
  ]

  private static let failing: [Picture] = [
    .one("AssertNoFailure 0") { source, _ in source.assertNoFailure("the list is built in") },
    .one("CatchEveryError 0") { source, _ in
      source.catchEveryError { _ in
        Optional(["8", "9"].flow.promoteFailure(to: MarbleFailure.self))
      }
    },
    .one("CatchError 0") { source, _ in source.catchError { _ in ["8", "9"].flow } },
    .one("IfEmpty 0") { source, _ in
      source.ifEmpty(switchTo: ["8", "9"].flow.promoteFailure(to: MarbleFailure.self))
    },
    .one("PromoteFailure 0") { source, _ in
      source.assertNoFailure().promoteFailure(to: Problem.self)
    },
    .one("Repeat 0", isCold: true) { source, _ in source.repeat(3) },
    .one("ReplaceFailure 0") { source, _ in source.replaceFailure(with: "0") },
    .one("ReplaceFailure 1") { source, _ in source.replaceFailure { _ in "0" } },
    .one("Retry 0", isCold: true) { source, _ in source.retry(2) },
    .one("Retry 1", isCold: true) { source, time in
      source.retry(3, after: .exponential(from: .ticks(1)), on: time)
    },
    Picture(name: "RetryWhen 0") { diagram, time in
      let (source, signal) = try (time.cold(diagram.source), time.hot(diagram.other))
      return try time.difference(of: source.retry { _ in signal }, from: diagram.row("result"))
    },
    Picture(name: "RetryWhen 1") { diagram, time in
      let (source, signal) = try (time.cold(diagram.source), time.hot(diagram.other))
      return try time.difference(of: source.repeat { _ in signal }, from: diagram.row("result"))
    },
  ]

  private static let filtering: [Picture] = [
    .one("Distinct 0") { source, _ in source.distinct(by: { $0 }) },
    .one("Distinct 1") { source, _ in source.distinct() },
    .one("DistinctUntilChanged 0") { source, _ in source.distinctUntilChanged(by: { $0 == $1 }) },
    .one("DistinctUntilChanged 1") { source, _ in source.distinctUntilChanged() },
    .one("ElementAt 0") { source, _ in source.element(at: 1) },
    .one("ElementAt 1") { source, _ in source.elements(in: 1...2) },
    .one("Filter 0") { source, _ in source.filter { "24".contains($0) } },
    .one("First 0") { source, _ in source.first() },
    .one("First 1") { source, _ in source.first { $0 > "1" } },
    .one("IgnoreFailure 0") { source, _ in source.ignoreFailure() },
    .one("IgnoreValues 0") { source, _ in source.ignoreValues() },
    .one("IgnoreValues 1") { source, _ in source.ignoreValues(as: Int.self) },
    .one("Last 0") { source, _ in source.last() },
    .one("Last 1") { source, _ in source.last { $0 < "3" } },
    .one("Skip 0") { source, _ in source.skip(2) },
    .one("SkipLast 0") { source, _ in source.skipLast(2) },
    .two("SkipUntil 0") { $0.skipUntil($1) },
    .one("SkipWhile 0") { source, _ in source.skipWhile { $0 < "3" } },
    .one("Take 0") { source, _ in source.take(2) },
    .one("TakeLast 0") { source, _ in source.takeLast(2) },
    .two("TakeUntil 0") { $0.takeUntil($1) },
    .one("TakeWhile 0") { source, _ in source.takeWhile { $0 < "3" } },
    .one("TakeWhile 0", "inclusive") { source, _ in
      source.takeWhile(inclusive: true) { $0 < "3" }
    },
    .one("TryFilter 0") { source, _ in
      source.tryFilter { value throws(MarbleFailure) in try number(value).isMultiple(of: 2) }
    },
    .one("TryFilter 1") { source, _ in
      source.assertNoFailure()
        .tryFilter { value throws(MarbleFailure) in try number(value).isMultiple(of: 2) }
    },
  ]

  private static let reducing: [Picture] = [
    .one("AllSatisfy 0") { source, _ in source.allSatisfy { $0 < "4" } },
    .one("AllSatisfy 0", "result", 1) { source, _ in source.allSatisfy { $0 < "2" } },
    .one("Contains 0") { source, _ in source.contains { $0 > "1" } },
    .one("Contains 0", "result", 1) { source, _ in source.contains { $0 > "3" } },
    .one("Contains 1") { source, _ in source.contains("2") },
    .one("Count 0") { source, _ in source.count() },
    .one("DefaultIfEmpty 0") { source, _ in source.defaultIfEmpty("0") },
    .one("MinMax 0") { source, _ in source.min { $0 < $1 } },
    .one("MinMax 1") { source, _ in source.min() },
    .one("MinMax 2") { source, _ in source.max { $0 < $1 } },
    .one("MinMax 3") { source, _ in source.max() },
    .one("Recorded 0") { source, _ in
      source.recorded().map { recording in
        let end = if case .failed = recording.end { "failed" } else { "finished" }
        return (recording.values + [end]).joined(separator: ",")
      }
    },
    .one("Reduce 0") { source, _ in source.compactMap { Int($0) }.reduce(0, +) },
    .one("Reduce 1") { source, _ in source.reduce(into: []) { $0.append($1) }.listed() },
    .one("Sum 0") { source, _ in source.compactMap { Int($0) }.sum() },
    .one("ThrowIfEmpty 0") { source, _ in source.throwIfEmpty(MarbleFailure()) },
    .one("ThrowIfEmpty 1") { source, _ in source.assertNoFailure().throwIfEmpty(MarbleFailure()) },
    .one("ToArray 0") { source, _ in source.toArray().listed() },
  ]

  private static let timing: [Picture] = [
    .one("Audit 0") { source, time in source.audit(for: .ticks(3), on: time) },
    .one("Debounce 0") { source, time in source.debounce(for: .ticks(3), on: time) },
    .one("Delay 0") { source, time in source.delay(for: .ticks(2), on: time) },
    .one("Delay 1", isCold: true) { source, time in
      source.delaySubscription(for: .ticks(3), on: time)
    },
    .two("Sample 0") { $0.sample(on: $1) },
    .one("Sample 1") { source, time in source.sample(every: .ticks(3), on: time) },
    .one("TakeFor 0") { source, time in source.take(for: .ticks(7), on: time) },
    .one("TakeFor 1") { source, time in source.skip(for: .ticks(7), on: time) },
    .one("Throttle 0", "both") { source, time in source.throttle(for: .ticks(4), on: time) },
    .one("Throttle 0", "leading") { source, time in
      source.throttle(for: .ticks(4), on: time, trailing: false)
    },
    .one("Throttle 0", "trailing") { source, time in
      source.throttle(for: .ticks(4), on: time, leading: false)
    },
    .one("Timeout 0") { source, time in
      source.timeout(after: .ticks(4), on: time) { MarbleFailure() }
    },
    .one("Timeout 1") { source, time in
      source.timeout(
        after: .ticks(4), on: time,
        switchTo: ["8", "9"].flow.promoteFailure(to: MarbleFailure.self))
    },
  ]

  private static let transforming: [Picture] = [
    .one("Buffer 0") { source, _ in source.buffer(count: 2).listed() },
    .one("BufferInTime 0") { source, time in
      source.buffer(for: .ticks(4), on: time, emptyLists: true).listed()
    },
    .two("BufferInTime 1") { $0.buffer(until: $1).listed() },
    .one("CompactMap 0") { source, _ in source.compactMap { Int($0) } },
    .one("Hide 0") { source, _ in source.hide() },
    .one("Finally 0") { source, _ in source.finally { _ in } },
    .one("Enumerated 0") { source, _ in source.enumerated().map { "\($0.offset),\($0.element)" } },
    .one("Map 0") { source, _ in source.map { ["1": "a", "2": "b", "3": "c"][$0] ?? "" } },
    .one("MapFailure 0") { source, _ in source.mapFailure { _ in Problem.first } },
    .one("MapToResult 0") { source, _ in
      source.mapToResult().map { result in
        switch result {
        case .success(let value): "success(\(value))"
        case .failure: "failure"
        }
      }
    },
    .one("Materialize 0") { source, _ in
      source.materialize().map { event in
        switch event {
        case .value(let value): "value(\(value))"
        case .end(.finished): "end(finished)"
        case .end(.failed): "end(failed)"
        }
      }
    },
    .one("MeasureInterval 0") { source, time in
      source.measureInterval(on: time).map { "\($0.value),\(Int($0.interval / .ticks(1)))" }
    },
    .one("Pairwise 0") { source, _ in source.pairwise().map { "\($0.previous),\($0.current)" } },
    .one("ReplaceNil 0") { source, _ in
      source.map { $0 == "nil" ? nil : $0 }.replaceNil(with: "0")
    },
    .one("Scan 0") { source, _ in source.compactMap { Int($0) }.scan(0, +) },
    .one("ScanInto 0") { source, _ in source.scan(into: []) { $0.append($1) }.listed() },
    .one("Tap 0") { source, _ in source.tap(onValue: { _ in }) },
    .one("Tap 1") { source, _ in source.tap { _ in } },
    .one("Timestamp 0") { source, time in
      source.timestamp(on: time).map { "\($0.value),\(Int($0.moment.sinceOrigin / .ticks(1)))" }
    },
    .one("TryCompactMap 0") { source, _ in
      source.tryCompactMap { value throws(MarbleFailure) in try numberIfAny(value) }
    },
    .one("TryCompactMap 1") { source, _ in
      source.assertNoFailure()
        .tryCompactMap { value throws(MarbleFailure) in try numberIfAny(value) }
    },
    .one("TryMap 0") { source, _ in
      source.tryMap { value throws(MarbleFailure) in try number(value) }
    },
    .one("TryMap 1") { source, _ in
      source.assertNoFailure().tryMap { value throws(MarbleFailure) in try number(value) }
    },
    .one("TryScan 0") { source, _ in
      source.tryScan(0) { sum, value throws(MarbleFailure) in sum + (try number(value)) }
    },
    .one("TryScan 1") { source, _ in
      source.assertNoFailure()
        .tryScan(0) { sum, value throws(MarbleFailure) in sum + (try number(value)) }
    },
  ]

  private static let debugging: [Picture] = [
    .one("Breakpoint 0") { source, _ in source.breakpoint(onValue: { $0 == "2" }, hook: {}) },
    .one("Breakpoint 1") { source, _ in source.breakpointOnFailure(hook: {}) },
    .one("Log 0") { source, _ in source.log("prices", to: Seen<String>()) },
    .one("Log 1") { source, _ in source.log("prices", to: Seen<String>()) },
  ]

  /// The number that a text says.
  private static func number(_ text: String) throws(MarbleFailure) -> Int {
    guard let number = Int(text) else { throw MarbleFailure() }
    return number
  }

  /// The number that a text says; none for y, and no idea for x.
  private static func numberIfAny(_ text: String) throws(MarbleFailure) -> Int? {
    text == "y" ? nil : try number(text)
  }
}

extension Flow where Element == [String] {
  /// Lists as the diagrams write them.
  fileprivate func listed() -> some Flow<String, Failure> {
    map { "[\($0.joined(separator: ","))]" }
  }
}

extension Seen: LogOutput where Value == String {
  func write(_ line: String) { add(line) }
}
