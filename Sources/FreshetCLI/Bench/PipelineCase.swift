import Freshet
import Synchronization

/// A pipeline as a case: its source is run through the library's operators, without a floor.
enum PipelineCase {
  /// - Parameter events: How many values a subject or a timer sends.
  static func make(
    _ text: String, _ pipeline: Pipeline, lines: [String], events: Int?
  ) -> BenchCase {
    let count: Int =
      switch pipeline.source {
      case .range(let range): range.count
      case .lines: lines.count
      case .subject: events ?? 1_000_000
      case .timer: events ?? 100
      }
    var made = BenchCase(
      name: text, summary: "a pipeline", events: count,
      work: { (count, waiter) throws(Stop) in
        try run(pipeline, lines: lines, count: count, waiter)
      })
    if case .lines(let path) = pipeline.source { made.input = path }
    return made
  }

  private static func run(
    _ pipeline: Pipeline, lines: [String], count: Int, _ waiter: Waiter
  ) throws(Stop) -> BenchCase.Pass {
    let slices = Slices(values: count)
    let scheduler = QueueScheduler(label: "freshet.bench")
    let ends = Ends(waiter)
    func attach(_ source: PipelineFlow) -> Disposable {
      ends.attach(PipelineFlow.make(source, pipeline.stages, on: scheduler))
    }
    switch pipeline.source {
    case .range(let range):
      let part = range.prefix(count)
      let values = SlicedSequence(base: part, slices: slices, waiter: waiter)
      let token = attach(.numbers(values.flow.erased()))
      try ends.wait(for: 1)
      token.dispose()
    case .lines:
      let part = lines.prefix(count)
      let values = SlicedSequence(base: part, slices: slices, waiter: waiter)
      let token = attach(.text(values.flow.erased()))
      try ends.wait(for: 1)
      token.dispose()
    case .subject(let observers):
      let subject = PublishSubject<Int, Never>()
      let tokens = (0..<observers).map { _ in attach(.numbers(subject.erased())) }
      let values = SlicedSequence(base: 1...max(1, count), slices: slices, waiter: waiter)
      for value in values { subject.send(value) }
      subject.finish()
      try ends.wait(for: observers)
      for token in tokens { token.dispose() }
    case .timer(let period):
      let ticks = Interval(every: period, on: scheduler).take(count)
        .tap { tick in
          slices.passed.store(Int(tick), ordering: .relaxed)
          if Int(tick) % slices.size == 0 { slices.mark() }
        }
      let token = attach(.numbers(ticks.erased()))
      try ends.wait(for: 1)
      token.dispose()
    }
    slices.mark()
    return BenchCase.Pass(
      nanoseconds: slices.nanoseconds, events: slices.passed.load(ordering: .relaxed),
      output: ends.count)
  }

  /// Counts what comes out, and waits for the ends.
  private final class Ends: Sendable {
    private let waiter: Waiter
    private let values = Atomic(0)
    private let ended = Atomic(0)

    init(_ waiter: Waiter) { self.waiter = waiter }

    var count: Int { values.load(ordering: .acquiring) }

    func attach(_ flow: PipelineFlow) -> Disposable {
      switch flow {
      case .numbers(let flow): attach(flow)
      case .text(let flow): attach(flow)
      case .lists(let flow): attach(flow)
      }
    }

    private func attach<Element: Sendable>(_ flow: AnyFlow<Element, Never>) -> Disposable {
      flow.subscribe(
        onValue: { [self] _ in values.wrappingAdd(1, ordering: .relaxed) },
        onEnd: { [self] _ in
          ended.wrappingAdd(1, ordering: .releasing)
          waiter.wake()
        })
    }

    func wait(for count: Int) throws(Stop) {
      while ended.load(ordering: .acquiring) < count { _ = try waiter.wait() }
      try waiter.checkSignal()
    }
  }
}
