import Glibc

/// Samples of one figure.
package struct Samples {
  package var values: [Double]

  package init(values: [Double] = []) { self.values = values }

  package var median: Double { percentile(0.5) }

  /// The sample that a part of all is not above: 0 the least, 1 the greatest.
  package func percentile(_ part: Double) -> Double {
    if values.isEmpty { return .nan }
    let sorted = values.sorted()
    return sorted[min(sorted.count - 1, Int(part * Double(sorted.count)))]
  }
}

/// Writes one line at once, whatever reads it.
package func say(_ line: String) {
  var bytes = Array((line + "\n").utf8)[...]
  while !bytes.isEmpty {
    let written = bytes.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
    if written > 0 { bytes = bytes.dropFirst(written) } else if errno != EINTR { exit(1) }
  }
}

/// Ends the run where it makes no sense to go on.
package func stop(_ why: String) -> Never {
  let bytes = Array("\(CommandLine.arguments[0]): \(why)\n".utf8)
  _ = write(2, bytes, bytes.count)
  exit(1)
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
