import CAllocations
import Dispatch

/// Runs every workload in every library, slice by slice in turn, and prints what a value costs.
struct Report {
  let libraries: [Library]
  let only: String?
  /// How many slices each library gets; its figure is the fastest.
  let slices: Int
  let asTable: Bool

  func run() {
    if asTable {
      print("| ns per value | " + libraries.map(\.name).joined(separator: " | ") + " |")
      print("|---|" + libraries.map { _ in "---:|" }.joined())
    }
    for workload in Workload.allCases where wants(workload.rawValue) { time(workload) }
    let memory = "memory/subject-map-filter-observer"
    if wants(memory) { count(memory) }
  }

  private func wants(_ name: String) -> Bool {
    guard let only else { return true }
    return name.contains(only)
  }

  private func time(_ workload: Workload) {
    var best: [String: Double] = [:]
    var results: [String: Int] = [:]
    for slice in 0...slices {
      for library in libraries {
        guard let work = library.works[workload] else { continue }
        let start = DispatchTime.now().uptimeNanoseconds
        let result = work(workload.values)
        let taken = Double(DispatchTime.now().uptimeNanoseconds - start) / Double(workload.values)
        results[library.name] = result
        // The first slice warms up.
        if slice > 0 { best[library.name] = min(best[library.name] ?? .infinity, taken) }
      }
    }
    if workload.isCompared, workload != .merge {
      let expected = results[libraries[0].name]
      for (name, result) in results {
        precondition(result == expected, "\(workload.rawValue): \(name) gave another result")
      }
    }
    write(workload.rawValue, unit: "ns", best)
  }

  /// Counts what a live subscription takes from malloc.
  private func count(_ name: String) {
    let live = 10_000
    var bytes: [String: Double] = [:]
    var allocations: [String: Double] = [:]
    for library in libraries where library.works[.churn] != nil {
      let bytesBefore = bytes_in_use()
      let allocationsBefore = allocations_of_this_thread()
      let kept = library.subscriptions(live)
      bytes[library.name] = Double(bytes_in_use() - bytesBefore) / Double(live)
      allocations[library.name] =
        Double(allocations_of_this_thread() - allocationsBefore) / Double(live)
      withExtendedLifetime(kept) {}
    }
    write(name, unit: "bytes", bytes)
    write(name, unit: "allocations", allocations)
  }

  private func write(_ name: String, unit: String, _ figures: [String: Double]) {
    if asTable {
      let cells = libraries.map { library in
        figures[library.name].map { "\(rounded($0))" } ?? "–"
      }
      print("| \(name)\(unit == "ns" ? "" : ", " + unit) | \(cells.joined(separator: " | ")) |")
      return
    }
    var line = "{\"case\":\"\(name)\",\"unit\":\"\(unit)\""
    for library in libraries {
      guard let figure = figures[library.name] else { continue }
      line += ",\"\(library.name)\":\(rounded(figure))"
    }
    print(line + "}")
  }

  private func rounded(_ figure: Double) -> Double {
    figure < 100 ? (figure * 10).rounded() / 10 : figure.rounded()
  }
}
