import FreshetStore

/// `freshet bench`: how fast pipelines, the store and the event stream are on this machine.
enum BenchCommand {
  static let spec = CommandSpec(
    name: "bench",
    summary: "Measure operator pipelines, the store and the event stream.",
    arguments: [
      ArgumentSpec(
        name: "CASE", help: "which cases, by a part of their names, * for anything", count: 0...64)
    ],
    options: [
      .value("pipeline", "EXPR", "measure this pipeline instead; may be given more than once"),
      .value("events", "N", "values in a run"),
      .value("runs", "R", "how often each case is run: 10"),
      .value("warmup", "W", "runs before those that count: 2; with 0, no allocations are counted"),
      .value("compare", "FILE", "an earlier result: tell what changed, and how sure that is"),
      .value(
        "html", "FILE", "write a page with charts; a FILE that is there is replaced, a link is not"),
      .flag("alone", "leave out the same work by hand: for a profiler, or to count instructions"),
      .flag("list", "tell the cases, all or those named, and measure nothing"),
    ],
    examples: [
      .init(line: "freshet bench", meaning: "every case, beside the same work by hand"),
      .init(
        line: "freshet bench --pipeline 'range(1..1000000) | map(*3) | filter(even) | scan(+)'",
        meaning: "a pipeline of one's own"),
      .init(
        line: "freshet bench subject --format ndjson >before.ndjson",
        meaning: "a result to compare with"),
      .init(
        line: "freshet bench subject --compare before.ndjson --html report.html",
        meaning: "what changed since, on a page"),
    ],
    notes: [
      "A pipeline is a source and operators with | between. Sources: range(1..1000), lines(FILE) or "
        + "lines(-), subject(10 observers), timer(1ms). Operators: "
        + PipelineStages.forms.map { "\($0.written) (\($0.meaning))" }.joined(separator: "; ")
        + ". At most \(PipelineParser.stageLimit) of them.",
      "Between the stages of a typed pipeline there is an erased flow: it costs an indirect call "
        + "more per value than a pipeline that is compiled whole, as the named cases are.",
      "Figures depend on the machine and on what else it does; compare runs, and ratios to the floor.",
    ],
    run: { (invocation, session) throws(Stop) in try Bench(invocation, session).run() })
}

/// One run of `bench`.
private struct Bench {
  static let cases = StreamCases.all + StoreCases.all + EventCases.all + WatchCases.all

  private let session: Session
  private let cases: [BenchCase]
  private let events: Int?
  private let runs: Int
  private let warmup: Int
  private let baseline: BenchBaseline?
  private let page: String?
  private let isAlone: Bool
  private let isList: Bool

  init(_ invocation: Invocation, _ session: Session) throws(Stop) {
    self.session = session
    try Self.check(invocation)
    events = try invocation.wholeNumber("events", atLeast: 1)
    // Every run keeps 64 figures.
    runs = try invocation.wholeNumber("runs", in: 1...100_000) ?? 10
    warmup = try invocation.wholeNumber("warmup", in: 0...100_000) ?? 2
    isAlone = invocation.has("alone")
    page = invocation.value("html")
    isList = invocation.has("list")
    cases = try Self.chosen(invocation, session, events: events)
    if let page {
      try Self.check(page: page, compared: invocation.value("compare"), cases.compactMap(\.input))
    }
    if let path = invocation.value("compare") {
      let baseline = try BenchBaseline(
        file: path, cases: cases.map(\.name), session.waiter)
      for one in cases where baseline.runs[one.name] == nil {
        session.diagnostics.note("\(path) holds no sample of \(one.name): it is not compared.")
      }
      self.baseline = baseline
    } else {
      baseline = nil
    }
  }

  /// Refuses options that would do nothing beside others.
  private static func check(_ invocation: Invocation) throws(Stop) {
    let ofMeasuring = ["pipeline", "events", "runs", "warmup", "compare", "html", "alone"]
    if invocation.has("list"), let option = ofMeasuring.first(where: invocation.has) {
      throw .usage(
        "bad_option", "option --\(option) means nothing with --list, which measures nothing")
    }
    if invocation.has("alone"), invocation.has("pipeline") {
      throw .usage(
        "bad_option",
        "option --alone means nothing with --pipeline, which has nothing done by hand beside it")
    }
  }

  /// Whether the page can be written, and nothing gives way to it that was not meant to, is found out
  /// before the time is spent.
  private static func check(
    page path: String, compared: String?, _ inputs: [String]
  ) throws(Stop) {
    func refuse(_ why: String) -> Stop {
      .usage("bad_option", "option --html: cannot write \(path): \(why)")
    }
    if path == "-" {
      throw refuse(
        "standard output has the records; name a file, ./- for one that is called so")
    }
    if let why = System.obstacle(toReplacing: path) { throw refuse(why) }
    if System.isLink(path) {
      throw refuse("it is a symbolic link, which the page would replace; name the file itself")
    }
    if let compared, System.isSameFile(path, compared) {
      throw refuse("it is the earlier result of --compare; name another file")
    }
    if inputs.contains(where: { $0 != "-" && System.isSameFile(path, $0) }) {
      throw refuse("the pipeline reads its lines from it; name another file")
    }
    for (descriptor, name) in [(Int32(0), "input"), (1, "output"), (2, "error")]
    where System.isSameFile(path, descriptor) {
      throw refuse("it is the file of standard \(name); name another one")
    }
  }

