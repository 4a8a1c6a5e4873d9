/// What many measurements say together.
enum Statistics {
  /// A percentile by nearest rank; `values` must be sorted and not empty.
  static func percentile(_ percent: Double, of values: [Double]) -> Double {
    let rank = Int((percent / 100 * Double(values.count)).rounded(.up))
    return values[min(max(rank, 1), values.count) - 1]
  }

  static func median(_ values: [Double]) -> Double {
    percentile(50, of: values.sorted())
  }

  /// How sure it is that two sets of measurements differ: 1 minus the two-sided p of the
  /// Mann–Whitney U test (normal approximation, corrected for ties and continuity).
  ///
  /// It asks for no distribution of the times, which have long tails. 0 when either side has fewer
  /// than three. Source: H. B. Mann, D. R. Whitney, Annals of Mathematical Statistics 18 (1947).
  static func confidence(_ left: [Double], _ right: [Double]) -> Double {
    guard left.count >= 3, right.count >= 3 else { return 0 }
    let all =
      (left.map { ($0, true) } + right.map { ($0, false) }).sorted { $0.0 < $1.0 }
    var rankSum = 0.0
    var ties = 0.0
    var start = 0
    while start < all.count {
      var end = start
      while end < all.count, all[end].0 == all[start].0 { end += 1 }
      let rank = Double(start + end + 1) / 2
      rankSum += rank * Double(all[start..<end].count { $0.1 })
      let tied = Double(end - start)
      ties += tied * tied * tied - tied
      start = end
    }
    let m = Double(left.count)
    let n = Double(right.count)
    let u = rankSum - m * (m + 1) / 2
    let total = m + n
    let variance = m * n / 12 * (total + 1 - ties / (total * (total - 1)))
    guard variance > 0 else { return 0 }
    let z = max(0, abs(u - m * n / 2) - 0.5) / variance.squareRoot()
    return erf(z / 2.0.squareRoot())
  }

  /// The error function, right to 1.5e-7.
  ///
  /// Source: Abramowitz and Stegun, 7.1.26.
  private static func erf(_ x: Double) -> Double {
    let t = 1 / (1 + 0.3275911 * x)
    let polynomial =
      t
      * (0.254829592
        + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    return 1 - polynomial * exponential(-x * x)
  }

  private static func exponential(_ x: Double) -> Double { System.exponential(x) }
}
