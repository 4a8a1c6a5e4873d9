/// Reads a marble diagram, one character after the other.
struct MarbleParser {
  typealias Event = MarbleDiagram.Event

  private let text: String
  private let characters: [Character]
  private let tick: Duration
  private var index = 0
  private var offset = Duration.zero
  /// Where the stream ended, and as what.
  private var end: (column: Int, character: Character)?
  private(set) var events: [Event] = []

  init(_ text: String, tick: Duration) {
    self.text = text
    characters = Array(text)
    self.tick = tick
  }

  /// Whether a character means something else than a value of its name.
  static func isReserved(_ character: Character) -> Bool {
    "-|#^!()[]{}".contains(character) || character.isWhitespace
  }

  mutating func parse() throws(MarbleError) {
    while index < characters.count {
      let character = characters[index]
      switch character {
      case _ where character.isWhitespace: index += 1
      case "-":
        index += 1
        try pass(tick)
      case "(": try parseGroup(closedBy: ")")
      case "[": try parseGroup(closedBy: "]")
      default:
        if let (duration, length) = try time() {
          index += length
          try pass(duration)
        } else {
          try parseMark()
          try pass(tick)
        }
      }
    }
  }

  /// A group: several marks in one tick.
  private mutating func parseGroup(closedBy close: Character) throws(MarbleError) {
    let open = index
    let opener = characters[open]
    let countBefore = events.count
    index += 1
    while true {
      guard index < characters.count else {
        throw error(
          index, "expected `\(close)`: the group that column \(open + 1) opens is not closed")
      }
      let character = characters[index]
      switch character {
      case close:
        let count = events.count - countBefore
        guard count > 0 else {
          throw error(index, "expected a value or an end: a group of nothing says nothing")
        }
        index += 1
        // As wide as it is written, when each mark has one character.
        try pass(close == ")" ? tick * (count + 2) : tick)
        return
      case "-":
        throw error(index, "expected a value, an end or `\(close)`: no time passes inside a group")
      case "(", "[":
        throw error(index, "expected a value, an end or `\(close)`: a group has no group inside")
      case ")", "]":
        throw error(
          index, "expected `\(close)`: column \(open + 1) has opened the group with `\(opener)`")
      case _ where character.isWhitespace: index += 1
      default: try parseMark()
      }
    }
  }

  /// One value, end, subscription or dispose.
  private mutating func parseMark() throws(MarbleError) {
    let start = index
    let character = characters[index]
    index += 1
    switch character {
    case "|": try add(.finish, at: start)
    case "#": try add(.failure, at: start)
    case "^": try addOnce(.subscription, at: start)
    case "!": try addOnce(.dispose, at: start)
    case "{": try add(.value(try name(from: start)), at: start)
    case ")": throw error(start, "`)` closes no group; open one with `(`")
    case "]": throw error(start, "`]` closes no group; open one with `[`")
    case "}": throw error(start, "`}` closes no name; open one with `{`")
    default: try add(.value(String(character)), at: start)
    }
  }

  /// What is between `{` and `}`.
  private mutating func name(from start: Int) throws(MarbleError) -> String {
    var name = ""
    while index < characters.count {
      let character = characters[index]
      index += 1
      if character == "}" { return name }
      if character == "{" { throw error(index - 1, "expected `}`: a name has no `{` inside") }
      name.append(character)
    }
    throw error(index, "expected `}`: the name that column \(start + 1) opens is not closed")
  }

  private mutating func add(_ mark: MarbleDiagram.Mark, at position: Int) throws(MarbleError) {
    if let end {
      throw error(
        position,
        "expected nothing more: the stream has ended with `\(end.character)` in column \(end.column)"
      )
    }
    if mark.isEnd { end = (position + 1, characters[position]) }
    events.append(Event(offset: offset, mark: mark, column: position + 1))
  }

  private mutating func addOnce(_ mark: MarbleDiagram.Mark, at position: Int) throws(MarbleError) {
    if let first = events.first(where: { $0.mark == mark }) {
      throw error(
        position, "expected one `\(mark.text)` only: the first is in column \(first.column)")
    }
    events.append(Event(offset: offset, mark: mark, column: position + 1))
  }

  // MARK: Time

  /// A length of time that begins here, between blanks, and how many characters it takes.
  private func time() throws(MarbleError) -> (Duration, length: Int)? {
    guard index == 0 || characters[index - 1].isWhitespace else { return nil }
    let rest = characters[index...]
    let word = rest.prefix { !$0.isWhitespace }
    let digits = word.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    let unit = String(word.dropFirst(digits.count))
    guard digits.first?.isNumber == true, ["ms", "s", "m"].contains(unit) else { return nil }
    let parts = digits.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count <= 2, let whole = Int64(String(parts[0])) else {
      throw error(index, "expected a length of time such as 10ms, 1.5s or 2m, not \(String(word))")
    }
    let milliseconds: Int64 =
      switch unit {
      case "ms": 1
      case "s": 1000
      default: 60_000
      }
    // A year is more than any test needs, and far from where `Duration` overflows.
    guard whole <= 31_536_000_000 / milliseconds else {
      throw error(index, "\(String(word)) is too long: a diagram lasts for a year at most")
    }
    var duration = Duration.milliseconds(whole * milliseconds)
    if parts.count == 2 {
      let fraction = String(parts[1])
      guard (1...9).contains(fraction.count), let number = Int64(fraction) else {
        throw error(index, "expected one to nine digits after the point in \(String(word))")
      }
      var scale: Int64 = 1
      for _ in fraction { scale *= 10 }
      duration += .milliseconds(milliseconds) * number / scale
    }
    return (duration, word.count)
  }

  private mutating func pass(_ duration: Duration) throws(MarbleError) {
    offset += duration
    guard offset <= .seconds(31_536_000) else {
      throw error(max(0, index - 1), "a diagram lasts for a year at most")
    }
  }

  private func error(_ position: Int, _ message: String) -> MarbleError {
    MarbleError(text, column: position + 1, message)
  }
}
