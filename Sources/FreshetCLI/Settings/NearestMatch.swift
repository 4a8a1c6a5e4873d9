/// Finds what somebody most likely meant.
enum NearestMatch {
  /// The candidate that takes the fewest typing mistakes, nil when none is near.
  static func of(_ word: String, among candidates: [String]) -> String? {
    let limit = max(1, min(3, (word.count + 1) / 3))
    let ranked = candidates.map { (distance(word, $0), $0) }.filter { $0.0 <= limit }
    if let best = ranked.min(by: { $0.0 < $1.0 }) { return best.1 }
    return word.count >= 3 ? candidates.first { $0.hasPrefix(word) } : nil
  }

  /// Insertions, deletions, replacements and swaps of neighbours that turn one into the other.
  static func distance(_ left: String, _ right: String) -> Int {
    let a = Array(left.prefix(64))
    let b = Array(right.prefix(64))
    var beforeLast = [Int](repeating: 0, count: b.count + 1)
    var last = Array(0...b.count)
    for i in a.indices {
      var row = [i + 1]
      for j in b.indices {
        var best = min(last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
          best = min(best, beforeLast[j - 1] + 1)
        }
        row.append(best)
      }
      beforeLast = last
      last = row
    }
    return last[b.count]
  }
}
