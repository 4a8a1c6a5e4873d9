import Foundation
import FreshetStore
import Testing

/// A run's records as they can be compared: what differs from run to run stands as `…`.
enum Transcript {
  private static let changing = ["ts", "cursor"]
  private static let changingData = ["run", "store", "oldest", "version"]

  static func text(of run: Run, replacing: [(String, String)] = []) -> String {
    let text = run.records.map(line).joined(separator: "\n") + "\n"
    // Pictures are named by a hash of their address, which has the server's port.
    return replacing.reduce(text) { $0.replacing($1.0, with: $1.1) }
      .replacing(/\/assets\/[0-9a-f]{64}/, with: "/assets/…")
  }

  private static func line(_ record: Record) -> String {
    var object = record.object
    for key in changing where object[key] != nil { object[key] = "…" }
    if var data = object["data"]?.objectValue {
      if record.type == "stream.hello" {
        for key in changingData where data[key] != nil { data[key] = "…" }
      }
      object["data"] = .object(data)
    }
    return JSONValue.object(object).jsonText
  }

  /// Compares a run with the file of a name beside this one; `FRESHET_GOLDEN=write` writes it.
  ///
  /// - Parameter replacing: What differs from run to run beside what always does, and what stands
  ///   for it.
  static func check(
    _ run: Run, _ name: String, replacing: [(String, String)] = [], file: String = #filePath,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let path = URL(fileURLWithPath: file).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Golden/\(name).ndjson")
    let now = text(of: run, replacing: replacing)
    if ProcessInfo.processInfo.environment["FRESHET_GOLDEN"] == "write" {
      try Data(now.utf8).write(to: path)
    }
    let golden = try String(contentsOf: path, encoding: .utf8)
    let pairs = zip(now.split(separator: "\n"), golden.split(separator: "\n"))
    for (number, pair) in pairs.enumerated() where pair.0 != pair.1 {
      Issue.record(
        "\(name), line \(number + 1):\n  is     \(pair.0)\n  should \(pair.1)",
        sourceLocation: sourceLocation)
    }
    #expect(
      now.split(separator: "\n").count == golden.split(separator: "\n").count,
      sourceLocation: sourceLocation)
  }
}
