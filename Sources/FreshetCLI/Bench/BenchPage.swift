/// A page with charts of all cases, in one file that loads nothing from elsewhere.
struct BenchPage {
  let summaries: [BenchSummary]
  let machine: String

  var html: String {
    """
    <!doctype html>
    <html lang="en"><head><meta charset="utf-8"><title>freshet bench</title>
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <style>
    :root { color-scheme: light dark; --ink: #1b2733; --soft: #6b7a89; --line: #d8dfe6; --work: #0b6e99;
      --old: #b35c1e; --floor: #7a8b99; --ground: #ffffff }
    @media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --soft: #93a1af; --line: #30404f;
      --work: #4db6e2; --old: #f0a467; --floor: #8a9aa8; --ground: #10171d } }
    body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--ground);
      max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
    h1 { font-size: 1.4rem } h2 { font-size: 1.05rem; margin: 2.2rem 0 .2rem; overflow-wrap: anywhere }
    p { margin: .2rem 0; color: var(--soft) } svg { width: 100%; height: auto; display: block }
    text { fill: var(--ink); font: 12px system-ui, sans-serif } .soft { fill: var(--soft) }
    .axis { stroke: var(--line) } .work { fill: var(--work) } .old { fill: var(--old) }
    .floor { fill: var(--floor) } .mark { stroke: var(--ink); stroke-width: 1.5 }
    table { border-collapse: collapse; width: 100% } td, th { padding: .25rem .6rem .25rem 0;
      text-align: right; border-bottom: 1px solid var(--line); font-variant-numeric: tabular-nums }
    td:first-child, th:first-child { text-align: left; overflow-wrap: anywhere }
    </style></head><body>
    <h1>freshet bench</h1>
    <p>\(escaped(machine))</p>
    \(table)
    \(ratios)
    \(summaries.map(distribution).joined(separator: "\n"))
    </body></html>

    """
  }

  // MARK: The table

  private var table: String {
    let hasChange = summaries.contains { $0.change != nil }
    var text =
      "<table><tr><th>case</th><th>p50</th><th>p90</th><th>p99</th><th>blocks</th><th>× floor</th>"
    if hasChange { text += "<th>change</th><th>sure</th>" }
    text += "</tr>"
    for summary in summaries {
      let cells = [50.0, 90, 99].map { summary.percentile($0).map(BenchText.time) ?? "" }
      text += "<tr><td>\(escaped(summary.name))</td>"
      text += cells.map { "<td>\($0)</td>" }.joined()
      let blocks = summary.allocations.map { BenchText.decimals($0.blocks, 2) }
      text += "<td>\(blocks ?? "–")</td>"
      text += "<td>\(summary.ratio.map { BenchText.decimals($0, 2) } ?? "–")</td>"
      if hasChange {
        let change = summary.change
        text += "<td>\(change?.words ?? "–")</td>"
        text +=
          "<td>\(change.map { BenchText.decimals($0.confidence * 100, 1) + " %" } ?? "–")</td>"
      }
      text += "</tr>"
    }
    return text + "</table>"
  }

  // MARK: Ratio to the floor

  private var ratios: String {
    let rows = summaries.compactMap { summary in summary.ratio.map { (summary.name, $0) } }
    guard !rows.isEmpty else { return "" }
    let most = max(rows.map(\.1).max() ?? 1, 1.25)
    let height = rows.count * 26 + 30
    func x(_ ratio: Double) -> Double { 200 + ratio / most * 440 }
    var svg = "<h2>Time as a multiple of the same work by hand</h2>"
    svg += "<svg viewBox=\"0 0 720 \(height)\" role=\"img\" aria-label=\"ratio to floor\">"
    for (row, (name, ratio)) in rows.enumerated() {
      let y = row * 26
      svg += "<text x=\"190\" y=\"\(y + 17)\" text-anchor=\"end\">\(escaped(short(name)))</text>"
      svg +=
        "<rect class=\"work\" x=\"200\" y=\"\(y + 5)\" width=\"\(n(x(ratio) - 200))\" height=\"16\" rx=\"2\"/>"
      svg +=
        "<text x=\"\(n(x(ratio) + 6))\" y=\"\(y + 17)\">\(BenchText.decimals(ratio, 2)) ×</text>"
    }
    let one = n(x(1))
    svg += "<line class=\"mark\" x1=\"\(one)\" x2=\"\(one)\" y1=\"0\" y2=\"\(rows.count * 26)\"/>"
    svg +=
      "<text class=\"soft\" x=\"\(one)\" y=\"\(rows.count * 26 + 18)\" text-anchor=\"middle\">by hand</text>"
    return svg + "</svg>"
  }

