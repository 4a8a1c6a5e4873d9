/// All runs of one case.
struct BenchSummary: Sendable {
  let name: String
  let summary: String
  /// How many values went into a run.
  var events: Int
  /// What came out at the end of a run.
  var output = 0
  /// Nanoseconds per value of every part, run by run.
  var runs: [[Double]] = []
  var floorRuns: [[Double]] = []
  /// What the same case took in an earlier result.
  var before: [[Double]] = []
  /// Blocks of malloc and their bytes for one value; nil where they were not counted.
  var allocations: Allocations.Count?

  var parts: [Double] { runs.flatMap { $0 }.sorted() }

  func percentile(_ percent: Double) -> Double? {
    let parts = parts
    return parts.isEmpty ? nil : Statistics.percentile(percent, of: parts)
  }

  var floor: Double? {
    floorRuns.isEmpty ? nil : Statistics.median(floorRuns.flatMap { $0 })
  }

  /// How many times the floor's time it takes, by medians.
  var ratio: Double? {
    guard let floor, floor > 0, let median = percentile(50) else { return nil }
    return median / floor
  }

  var perSecond: Double? {
    percentile(50).flatMap { $0 > 0 ? 1e9 / $0 : nil }
  }

  /// The change against the earlier result.
  var change: Change? {
    guard !before.isEmpty, !runs.isEmpty else { return nil }
    let old = before.map(Statistics.median)
    let new = runs.map(Statistics.median)
    let baseline = Statistics.median(old)
    guard baseline > 0 else { return nil }
    return Change(
      baseline: baseline, percent: (Statistics.median(new) / baseline - 1) * 100,
      confidence: Statistics.confidence(old, new))
  }

  /// How a case differs from an earlier result.
  struct Change: Equatable {
    /// Nanoseconds per value, the median of the earlier runs.
    let baseline: Double
    /// More than 0 is slower.
    let percent: Double
    /// 0 to 1: how sure it is that there is a difference.
    let confidence: Double

    /// Told only where chance is less likely than one in twenty, and where the difference shows.
    var verdict: StaticString {
      if confidence < 0.95 || percentText == "0.0" { return "same" }
      return percent > 0 ? "slower" : "faster"
    }

    /// The percentage as people read it, without a plus.
    var percentText: String { BenchText.decimals(percent, 1) }

    /// What people read: `slower +3.1 %`, `faster -2.0 %`, `same 0.0 %`.
    var words: String {
      let text = percentText
      return "\(verdict) \(text == "0.0" || text.hasPrefix("-") ? "" : "+")\(text) %"
    }
  }
}

/// Nanoseconds as people read them.
enum BenchText {
  static func time(_ nanoseconds: Double) -> String {
    switch nanoseconds {
    case ..<1000: "\(short(nanoseconds)) ns"
    case ..<1_000_000: "\(short(nanoseconds / 1000)) µs"
    case ..<1_000_000_000: "\(short(nanoseconds / 1_000_000)) ms"
    default: "\(short(nanoseconds / 1_000_000_000)) s"
    }
  }

  /// Three digits that count.
  static func short(_ value: Double) -> String {
    switch abs(value) {
    case ..<10: decimals(value, 2)
    case ..<100: decimals(value, 1)
    default: decimals(value, 0)
    }
  }

  /// A number with so many digits behind the point; one that is too large for that as it is.
  static func decimals(_ value: Double, _ places: Int) -> String {
    var scale = 1.0
    for _ in 0..<places { scale *= 10 }
    guard abs(value) < 1e15 else { return "\(value)" }
    let whole = Int64((abs(value) * scale).rounded())
    if places == 0 { return value < 0 && whole != 0 ? "-\(whole)" : "\(whole)" }
    let digits = String(whole)
    let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
    let sign = value < 0 && whole != 0 ? "-" : ""
    return sign + padded.dropLast(places) + "." + padded.suffix(places)
  }

  /// `width` cells of which a share is filled, to an eighth of a cell.
  static func bar(_ share: Double, width: Int) -> String {
    let eighths = Int((min(max(share, 0), 1) * Double(width * 8)).rounded())
    let parts = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
    let text = String(repeating: "█", count: eighths / 8) + parts[eighths % 8]
    return text.isEmpty ? "▏" : text
  }
}
