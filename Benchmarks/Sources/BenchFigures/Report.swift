/// Where the figures of a suite go: stdout, a line of JSON each, or with `--table` a row each.
package final class Report {
  /// A column of the table: its head, and the key whose value it shows.
  package struct Column {
    let head: String
    let key: String

    package init(_ head: String, _ key: String) {
      self.head = head
      self.key = key
    }
  }

  private let columns: [Column]?
  private let only: String?
  private var count = 0

  /// - Parameters:
  ///   - columns: Those of the table; nil for lines of JSON.
  ///   - only: A part of the names of the cases that are wanted.
  package init(columns: [Column]?, only: String?) {
    self.columns = columns
    self.only = only
  }

  /// Whether a case with this name is wanted.
  package func wants(_ name: String) -> Bool { only.map { name.contains($0) } ?? true }

  package func print(_ line: Line) {
    defer { count += 1 }
    guard let columns else { return say(line.json) }
    if count == 0 {
      say(row(columns.map(\.head)))
      say("|---|" + columns.dropFirst().map { _ in "---:|" }.joined())
    }
    say(row(columns.map { line.cell($0.key) }))
  }

  private func row(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |" }

  /// Ends the run; one that did nothing has failed.
  package func end() {
    if count == 0 { stop("no case has “\(only ?? "")” in its name") }
  }
}
