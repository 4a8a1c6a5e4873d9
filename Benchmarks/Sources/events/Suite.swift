import BenchFigures
import BenchSupport
import Foundation
import FreshetStore

/// What to run, and how often.
struct Suite {
  static let usage = """
    swift build -c release && swift run -c release --package-path Benchmarks events
             [PART-OF-A-NAME] [--table] [--program .build/release/freshet] [--events 1000000]
             [--rounds 40] [--serde PROGRAM] [--dir DIR]
    """
  static let columns: [Report.Column] = [
    .init("case", "case"), .init("unit", "unit"), .init("value", "value"), .init("goal", "goal"),
    .init("reached", "reached"), .init("best", "best"), .init("median", "median"),
    .init("90 %", "p90"), .init("worst", "worst"), .init("blocks", "allocations"),
    .init("beside it", "beside"),
  ]

  var program = ".build/release/freshet"
  var events = 1_000_000
  var rounds = 40
  var directory = FileManager.default.temporaryDirectory.path
  /// Encodes the same events with a peer: `PROGRAM COUNT` prints nanoseconds per event.
  var serde: String?
  let report: Report

  init(_ words: [String]) {
    var arguments = Arguments(words, usage: Suite.usage)
    var only: String?
    var isTable = false
    while let word = arguments.next() {
      switch word {
      case "--program": program = arguments.value(of: word)
      case "--events": events = arguments.number(of: word)
      case "--rounds": rounds = arguments.number(of: word)
      case "--serde": serde = arguments.value(of: word)
      case "--dir": directory = arguments.value(of: word)
      case "--table": isTable = true
      default: only = arguments.part(word, after: only)
      }
    }
    report = Report(columns: isTable ? Suite.columns : nil, only: only)
    guard FileManager.default.isExecutableFile(atPath: program) else {
      stop("there is no \(program): make it with swift build -c release, or name it by --program")
    }
  }

  func wants(_ name: String) -> Bool { report.wants(name) }

  /// A bar that is a share or a multiple, or that something is at most.
  enum Bar {
    case atMost(Double)
    case atLeast(Double)
  }

  /// A bar and whether it was reached.
  /// - Parameters:
  ///   - samples: Of what the value is one figure: their spread is told.
  ///   - beside: What stands beside the value in a table.
  func tell(
    _ name: String, unit: String, _ value: Double, _ bar: Bar, samples: Samples? = nil,
    _ more: [(String, Double)] = [], isSound: Bool = true, beside: String? = nil
  ) {
    var line = Line(name)
    line.add("unit", unit)
    line.add("value", value, digits: 3)
    if let samples {
      for (key, part) in [("best", 0), ("median", 0.5), ("p90", 0.9), ("worst", 1)] {
        line.add(key, samples.percentile(part), digits: 3)
      }
    }
    for (key, figure) in more { line.add(key, figure, digits: 3) }
    switch bar {
    case .atMost(let limit):
      line.add("at_most", limit, digits: 3)
      line.add("reached", isSound && value <= limit)
      line.show("goal", "≤ \(rounded(limit))")
    case .atLeast(let limit):
      line.add("at_least", limit, digits: 3)
      line.add("reached", isSound && value >= limit)
      line.show("goal", "≥ \(rounded(limit))")
    }
    if let beside { line.show("beside", beside) }
    report.print(line)
  }
}

/// A store in a folder of its own, written by this process.
final class Writer {
  let folder: Folder
  let manager: DatabaseManager
  var store: String { folder.path + "/store" }

  init(_ suite: Suite) {
    folder = Folder(in: suite.directory)
    do {
      manager = try DatabaseManager.open(at: folder.path + "/store")
    } catch {
      stop("cannot open a store: \(error)")
    }
  }

  deinit { manager.close() }

  /// Commits and waits until that is durable.
  func commit(_ operations: [FreshetStore.Operation]) {
    let done = DispatchSemaphore(value: 0)
    let token = manager.apply(operations).subscribe(
      onValue: { _ in },
      onEnd: { end in
        if case .failed(let error) = end { stop("cannot commit: \(error)") }
        done.signal()
      })
    done.wait()
    token.dispose()
  }

  func save(_ number: Int, of items: Int) -> FreshetStore.Operation {
    let id = "book:bench:\(number % items)"
    let body =
      #"{"id":"\#(id)","kind":"book","source":"bench","title":"change \#(number) of this item","#
      + #""authors":["one","two"],"publisher":"somebody","price":\#(number)}"#
    return .save(id: id, body: Array(body.utf8))
  }
}
