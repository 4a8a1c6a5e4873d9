import Freshet

/// A pipeline built from the library's operators.
///
/// What each stage is is known only when the program runs, so there is an erased flow between any
/// two: every stage costs an allocation per subscription and an indirect call per value more than
/// in a program that is compiled with its pipeline.
enum PipelineFlow {
  case numbers(AnyFlow<Int, Never>)
  case text(AnyFlow<String, Never>)
  case lists(AnyFlow<[Int], Never>)

  /// Puts the stages after a source.
  static func make(
    _ source: PipelineFlow, _ stages: [Pipeline.Stage], on scheduler: QueueScheduler
  ) -> PipelineFlow {
    stages.reduce(source) { flow, stage in
      switch flow {
      case .numbers(let numbers): Self.stage(stage.operation, after: numbers, scheduler)
      case .text(let text): Self.stage(stage.operation, after: text, scheduler)
      case .lists(let lists): Self.stage(stage.operation, after: lists, scheduler)
      }
    }
  }

  // MARK: Numbers

  private static func stage(
    _ operation: PipelineOperation, after flow: AnyFlow<Int, Never>, _ scheduler: QueueScheduler
  ) -> PipelineFlow {
    switch operation {
    case .map(let change): .numbers(mapped(flow, change))
    case .filter(let test): .numbers(filtered(flow, test))
    case .takeWhile(let test):
      .numbers(flow.takeWhile { test.holds(for: $0) }.erased())
    case .skipWhile(let test):
      .numbers(flow.skipWhile { test.holds(for: $0) }.erased())
    case .scan(let combination): .numbers(scanned(flow, combination))
    case .reduce(let combination): .numbers(reduced(flow, combination))
    case .startWith(let number): .numbers(flow.startWith(number).erased())
    case .buffer(let count): .lists(flow.buffer(count: count).erased())
    case .flatMap(let count): .numbers(flow.flatMap { copies($0, count) }.erased())
    case .concatMap(let count): .numbers(flow.concatMap { copies($0, count) }.erased())
    case .switchMap(let count): .numbers(flow.switchMap { copies($0, count) }.erased())
    case .merge(let range): .numbers(flow.merge(with: range.flow).erased())
    case .zip(let range):
      .numbers(flow.zip(with: range.flow).map { $0.0 &+ $0.1 }.erased())
    case .distinct: .numbers(flow.distinct().erased())
    case .distinctUntilChanged: .numbers(flow.distinctUntilChanged().erased())
    case .count: .numbers(flow.count().erased())
    default: .numbers(anyStage(operation, after: flow, scheduler))
    }
  }

  // One closure each, so that no value pays for looking up what is to be done with it.

  private static func mapped(
    _ flow: AnyFlow<Int, Never>, _ change: PipelineOperation.Change
  ) -> AnyFlow<Int, Never> {
    switch change {
    case .plus(let number): flow.map { $0 &+ number }.erased()
    case .minus(let number): flow.map { $0 &- number }.erased()
    case .times(let number): flow.map { $0 &* number }.erased()
    case .divided(let number): flow.map { $0.dividedReportingOverflow(by: number).0 }.erased()
    case .remainder(let number):
      flow.map { $0.remainderReportingOverflow(dividingBy: number).0 }.erased()
    case .square: flow.map { $0 &* $0 }.erased()
    case .negated: flow.map { 0 &- $0 }.erased()
    }
  }

  private static func filtered(
    _ flow: AnyFlow<Int, Never>, _ test: PipelineOperation.Test
  ) -> AnyFlow<Int, Never> {
    switch test {
    case .even: flow.filter { $0 & 1 == 0 }.erased()
    case .odd: flow.filter { $0 & 1 == 1 }.erased()
    case .less(let number): flow.filter { $0 < number }.erased()
    case .lessOrEqual(let number): flow.filter { $0 <= number }.erased()
    case .more(let number): flow.filter { $0 > number }.erased()
    case .moreOrEqual(let number): flow.filter { $0 >= number }.erased()
    case .equal(let number): flow.filter { $0 == number }.erased()
    case .notEqual(let number): flow.filter { $0 != number }.erased()
    }
  }

