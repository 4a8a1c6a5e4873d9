import BenchSupport
import Foundation

/// What a case of `freshet bench` took in its best run: nanoseconds per event, and the floor's.
///
/// Both are medians of a run's parts, and the lesser of many runs in turn: a part alone can be lucky, as
/// where a reader happens not to sleep.
private func bench(_ suite: Suite, _ name: String) -> (ours: Double, floor: Double) {
  let folder = Folder(in: suite.directory)
  let program = Program(
    suite, ["bench", name, "--runs", "15", "--warmup", "1", "--format", "ndjson"], in: folder.path)
  var ours = Double.infinity
  var floor = Double.infinity
  while let line = program.line() {
    guard let object = try? JSONSerialization.jsonObject(with: Data(line)) as? [String: Any],
      object["type"] as? String == "bench.sample", let data = object["data"] as? [String: Any],
      let run = data["ns"] as? Double, let floorRun = data["floor_ns"] as? Double
    else { continue }
    ours = min(ours, run)
    floor = min(floor, floorRun)
  }
  guard program.wait() == 0, ours.isFinite, floor.isFinite else {
    stop("freshet bench \(name) failed: \(program.errorText)")
  }
  return (ours, floor)
}

/// Events into lines, batched, beside `JSONEncoder`, and beside serde_json where a program is named.
func encode(_ suite: Suite) {
  let (ours, floor) = bench(suite, "encode")
  suite.report(
    "encode/JSONEncoder", unit: "times", floor / ours, atLeast: 10,
    [("ns", ours), ("events_per_second", 1e9 / ours), ("JSONEncoder_ns", floor)])
  guard let serde = suite.serde else { return }
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
  suite.report(
    "encode/serde_json", unit: "times", theirs / ours, atLeast: 0.75,
    [("ns", ours), ("serde_json_ns", theirs)])
}

/// A line per write(2) into `cat`, beside a loop that writes the same bytes.
func linePerWrite(_ suite: Suite) {
  let (ours, floor) = bench(suite, "lines")
  suite.report(
    "line-per-write", unit: "times", floor / ours, atLeast: 0.8,
    [("ns", ours), ("loop_ns", floor)])
}
