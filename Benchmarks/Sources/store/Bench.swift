import BenchFigures
import BenchSupport
import CAllocations
import Foundation

/// What to run, and how often.
struct Bench {
  static let usage = """
    FRESHET_SQLITE=1 swift run -c release --package-path Benchmarks store [PART-OF-A-NAME]
             [--table] [--rounds 5] [--records 1000000] [--dir DIR] [--patience 60] [--alone]
           store --allocations        blocks of malloc for one operation, one line per case
           store --once NAME COUNT    so many operations, for a counter of instructions
    """
  static let columns: [Report.Column] = [
    .init("case", "case"), .init("unit", "unit"), .init("Freshet", "freshet"),
    .init("best", "freshet_best"), .init("worst", "freshet_worst"), .init("SQLite", "sqlite"),
    .init("best", "sqlite_best"), .init("worst", "sqlite_worst"), .init("times better", "ratio"),
    .init("blocks", "freshet_allocations"), .init("goal", "goal"), .init("reached", "reached"),
    .init("calm disk", "disk_calm"),
  ]

  var rounds = 5
  var records = 1_000_000
  var directory = FileManager.default.temporaryDirectory.path
  /// Seconds to wait for a calm disk before each durable section.
  var patience = 60.0
  /// Leaves SQLite out, for a profiler.
  var isAlone = false
  /// What a child process is to do: `--child WORK PATH COUNT`.
  var child: [String]?

  /// Counts instead of measuring: `--allocations`, `--once NAME COUNT`.
  var counting: Counting?
  let report: Report

  enum Counting {
    case allocations
    case once(String, Int)
  }

  init(_ words: [String]) {
    var arguments = Arguments(words, usage: Bench.usage)
    var only: String?
    var isTable = false
    while child == nil, let word = arguments.next() {
      switch word {
      case "--rounds": rounds = arguments.number(of: word)
      case "--records": records = arguments.number(of: word)
      case "--patience": patience = Double(arguments.number(of: word))
      case "--alone": isAlone = true
      case "--table": isTable = true
      case "--dir": directory = arguments.value(of: word)
      case "--child": child = arguments.rest
      case "--allocations": counting = .allocations
      case "--once":
        let name = arguments.value(of: word)
        counting = .once(name, arguments.number(of: word))
      default: only = arguments.part(word, after: only)
      }
    }
    report = Report(columns: isTable ? Bench.columns : nil, only: only)
  }

  func wants(_ name: String) -> Bool { report.wants(name) }

  /// Runs rounds of (ours, SQLite's), and prints both medians, their ratio and the gate.
  ///
  /// Where there are several, one comes before them that does not count; in it the allocations of
  /// ours are counted.
  ///
  /// A figure is per second when `unit` says so, else a time. `ratio` is how many times better we
  /// are, whichever way the figure goes.
  func compare(
    _ name: String, unit: String, reach: Double? = nil, reachRatio: Double? = nil,
    isDurable: Bool, rounds: Int? = nil, ours: (inout Extra) -> Double,
    sqlite: ((inout Extra) -> Double)? = nil
  ) {
    guard wants(name) else { return }
    let rounds = rounds ?? self.rounds
    var mine = Samples()
    var theirs = Samples()
    var floor = Samples()
    var myExtra = Extra()
    var theirExtra = Extra()
    var isCool = true
    if rounds > 1 {
      myExtra = Extra(counts: true)
      _ = ours(&myExtra)
      myExtra = Extra(allocations: myExtra.allocations)
      var none = Extra()
      if let sqlite, !isAlone { _ = sqlite(&none) }
    }
    for _ in 0..<rounds {
      if isDurable {
        isCool = Disk.cool(directory, patience: patience) && isCool
        floor.values.append(Disk.probe(directory, count: 300).median)
      }
      mine.values.append(ours(&myExtra))
      if let sqlite, !isAlone {
        if isDurable { isCool = Disk.cool(directory, patience: patience) && isCool }
        theirs.values.append(sqlite(&theirExtra))
      }
    }
    var line = Line(name)
    line.add("unit", unit)
    line.add("rounds", mine.values.count)
    line.add("freshet", mine.median)
    let isRate = unit.hasSuffix("/s")
    line.add("freshet_best", mine.percentile(isRate ? 1 : 0))
    line.add("freshet_worst", mine.percentile(isRate ? 0 : 1))
    myExtra.add(to: &line, prefix: "freshet_")
    if !theirs.values.isEmpty {
      line.add("sqlite", theirs.median)
      line.add("sqlite_best", theirs.percentile(isRate ? 1 : 0))
      line.add("sqlite_worst", theirs.percentile(isRate ? 0 : 1))
      theirExtra.add(to: &line, prefix: "sqlite_")
      line.add("ratio", isRate ? mine.median / theirs.median : theirs.median / mine.median)
    }
    if isDurable {
      line.add("append_and_sync_us", floor.median)
      line.add("disk_calm", isCool)
    }
    if let reach {
      line.add("reach", reach)
      line.add("reached", isRate ? mine.median >= reach : mine.median <= reach)
      line.show("goal", (isRate ? "≥ " : "≤ ") + rounded(reach))
    }
    if let reachRatio, !theirs.values.isEmpty {
      line.add("reach_times_sqlite", reachRatio)
      line.add("reached", mine.median <= reachRatio * theirs.median)
      line.show("goal", "≤ \(rounded(reachRatio)) × SQLite")
    }
    report.print(line)
  }
}

/// Further figures of a round: the medians are printed.
struct Extra {
  /// Blocks of malloc for one operation, where they were counted.
  private(set) var allocations: Double?
  private let counts: Bool
  private var figures: [(key: String, samples: Samples)] = []

  init(counts: Bool = false, allocations: Double? = nil) {
    self.counts = counts
    self.allocations = allocations
  }

  /// The time that so many operations take, in seconds; counts their allocations where that is asked
  /// for, on all threads.
  mutating func seconds(of operations: Int, _ work: () -> Void) -> Double {
    guard counts else { return BenchFigures.seconds(work) }
    begin_allocations_of_all_threads()
    let taken = BenchFigures.seconds(work)
    allocations = Double(end_allocations_of_all_threads()) / Double(operations)
    return taken
  }

  mutating func add(_ key: String, _ value: Double) {
    if let at = figures.firstIndex(where: { $0.key == key }) {
      figures[at].samples.values.append(value)
    } else {
      figures.append((key, Samples(values: [value])))
    }
  }

  func add(to line: inout Line, prefix: String) {
    if let allocations { line.add(prefix + "allocations", allocations) }
    for figure in figures { line.add(prefix + figure.key, figure.samples.median) }
  }
}
