/// A row for people: cells that stand in columns.
///
/// Whoever tells an event makes a line of cells; the output lays lines that follow each other out as
/// a table.
enum TextRow {
  /// Parts cells; no text of others holds it, as they are cleaned of control characters.
  static let separator = "\u{1F}"
  /// Begins a cell that is shown dimmed where there are colours.
  static let dimmed = "\u{1D}"

  /// The line of some cells, each cleaned; those in `dim` are shown dimmed.
  static func line(_ cells: [String], dim: Set<Int> = []) -> String {
    cells.enumerated().map { place, cell in
      (dim.contains(place) ? dimmed : "") + TextLine.clean(cell)
    }.joined(separator: separator)
  }
}

/// How lines for people look.
struct TextLook: Sendable {
  /// As many cells as the terminal has; nil where there is none, and then nothing is cut.
  var width: Int?
  var usesColor = false
}

/// Lays out lines of cells: columns as wide as their widest cell, for a while.
///
/// Rows gather until something else is told, until it is time to write, or until there are many.
/// Later rows keep the columns of earlier ones, so that a live stream stays aligned.
struct TextLayout {
  private let look: TextLook
  private var rows: [[Substring]] = []
  private var widths: [Int] = []

  /// So many rows are laid out together; memory stays flat however long a list is.
  static let limit = 512
  /// No column pushes the next one further than this; a longer cell sticks out.
  private static let widest = 56

  init(_ look: TextLook) { self.look = look }

  /// How many rows wait.
  var count: Int { rows.count }

  /// Takes a text of one or more lines; those that are no rows go out as they are.
  mutating func add(_ text: String, to bytes: inout [UInt8]) {
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      guard line.contains(TextRow.separator) else {
        finish(into: &bytes)
        bytes.append(contentsOf: line.utf8)
        bytes.append(UInt8(ascii: "\n"))
        continue
      }
      let cells = line.split(separator: "\u{1F}", omittingEmptySubsequences: false)
      if let first = rows.first, first.count != cells.count { finish(into: &bytes) }
      rows.append(cells)
      if rows.count >= Self.limit { finish(into: &bytes) }
    }
  }

  /// Lays out the rows that wait.
  mutating func finish(into bytes: inout [UInt8]) {
    guard let first = rows.first else { return }
    if widths.count != first.count { widths = first.map { _ in 0 } }
    for row in rows {
      for (column, cell) in row.enumerated() {
        widths[column] = max(widths[column], min(Self.widest, DisplayWidth.of(Self.plain(cell))))
      }
    }
    for row in rows { write(row, to: &bytes) }
    rows = []
  }

  private static func plain(_ cell: Substring) -> String {
    String(cell.hasPrefix(TextRow.dimmed) ? cell.dropFirst() : cell)
  }

  private func write(_ row: [Substring], to bytes: inout [UInt8]) {
    var room = look.width ?? .max
    var gap = 0
    for (column, cell) in row.enumerated() {
      // Spaces only come before something: nothing follows the last cell of a line.
      let plain = Self.plain(cell)
      if !plain.isEmpty {
        if gap >= room { break }
        let shown = DisplayWidth.cut(plain, to: room - gap)
        bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: gap))
        let isDim = look.usesColor && cell.hasPrefix(TextRow.dimmed)
        bytes.append(contentsOf: (isDim ? "\u{1B}[2m\(shown)\u{1B}[0m" : shown).utf8)
        room -= gap + DisplayWidth.of(shown)
        gap = 0
      }
      gap += max(0, widths[column] - DisplayWidth.of(plain)) + 2
    }
    bytes.append(UInt8(ascii: "\n"))
  }
}
