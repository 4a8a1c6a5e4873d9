/// Runs pairs of a floor and a flow, in turn, and prints one JSON line per pair.
///
/// Each figure is the median of the rounds in nanoseconds per value; the ratio is
/// the median of the rounds' own ratios, so that a machine whose speed drifts
/// does not favour one side.
struct Runner {
  let rounds: Int
  let only: String?

  func compare(
    _ name: String, values: Int, reach: Double?, floor: () -> Int, flow: () -> Int
  ) {
    if let only, !name.contains(only) { return }
    _ = (floor(), flow())
    var floors: [Double] = []
    var flows: [Double] = []
    var ratios: [Double] = []
    for _ in 0..<rounds {
      let (base, expected) = time(values, floor)
      let (result, got) = time(values, flow)
      precondition(expected == got, "\(name): the flow gave \(got), the loop \(expected)")
      floors.append(base)
      flows.append(result)
      ratios.append(result / base)
    }
    var line = "{\"case\":\"\(name)\",\"values\":\(values),\"rounds\":\(rounds)"
    line += ",\"floor_ns\":\(rounded(floors)),\"flow_ns\":\(rounded(flows))"
    line += ",\"ratio\":\(rounded(ratios))"
    if let reach { line += ",\"reach\":\(reach)" }
    print(line + "}")
  }

  private func time(_ values: Int, _ body: () -> Int) -> (Double, Int) {
    var result = 0
    let taken = ContinuousClock().measure { result = body() }
    let (seconds, attoseconds) = taken.components
    return ((Double(seconds) * 1e9 + Double(attoseconds) * 1e-9) / Double(values), result)
  }

  private func rounded(_ figures: [Double]) -> Double {
    let median = figures.sorted()[figures.count / 2]
    return (median * 100).rounded() / 100
  }
}
