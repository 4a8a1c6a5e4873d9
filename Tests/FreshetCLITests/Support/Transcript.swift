import Foundation
import FreshetStore
import Testing

/// A run's records as they can be compared: what differs from run to run stands as a word that the
/// schema takes as well.
enum Transcript {
  private static let patterns: [(pattern: String, stands: String)] = [
    (#"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z"#, "2026-01-01T00:00:00.000000Z"),
    (#"c1\.[0-9a-f]{32}-\d+\.\d+\.[0-9a-f]{8}"#, "CURSOR"), (#"\b[0-9a-f]{32}\b"#, "ID"),
    (#""run":"[0-9a-f]+""#, #""run":"RUN""#), (#""version":"[^"]*""#, #""version":"VERSION""#),
    (#""([a-z_]*bytes|[a-z_]*bytes_[a-z]*|milliseconds)":\d+"#, #""$1":0"#),
    (#"\b\d+ bytes"#, "0 bytes"),
    (#"http://127\.0\.0\.1:\d+"#, "http://SERVER"),
    // Pictures are named by a hash of their address, which has the server's port.
    (#"/assets/[0-9a-f]{64}"#, "/assets/HASH"),
  ]

  /// - Parameter replacing: What differs from run to run beside what always does, and what stands
  ///   for it.
  static func text(of run: Run, replacing: [(String, String)] = []) -> String {
    run.records.map { line($0, replacing) + "\n" }.joined()
  }

  private static func line(_ record: Record, _ replacing: [(String, String)]) -> String {
    var text = replacing.reduce(withoutDocuments(record)) { $0.replacing($1.0, with: $1.1) }
    text = text.replacingOccurrences(of: GoldenCase.root, with: "ROOT")
    for (pattern, stands) in patterns {
      text = text.replacingOccurrences(of: pattern, with: stands, options: .regularExpression)
    }
    return text
  }

  /// Help, manual and completions have tests of their own, and what doctor finds is the machine's.
  private static func withoutDocuments(_ record: Record) -> String {
    var object = record.object
    var data = record.data
    switch (record.type, data["op"]?.stringValue) {
    case ("cmd.result", "man"?), ("cmd.result", "completions"?), ("cmd.result", "schema"?):
      data["text"] = "TEXT"
    case ("cmd.result", "help"?): data["help"] = [:]
    case ("doctor.check", _):
      data = ["check": data["check"] ?? .null, "status": "ok", "detail": "DETAIL"]
    default: return record.text
    }
    object["data"] = .object(data)
    return JSONValue.object(object).jsonText
  }

  /// Compares a run with the file of a name; `FRESHET_GOLDEN=write` writes it.
  static func check(
    _ run: Run, _ name: String, replacing: [(String, String)] = [],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let path = GoldenCase.folder.appendingPathComponent("\(name).ndjson")
    let now = text(of: run, replacing: replacing)
    if ProcessInfo.processInfo.environment["FRESHET_GOLDEN"] == "write" {
      try FileManager.default.createDirectory(
        at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
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
