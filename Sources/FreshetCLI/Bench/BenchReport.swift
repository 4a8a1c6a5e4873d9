import FreshetStore

extension Session {
  /// One run of a case.
  func tellSample(_ summary: BenchSummary, run: Int) {
    count("samples")
    guard let parts = summary.runs.last, !parts.isEmpty else { return }
    output.emit(EventHead("bench.sample")) { data in
      data.string("case", summary.name)
      data.int("run", run)
      data.int("events", summary.events)
      data.int("out", summary.output)
      data.figure("ns", Statistics.median(parts))
      data.figure("floor_ns", summary.floorRuns.last.map(Statistics.median))
      data.figures("parts", parts)
    }
  }

  /// All runs of a case.
  func tellSummary(_ summary: BenchSummary, runs: Int, machine: String) {
    count("cases")
    output.emit(EventHead("bench.summary")) { data in
      data.string("case", summary.name)
      data.string("summary", summary.summary)
      data.int("events", summary.events)
      data.int("out", summary.output)
      data.int("runs", runs)
      data.object("ns") { object in
        object.figure("min", summary.percentile(0))
        object.figure("p50", summary.percentile(50))
        object.figure("p90", summary.percentile(90))
        object.figure("p99", summary.percentile(99))
      }
      data.figure("events_per_second", summary.perSecond)
      data.figure("floor_ns", summary.floor)
      data.figure("ratio", summary.ratio)
      data.figure("bytes", summary.allocations?.bytes)
      data.figure("allocations", summary.allocations?.blocks)
      data.int("resident_kib", System.residentKibibytes)
      data.string("machine", machine)
      guard let change = summary.change else { return }
      data.object("change") { object in
        object.figure("before_ns", change.baseline)
        object.figure("percent", change.percent)
        object.figure("confidence", change.confidence)
        object.name("verdict", change.verdict)
      }
    }
  }

  /// The table that people see.
  func printTable(_ summaries: [BenchSummary], machine: String) {
    output.printText(machine)
    let slowest = summaries.compactMap { $0.ratio ?? 1 }.max() ?? 1
    var rows = [["case", "p50", "p90", "p99", "events/s", "blocks", "× floor", ""]]
    for summary in summaries {
      let ratio = summary.ratio
      var last = ratio.map { BenchText.bar($0 / max(slowest, 1), width: 24) } ?? ""
      if let change = summary.change {
        last = "\(change.words) (\(BenchText.decimals(change.confidence * 100, 1)) % sure)"
      }
      rows.append([
        TextLine.clean(summary.name), time(summary.percentile(50)), time(summary.percentile(90)),
        time(summary.percentile(99)), summary.perSecond.map(Self.rate) ?? "",
        summary.allocations.map { BenchText.decimals($0.blocks, 2) } ?? "",
        ratio.map { BenchText.decimals($0, 2) } ?? "", last,
      ])
    }
    for line in TextTable.lines(rows, rightAligned: [1, 2, 3, 4, 5, 6]) { output.printText(line) }
  }

  private func time(_ nanoseconds: Double?) -> String { nanoseconds.map(BenchText.time) ?? "" }

  private static func rate(_ perSecond: Double) -> String {
    switch perSecond {
    case 1e9...: "\(BenchText.short(perSecond / 1e9)) G"
    case 1e6...: "\(BenchText.short(perSecond / 1e6)) M"
    case 1e3...: "\(BenchText.short(perSecond / 1e3)) k"
    default: BenchText.short(perSecond)
    }
  }
}