  private static func chosen(
    _ invocation: Invocation, _ session: Session, events: Int?
  ) throws(Stop) -> [BenchCase] {
    if let texts = invocation.values["pipeline"] {
      guard invocation.arguments.isEmpty else {
        throw .usage("bad_arguments", "bench measures either cases or a --pipeline")
      }
      var cases: [BenchCase] = []
      for text in texts { cases.append(try pipeline(text, session, events: events)) }
      return cases
    }
    if invocation.arguments.isEmpty { return Self.cases }
    var chosen: [BenchCase] = []
    for word in invocation.arguments {
      // Without a star a part of the name is enough.
      let found = Self.cases.filter {
        word.contains("*") ? Wildcard.matches(word, $0.name) : $0.name.contains(word)
      }
      if found.isEmpty {
        let near = NearestMatch.of(word, among: Self.cases.map(\.name))
        throw .usage(
          "unknown_case",
          "no case is called “\(word.prefix(80))”"
            + (near.map { "; did you mean \($0)?" } ?? "; freshet bench --list tells them"))
      }
      for one in found where !chosen.contains(where: { $0.name == one.name }) { chosen.append(one) }
    }
    return chosen
  }

  private static func pipeline(
    _ text: String, _ session: Session, events: Int?
  ) throws(Stop) -> BenchCase {
    let pipeline: Pipeline
    do {
      pipeline = try PipelineParser.pipeline(text)
    } catch {
      let rest = text.dropFirst(error.column - 1).prefix(24)
      throw .usage(
        "bad_pipeline",
        "the pipeline at column \(error.column)"
          + (rest.isEmpty ? "" : ", “\(rest)”") + ": \(error.message)")
    }
    var lines: [String] = []
    if case .lines(let path) = pipeline.source {
      let input = try Input(path, session: session)
      var splitter = LineSplitter()
      var all: [LineSplitter.Line] = []
      while let bytes = try input.next() { all += splitter.feed(bytes) }
      if let last = splitter.finish() { all.append(last) }
      lines = all.compactMap { $0.bytes.map { String(decoding: $0, as: UTF8.self) } }
      let tooLong = all.count { $0.bytes == nil }
      if tooLong > 0 {
        session.diagnostics.note(
          "\(input.name): \(tooLong) lines are longer than 1 MiB and left out.")
      }
      if lines.isEmpty { throw .usage("no_lines", "\(input.name) holds no line to measure with") }
    }
    return PipelineCase.make(text, pipeline, lines: lines, events: events)
  }

  func run() throws(Stop) -> Finish {
    session.sayHello(command: "bench")
    if isList {
      list()
      return .done
    }
    // Those of a run that goes on after a signal.
    defer { BenchFolders.removeAll() }
    // A run can be long.
    try session.output.flush()
    let machine = System.machine
    var summaries: [BenchSummary] = []
    let progress = ProgressLine(session.diagnostics)
    defer { progress.clear() }
    for (place, one) in cases.enumerated() {
      let summary = try measure(one, progress, after: place * (warmup + runs))
      session.tellSummary(summary, runs: runs, machine: machine)
      try session.output.flush()
      summaries.append(summary)
    }
    progress.clear()
    if session.output.format == .text { session.printTable(summaries, machine: machine) }
    if let page { try write(summaries, machine, to: page) }
    return .done
  }

  private func list() {
    for one in cases {
      session.count("cases")
      let text = TextRow.line([one.name, one.summary])
      session.output.emit(EventHead("bench.case"), text: text) { data in
        data.string("case", one.name)
        data.string("summary", one.summary)
        data.int("events", one.events)
        data.bool("floor", one.floor != nil)
      }
    }
  }

  /// The floor and the work in turn, so that both meet the same machine.
  ///
  /// - Parameter doneRuns: How many runs of other cases came before.
  private func measure(
    _ one: BenchCase, _ progress: ProgressLine, after doneRuns: Int
  ) throws(Stop) -> BenchSummary {
    let count = events ?? one.events
    var summary = BenchSummary(name: one.name, summary: one.summary, events: count)
    summary.before = baseline?.runs[one.name] ?? []
    for number in 0..<(warmup + runs) {
      try session.waiter.checkSignal()
      progress.clear()
      session.diagnostics.step(
        "\(one.name): \(number < warmup ? "warming up" : "run \(number - warmup + 1)")")
      progress.show(
        one.name, Int64(doneRuns + number), Int64(cases.count * (warmup + runs)))
      let byHand = isAlone ? nil : one.floor
      let floor = try byHand.map { (floor) throws(Stop) in try self.pass(floor, count) }
      // Counting costs time: it is done in the last run that does not count.
      let tally = number == warmup - 1 ? Allocations.counting() : nil
      let pass = try self.pass(one.work, count)
      summary.allocations = tally?.perValue(pass.events) ?? summary.allocations
      guard number >= warmup else { continue }
      if let floor { summary.floorRuns.append(floor.nanoseconds) }
      summary.runs.append(pass.nanoseconds)
      summary.events = pass.events
      summary.output = pass.output
      session.tellSample(summary, run: number - warmup + 1)
      progress.clear()
      try session.output.flush()
    }
    return summary
  }

  /// One run, beside this thread: it hears signals and the reader's death meanwhile.
  private func pass(
    _ work: @escaping @Sendable (Int, Waiter) throws(Stop) -> BenchCase.Pass, _ count: Int
  ) throws(Stop) -> BenchCase.Pass {
    try Blocking.result(session.waiter) { (waiter) throws(Stop) in try work(count, waiter) }
  }

  private func write(_ summaries: [BenchSummary], _ machine: String, to path: String) throws(Stop) {
    let page = BenchPage(summaries: summaries, machine: machine)
    do {
      try System.replaceFile(path, with: Array(page.html.utf8))
    } catch {
      throw .input(
        Problem(code: "page_not_written", message: "cannot write \(path): \(error.words)"))
    }
    session.diagnostics.step("wrote \(path)")
  }
}
