/// The figures of one case, as a line of JSON or a row of a table.
package struct Line {
  /// What a key holds as JSON, and as a cell.
  private var entries: [(key: String, json: String, cell: String)] = []
  /// What only the table shows.
  private var cells: [String: String] = [:]

  package init(_ name: String) { add("case", name) }

  /// Adds a figure, rounded; what is no number is left out.
  package mutating func add(_ key: String, _ value: Double, digits: Int = 2) {
    guard value.isFinite else { return }
    let text = rounded(value, digits)
    entries.append((key, text, text))
  }

  package mutating func add(_ key: String, _ value: Int) {
    entries.append((key, "\(value)", "\(value)"))
  }

  package mutating func add(_ key: String, _ value: Bool) {
    entries.append((key, "\(value)", value ? "yes" : "**no**"))
  }

  /// Adds a name: what has quotes or control characters is not one.
  package mutating func add(_ key: String, _ value: String) {
    entries.append((key, "\"\(value)\"", value))
  }

  /// Adds what only the table shows.
  package mutating func show(_ key: String, _ text: String) { cells[key] = text }

  package var json: String {
    "{" + entries.map { "\"\($0.key)\":\($0.json)" }.joined(separator: ",") + "}"
  }

  package func cell(_ key: String) -> String {
    cells[key] ?? entries.first { $0.key == key }?.cell ?? "–"
  }
}

/// A number with so many digits behind the point at most.
package func rounded(_ value: Double, _ digits: Int = 2) -> String {
  var scale = 1.0
  for _ in 0..<digits { scale *= 10 }
  let number = (value * scale).rounded() / scale
  guard number == number.rounded(), abs(number) < 1e15 else { return "\(number)" }
  return "\(Int64(number))"
}
