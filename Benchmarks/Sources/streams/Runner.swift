import BenchFigures
import CAllocations

/// Runs pairs of a floor and a flow, slice by slice in turn, and tells one line per pair.
///
/// A slice is a few milliseconds of work. The figures are nanoseconds per value of the
/// fastest slice of each side, which is the one that nothing else on the machine has
/// disturbed; the ratio is their quotient. Medians, and what nine slices of ten are below,
/// tell how calm it was. Blocks of malloc are counted in the pass that warms up.
struct Runner {
  static let columns: [Report.Column] = [
    .init("case", "case"), .init("floor, ns", "floor_ns"), .init("median", "floor_median_ns"),
    .init("90 %", "floor_p90_ns"), .init("flow, ns", "flow_ns"),
    .init("median", "flow_median_ns"), .init("90 %", "flow_p90_ns"), .init("ratio", "ratio"),
    .init("of medians", "median_ratio"), .init("blocks", "allocations"), .init("goal", "goal"),
    .init("reached", "reached"),
  ]

  /// How many slices each side gets.
  let slices: Int
  let report: Report

  /// Whether a case with this name is wanted.
  func wants(_ name: String) -> Bool { report.wants(name) }

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
    let floorBlocks = blocks(floor)
    let flowBlocks = blocks(flow)
    var floors = Samples()
    var flows = Samples()
    for _ in 0..<rounds {
      let (base, expected) = time(values, floor)
      let (result, got) = time(values, flow)
      if expected != got { stop("\(name): the flow gave \(got), the loop \(expected)") }
      floors.values.append(base)
      flows.values.append(result)
    }
    let ratio = flows.percentile(0) / floors.percentile(0)
    var line = Line(name)
    line.add("values", values * rounds)
    for (side, samples) in [("floor", floors), ("flow", flows)] {
      line.add(side + "_ns", samples.percentile(0))
      line.add(side + "_median_ns", samples.median)
      line.add(side + "_p90_ns", samples.percentile(0.9))
    }
    line.add("ratio", ratio)
    line.add("median_ratio", flows.median / floors.median)
    line.add("floor_allocations", Double(floorBlocks) / Double(values))
    line.add("allocations", Double(flowBlocks) / Double(values))
    if let reach {
      line.add("reach", reach)
      line.add("reached", ratio <= reach)
      line.show("goal", "≤ \(rounded(reach))")
    }
    report.print(line)
  }

  /// Tells figures that are counted, not timed.
  /// - Parameter cells: What stands in the columns of a table in their place.
  func count(
    _ name: String, _ figures: [(name: String, value: Double)], reached: Bool,
    cells: [(column: String, text: String)]
  ) {
    var line = Line(name)
    for figure in figures { line.add(figure.name, figure.value) }
    line.add("reached", reached)
    for cell in cells { line.show(cell.column, cell.text) }
    report.print(line)
  }

  /// What all threads take from malloc for a piece of work.
  private func blocks(_ body: () -> Int) -> Int {
    begin_allocations_of_all_threads()
    _ = body()
    return end_allocations_of_all_threads()
  }

  private func time(_ values: Int, _ body: () -> Int) -> (Double, Int) {
    var result = 0
    let taken = seconds { result = body() }
    return (taken * 1e9 / Double(values), result)
  }
}
