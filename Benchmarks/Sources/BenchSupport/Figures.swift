import Foundation

/// One JSON line of figures.
package struct Line {
  private var text: String

  package init(_ name: String) { text = "{\"case\":\"\(name)\"" }

  package mutating func add(_ key: String, _ value: Double, digits: Int = 2) {
    guard value.isFinite else { return }
    text += ",\"\(key)\":" + String(format: "%.\(digits)f", value)
  }

  package mutating func add(_ key: String, _ value: Int) { text += ",\"\(key)\":\(value)" }

  package mutating func add(_ key: String, _ value: Bool) { text += ",\"\(key)\":\(value)" }

  package mutating func add(_ key: String, _ value: String) { text += ",\"\(key)\":\"\(value)\"" }

  package func print() { say(text + "}") }
}

/// Writes one line at once, whatever reads it.
package func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

/// Samples of one figure.
package struct Samples {
  package var values: [Double]

  package init(values: [Double] = []) { self.values = values }

  package var median: Double { percentile(0.5) }

  package func percentile(_ part: Double) -> Double {
    if values.isEmpty { return .nan }
    let sorted = values.sorted()
    return sorted[min(sorted.count - 1, Int(part * Double(sorted.count)))]
  }
}

/// The time that a piece of work takes, in seconds.
@discardableResult
package func seconds(_ work: () throws -> Void) rethrows -> Double {
  let start = nanoseconds()
  try work()
  return Double(nanoseconds() - start) / 1e9
}

/// CLOCK_MONOTONIC, the same for all processes.
package func nanoseconds() -> Int64 {
  var now = timespec()
  clock_gettime(CLOCK_MONOTONIC, &now)
  return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
}

/// The processor time that this process has used, in seconds.
package func processorSeconds() -> Double {
  var now = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now)
  return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
}

/// A process's own memory in MiB: what it does not share with a file.
package func privateMebibytes(of process: Int32? = nil) -> Double {
  let name = process.map { String($0) } ?? "self"
  guard let status = try? String(contentsOfFile: "/proc/\(name)/status", encoding: .utf8),
    let line = status.split(separator: "\n").first(where: { $0.hasPrefix("RssAnon:") }),
    let number = line.split(whereSeparator: { !$0.isNumber }).first.flatMap({ Double($0) })
  else { return .nan }
  return number / 1024
}
