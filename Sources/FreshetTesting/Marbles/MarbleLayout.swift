/// Writes several lists of events as diagrams in which the same time stands in the same column.
struct MarbleLayout {
  /// What happens at one offset on one line, in order, as it is written in a diagram.
  typealias Line = [Duration: [String]]

  /// The diagrams, one per line that was given.
  private(set) var texts: [String]

  /// In which column, counted from zero, an offset stands.
  private(set) var columns: [Duration: Int] = [:]

  /// Silences longer than this are written as a length of time.
  private static let longSilence = 30

  init(_ lines: [Line], tick: Duration) {
    texts = lines.map { _ in "" }
    let offsets = Set(lines.flatMap(\.keys)).sorted()
    guard let first = offsets.first else { return }
    let silence = Self.silence(ticks: Self.ticks(in: first, of: tick), tick: tick)
    for index in texts.indices { texts[index] += silence }
    for (position, offset) in offsets.enumerated() {
      columns[offset] = texts[0].count
      let next = position + 1 < offsets.count ? offsets[position + 1] : nil
      let room = next.map { max(1, Self.ticks(in: $0 - offset, of: tick)) }
      // A time between two ticks cannot be told by a column.
      let note = Self.isOnTick(offset, tick) ? "" : "@\(MarbleTime.text(offset))"
      let cells = lines.map { Self.cell($0[offset] ?? [], room: room, note: note) }
      let silences = cells.map { cell in
        room.map { Self.silence(ticks: $0 - cell.ticks, tick: tick) } ?? ""
      }
      // What one line writes longer than it lasts, the other ones make up for with blanks.
      let widths = zip(cells, silences).map { $0.text.count + $1.count }
      let width = widths.max() ?? 0
      for index in texts.indices {
        texts[index] += cells[index].text
        texts[index] += String(repeating: " ", count: width - widths[index])
        texts[index] += silences[index]
      }
    }
    for index in texts.indices {
      while texts[index].last == " " { texts[index].removeLast() }
    }
  }

  /// What one line shows at one offset, and how many ticks that takes when it is read.
  private static func cell(
    _ marks: [String], room: Int?, note: String
  ) -> (text: String, ticks: Int) {
    switch marks.count {
    case 0: return ("-", 1)
    case 1: return (marks[0] + note, 1)
    default:
      let ticks = marks.count + 2
      let isRoomy = room.map { ticks <= $0 } ?? true
      let inside = marks.joined() + note
      return isRoomy ? ("(\(inside))", ticks) : ("[\(inside)]", 1)
    }
  }

  private static func silence(ticks: Int, tick: Duration) -> String {
    guard ticks > longSilence else { return String(repeating: "-", count: max(0, ticks)) }
    return " \(MarbleTime.text(tick * ticks)) "
  }

  private static func ticks(in duration: Duration, of tick: Duration) -> Int {
    Int((duration / tick).rounded(.down))
  }

  private static func isOnTick(_ offset: Duration, _ tick: Duration) -> Bool {
    tick * ticks(in: offset, of: tick) == offset
  }
}

/// Lengths of time as diagrams write them.
enum MarbleTime {
  /// The shortest of 2m, 3s, 10ms and 1.5ms.
  static func text(_ duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    if attoseconds == 0, seconds != 0 {
      return seconds.isMultiple(of: 60) ? "\(seconds / 60)m" : "\(seconds)s"
    }
    let perMillisecond: Int64 = 1_000_000_000_000_000
    let milliseconds = seconds * 1000 + attoseconds / perMillisecond
    let rest = attoseconds % perMillisecond
    guard rest != 0 else { return "\(milliseconds)ms" }
    var digits = String(rest)
    digits = String(repeating: "0", count: 15 - digits.count) + digits
    while digits.last == "0" { digits.removeLast() }
    return "\(milliseconds).\(digits)ms"
  }
}