  // MARK: Distributions

  private func distribution(_ summary: BenchSummary) -> String {
    let parts = summary.parts
    guard let first = parts.first, let last = parts.last else { return "" }
    let old = summary.before.flatMap { $0 }.sorted()
    let floors = summary.floorRuns.flatMap { $0 }.sorted()
    let all = [parts, old, floors].filter { !$0.isEmpty }
    // The farthest hundredth would squeeze everything else into one column.
    let low = all.compactMap(\.first).min() ?? first
    let high = max(all.map { Statistics.percentile(99, of: $0) }.max() ?? last, low * 1.02)
    var rows: [(label: String, style: String, values: [Double])] = [("now", "work", parts)]
    if !old.isEmpty { rows.append(("before", "old", old)) }
    if !floors.isEmpty { rows.append(("by hand", "floor", floors)) }
    var svg = "<h2>\(escaped(summary.name))</h2><p>\(escaped(summary.summary)); "
    svg += "\(summary.events) values, \(summary.runs.count) runs in \(parts.count) parts</p>"
    svg +=
      "<svg viewBox=\"0 0 720 \(rows.count * 64 + 24)\" role=\"img\" aria-label=\"distribution\">"
    for (place, row) in rows.enumerated() {
      svg += histogram(row, top: Double(place * 64), low, high)
    }
    let base = rows.count * 64
    for step in 0...4 {
      let value = low + (high - low) * Double(step) / 4
      let x = 70 + 640 * Double(step) / 4
      svg +=
        "<text class=\"soft\" x=\"\(n(x))\" y=\"\(base + 16)\" text-anchor=\"\(step == 0 ? "start" : step == 4 ? "end" : "middle")\">\(BenchText.time(value))</text>"
    }
    return svg + "</svg>"
  }

  private func histogram(
    _ row: (label: String, style: String, values: [Double]), top: Double, _ low: Double,
    _ high: Double
  ) -> String {
    let count = 64
    var bins = [Int](repeating: 0, count: count)
    for value in row.values where value <= high {
      bins[min(count - 1, Int((value - low) / (high - low) * Double(count)))] += 1
    }
    let most = Double(max(bins.max() ?? 1, 1))
    var svg =
      "<text class=\"soft\" x=\"62\" y=\"\(n(top + 52))\" text-anchor=\"end\">\(row.label)</text>"
    for (place, bin) in bins.enumerated() where bin > 0 {
      let height = max(1, Double(bin) / most * 48)
      svg +=
        "<rect class=\"\(row.style)\" x=\"\(n(70 + Double(place) * 10))\" y=\"\(n(top + 56 - height))\" width=\"9\" height=\"\(n(height))\"/>"
    }
    svg +=
      "<line class=\"axis\" x1=\"70\" x2=\"710\" y1=\"\(n(top + 56.5))\" y2=\"\(n(top + 56.5))\"/>"
    let median = Statistics.percentile(50, of: row.values)
    if median <= high {
      let x = n(70 + (median - low) / (high - low) * 640)
      svg +=
        "<line class=\"mark\" x1=\"\(x)\" x2=\"\(x)\" y1=\"\(n(top + 4))\" y2=\"\(n(top + 57))\"><title>median \(BenchText.time(median))</title></line>"
    }
    return svg
  }

  private func n(_ value: Double) -> String { BenchText.decimals(value, 1) }

  private func short(_ name: String) -> String { DisplayWidth.cut(name, to: 28) }

  private func escaped(_ text: String) -> String {
    TextLine.clean(text).replacing("&", with: "&amp;").replacing("<", with: "&lt;")
      .replacing(">", with: "&gt;").replacing("\"", with: "&quot;")
  }
}
