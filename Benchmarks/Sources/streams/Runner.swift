/// Runs pairs of a floor and a flow, slice by slice in turn, and prints one JSON line per pair.
///
/// A slice is a few milliseconds of work. The figures are nanoseconds per value of the
/// fastest slice of each side, which is the one that nothing else on the machine has
/// disturbed; the ratio is their quotient.
struct Runner {
  /// How many slices each side gets.
  let slices: Int
  let only: String?

  /// Whether a case with this name is wanted.
  func wants(_ name: String) -> Bool {
    guard let only else { return true }
    return name.contains(only)
  }

  /// Compares a flow with its floor.
  ///
  /// - Parameters:
  ///   - values: How many values one slice handles.
  ///   - reach: The ratio that we want to reach.
  ///   - floor: The same work by hand; it gives the same result as the flow.
  func compare(
    _ name: String, values: Int, slices: Int? = nil, reach: Double?,
    floor: () -> Int, flow: () -> Int
  ) {
    guard wants(name) else { return }
    let rounds = slices ?? self.slices
    _ = (floor(), flow())
    var floors: [Double] = []
    var flows: [Double] = []
    for _ in 0..<rounds {
      let (base, expected) = time(values, floor)
      let (result, got) = time(values, flow)
      precondition(expected == got, "\(name): the flow gave \(got), the loop \(expected)")
      floors.append(base)
      flows.append(result)
    }
    floors.sort()
    flows.sort()
    let ratio = flows[0] / floors[0]
    var line = "{\"case\":\"\(name)\",\"values\":\(values * rounds)"
    line += ",\"floor_ns\":\(rounded(floors[0])),\"flow_ns\":\(rounded(flows[0]))"
    line += ",\"ratio\":\(rounded(ratio))"
    line += ",\"median_ratio\":\(rounded(flows[rounds / 2] / floors[rounds / 2]))"
    if let reach { line += ",\"reach\":\(reach),\"reached\":\(ratio <= reach)" }
    print(line + "}")
  }

  /// Prints figures that are counted, not timed.
  func report(_ name: String, _ figures: [(name: String, value: Double)], reached: Bool) {
    var line = "{\"case\":\"\(name)\""
    for figure in figures { line += ",\"\(figure.name)\":\(rounded(figure.value))" }
    print(line + ",\"reached\":\(reached)}")
  }

  private func time(_ values: Int, _ body: () -> Int) -> (Double, Int) {
    var result = 0
    let taken = ContinuousClock().measure { result = body() }
    let (seconds, attoseconds) = taken.components
    return ((Double(seconds) * 1e9 + Double(attoseconds) * 1e-9) / Double(values), result)
  }

  private func rounded(_ figure: Double) -> Double {
    (figure * 100).rounded() / 100
  }
}
