/// Spans of time as they are written in options: `250ms`, `15s`, `2m`, `1.5h`.
enum DurationText {
  static func parse(_ text: String) -> Duration? {
    let units: [(String, Double)] = [("ms", 0.001), ("s", 1), ("m", 60), ("h", 3600)]
    for (suffix, seconds) in units where text.hasSuffix(suffix) {
      let digits = text.dropLast(suffix.count)
      guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E }),
        let number = Double(digits), number * seconds <= 31_536_000
      else { continue }
      return .milliseconds(Int64((number * seconds * 1000).rounded()))
    }
    return nil
  }
}
