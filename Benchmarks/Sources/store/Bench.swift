import BenchSupport
import Foundation

/// What to run, and how often.
struct Bench: Sendable {
  var only: String?
  var rounds = 5
  var records = 1_000_000
  var directory = FileManager.default.temporaryDirectory.path
  /// Seconds to wait for a calm disk before each durable section.
  var patience = 60.0
  /// Leaves SQLite out, for a profiler.
  var isAlone = false
  /// What a child process is to do: `--child WORK PATH COUNT`.
  var child: [String]?

  init(_ arguments: [String]) {
    var rest = arguments.dropFirst()
    while let word = rest.popFirst() {
      switch word {
      case "--rounds": rounds = Bench.number(rest.popFirst())
      case "--records": records = Bench.number(rest.popFirst())
      case "--patience": patience = Double(Bench.number(rest.popFirst()))
      case "--alone": isAlone = true
      case "--dir": directory = rest.popFirst() ?? directory
      case "--child":
        child = Array(rest)
        return
      default: only = word
      }
    }
  }

  private static func number(_ word: String?) -> Int {
    guard let word, let number = Int(word), number > 0 else { stop("a number is missing") }
    return number
  }

  func wants(_ name: String) -> Bool { only.map { name.contains($0) } ?? true }

  /// Runs rounds of (ours, SQLite's), and prints both medians, their ratio and the gate.
  ///
  /// A figure is per second when `unit` says so, else a time. `ratio` is how many times better we
  /// are, whichever way the figure goes.
  func compare(
    _ name: String, unit: String, reach: Double? = nil, reachRatio: Double? = nil,
    isDurable: Bool, rounds: Int? = nil, ours: (inout Extra) -> Double,
    sqlite: ((inout Extra) -> Double)? = nil
  ) {
    guard wants(name) else { return }
    var mine = Samples()
    var theirs = Samples()
    var floor = Samples()
    var myExtra = Extra()
    var theirExtra = Extra()
    var isCool = true
    for _ in 0..<(rounds ?? self.rounds) {
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
    line.add("freshet_best", unit.hasSuffix("/s") ? mine.percentile(1) : mine.percentile(0))
    myExtra.add(to: &line, prefix: "freshet_")
    let isRate = unit.hasSuffix("/s")
    if !theirs.values.isEmpty {
      line.add("sqlite", theirs.median)
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
    }
    if let reachRatio, !theirs.values.isEmpty {
      line.add("reach_times_sqlite", reachRatio)
      line.add("reached", mine.median <= reachRatio * theirs.median)
    }
    line.print()
  }
}

/// Further figures of a round: the medians are printed.
struct Extra {
  private var figures: [(key: String, samples: Samples)] = []

  mutating func add(_ key: String, _ value: Double) {
    if let at = figures.firstIndex(where: { $0.key == key }) {
      figures[at].samples.values.append(value)
    } else {
      figures.append((key, Samples(values: [value])))
    }
  }

  func add(to line: inout Line, prefix: String) {
    for figure in figures { line.add(prefix + figure.key, figure.samples.median) }
  }
}
