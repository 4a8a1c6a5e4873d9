import BenchFigures
import BenchSupport
import Foundation

/// A case of `freshet bench`: nanoseconds per event of us and of the floor, and blocks of malloc.
///
/// Times are medians of a run's parts, of many runs in turn: a part alone can be lucky, as where a
/// reader happens not to sleep. Ratios are of the best run of each.
private struct Case {
  let ours: Samples
  let floors: Samples
  let allocations: Double

  var best: Double { ours.percentile(0) }
  var floor: Double { floors.percentile(0) }

  init(_ suite: Suite, _ name: String) {
    let folder = Folder(in: suite.directory)
    let program = Program(
      suite, ["bench", name, "--runs", "15", "--warmup", "1", "--format", "ndjson"],
      in: folder.path)
    var ours = Samples()
    var floors = Samples()
    // Not everywhere can they be counted.
    var allocations = Double.nan
    while let line = program.line() {
      guard let object = try? JSONSerialization.jsonObject(with: Data(line)) as? [String: Any],
        let data = object["data"] as? [String: Any], data["case"] as? String == name
      else { continue }
      if object["type"] as? String == "bench.summary" {
        allocations = data["allocations"] as? Double ?? .nan
      } else if let run = data["ns"] as? Double, let floor = data["floor_ns"] as? Double {
        ours.values.append(run)
        floors.values.append(floor)
      }
    }
    guard program.wait() == 0, !ours.values.isEmpty else {
      stop("freshet bench \(name) failed: \(program.errorText)")
    }
    (self.ours, self.floors, self.allocations) = (ours, floors, allocations)
  }

  /// The figures of a line.
  func figures(_ others: [(String, Double)]) -> [(String, Double)] {
    [("ns", best), ("ns_median", ours.median), ("ns_p90", ours.percentile(0.9))]
      + others + [("allocations", allocations)]
  }

  /// The figures as a cell of a table.
  func text(_ other: String, _ figure: Double) -> String {
    "\(rounded(best)) ns, median \(rounded(ours.median)), 90 % \(rounded(ours.percentile(0.9))); "
      + "\(other) \(rounded(figure)) ns"
  }
}

/// Events into lines, batched, beside `JSONEncoder`, and beside serde_json where a program is named.
func encode(_ suite: Suite) {
  let ours = Case(suite, "encode")
  if suite.wants("encode/JSONEncoder") {
    suite.tell(
      "encode/JSONEncoder", unit: "times", ours.floor / ours.best, .atLeast(10),
      ours.figures([("events_per_second", 1e9 / ours.best), ("JSONEncoder_ns", ours.floor)]),
      beside: ours.text("JSONEncoder", ours.floor))
  }
  guard let serde = suite.serde, suite.wants("encode/serde_json") else { return }
  let process = Process()
  let pipe = Pipe()
  process.executableURL = URL(fileURLWithPath: serde)
  process.arguments = ["200000"]
  process.standardOutput = pipe
  do { try process.run() } catch { stop("cannot start \(serde): \(error)") }
  let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
  process.waitUntilExit()
  guard let theirs = Double(text.split(whereSeparator: \.isWhitespace).first ?? "") else {
    stop("\(serde) printed no number: \(text)")
  }
  suite.tell(
    "encode/serde_json", unit: "times", theirs / ours.best, .atLeast(0.75),
    ours.figures([("serde_json_ns", theirs)]), beside: ours.text("serde_json", theirs))
}

/// A line per write(2) into `cat`, beside a loop that writes the same bytes.
func linePerWrite(_ suite: Suite) {
  let ours = Case(suite, "lines")
  suite.tell(
    "line-per-write", unit: "times", ours.floor / ours.best, .atLeast(0.8),
    ours.figures([("loop_ns", ours.floor)]), beside: ours.text("loop", ours.floor))
}