  private static func scanned(
    _ flow: AnyFlow<Int, Never>, _ combination: PipelineOperation.Combination
  ) -> AnyFlow<Int, Never> {
    switch combination {
    case .sum: flow.scan(0) { $0 &+ $1 }.erased()
    case .product: flow.scan(1) { $0 &* $1 }.erased()
    case .max: flow.scan(Int.min) { Swift.max($0, $1) }.erased()
    case .min: flow.scan(Int.max) { Swift.min($0, $1) }.erased()
    }
  }

  private static func reduced(
    _ flow: AnyFlow<Int, Never>, _ combination: PipelineOperation.Combination
  ) -> AnyFlow<Int, Never> {
    switch combination {
    case .sum: flow.reduce(0) { $0 &+ $1 }.erased()
    case .product: flow.reduce(1) { $0 &* $1 }.erased()
    case .max: flow.max().erased()
    case .min: flow.min().erased()
    }
  }

  private static func copies(_ value: Int, _ count: Int) -> SequenceFlow<Range<Int>> {
    let (end, overflow) = value.addingReportingOverflow(count)
    return (overflow ? value..<value : value..<end).flow
  }

  // MARK: Text and lists

  private static func stage(
    _ operation: PipelineOperation, after flow: AnyFlow<String, Never>, _ scheduler: QueueScheduler
  ) -> PipelineFlow {
    switch operation {
    case .mapText(.length): .numbers(flow.map(\.count).erased())
    case .mapText(.upper): .text(flow.map { $0.uppercased() }.erased())
    case .mapText(.lower): .text(flow.map { $0.lowercased() }.erased())
    case .filterText(let needle): .text(flow.filter { $0.contains(needle) }.erased())
    case .distinct: .text(flow.distinct().erased())
    case .distinctUntilChanged: .text(flow.distinctUntilChanged().erased())
    case .count: .numbers(flow.count().erased())
    default: .text(anyStage(operation, after: flow, scheduler))
    }
  }

  private static func stage(
    _ operation: PipelineOperation, after flow: AnyFlow<[Int], Never>, _ scheduler: QueueScheduler
  ) -> PipelineFlow {
    switch operation {
    case .mapList(.sum): .numbers(flow.map { $0.reduce(0, &+) }.erased())
    case .mapList(.product): .numbers(flow.map { $0.reduce(1, &*) }.erased())
    case .mapList(.max): .numbers(flow.compactMap { $0.max() }.erased())
    case .mapList(.min): .numbers(flow.compactMap { $0.min() }.erased())
    case .flatten: .numbers(flow.concatMap { $0.flow }.erased())
    case .count: .numbers(flow.count().erased())
    default: .lists(anyStage(operation, after: flow, scheduler))
    }
  }

  /// The operators that do not look at the values.
  private static func anyStage<Element: Sendable>(
    _ operation: PipelineOperation, after flow: AnyFlow<Element, Never>, _ scheduler: QueueScheduler
  ) -> AnyFlow<Element, Never> {
    switch operation {
    case .take(let count): flow.take(count).erased()
    case .skip(let count): flow.skip(count).erased()
    case .takeLast(let count): flow.takeLast(count).erased()
    case .skipLast(let count): flow.skipLast(count).erased()
    case .first: flow.first().erased()
    case .last: flow.last().erased()
    case .share: flow.share().erased()
    case .observe: flow.observe(on: scheduler).erased()
    case .debounce(let time): flow.debounce(for: time, on: scheduler).erased()
    case .throttle(let time): flow.throttle(for: time, on: scheduler).erased()
    case .delay(let time): flow.delay(for: time, on: scheduler).erased()
    // The parser lets nothing else come here.
    default: flow
    }
  }
}

extension PipelineOperation.Test {
  /// Whether a number passes.
  func holds(for value: Int) -> Bool {
    switch self {
    case .even: value & 1 == 0
    case .odd: value & 1 == 1
    case .less(let number): value < number
    case .lessOrEqual(let number): value <= number
    case .more(let number): value > number
    case .moreOrEqual(let number): value >= number
    case .equal(let number): value == number
    case .notEqual(let number): value != number
    }
  }
}
