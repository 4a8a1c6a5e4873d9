/// A pipeline that cannot be understood, and where.
struct PipelineFault: Error, Equatable {
  /// The first character is column 1.
  let column: Int
  let message: String
}

/// Reads a pipeline's text.
struct PipelineParser {
  /// One `name(argument)`.
  struct Call {
    let name: String
    let column: Int
    /// Nil without parentheses.
    let argument: Substring?
    let argumentColumn: Int
  }

  static let sources = ["range", "lines", "subject", "timer"]

  private let text: [Character]
  private var place = 0

  /// How many stages a pipeline has at most: values go through them one inside the other, on a
  /// thread's stack.
  static let stageLimit = 100

  private init(_ text: String) { self.text = Array(text) }

  /// The pipeline a text stands for.
  static func pipeline(_ text: String) throws(PipelineFault) -> Pipeline {
    var parser = PipelineParser(text)
    return try parser.parse()
  }

  private mutating func parse() throws(PipelineFault) -> Pipeline {
    let source = try Self.source(try call())
    var kind = source.kind
    var stages: [Pipeline.Stage] = []
    while try takeBar() {
      let call = try call()
      if stages.count == Self.stageLimit {
        throw PipelineFault(
          column: call.column, message: "a pipeline has at most \(Self.stageLimit) stages")
      }
      let operation = try PipelineStages.operation(call, on: kind)
      kind = try PipelineStages.kind(after: operation, on: kind, call)
      stages.append(Pipeline.Stage(operation: operation, column: call.column))
    }
    return Pipeline(source: source, stages: stages)
  }

  // MARK: Pieces

  private mutating func skipSpaces() {
    while place < text.count, text[place].isWhitespace { place += 1 }
  }

  private mutating func takeBar() throws(PipelineFault) -> Bool {
    skipSpaces()
    guard place < text.count else { return false }
    guard text[place] == "|" else {
      throw fault("expected “|” or the end, not “\(text[place])”")
    }
    place += 1
    return true
  }

  private mutating func call() throws(PipelineFault) -> Call {
    skipSpaces()
    let start = place
    while place < text.count, text[place].isLetter { place += 1 }
    guard place > start else {
      throw fault(
        place < text.count
          ? "expected the name of a source or operator, not “\(text[place])”"
          : "expected the name of a source or operator, but the text ends")
    }
    let name = String(text[start..<place])
    skipSpaces()
    guard place < text.count, text[place] == "(" else {
      return Call(name: name, column: start + 1, argument: nil, argumentColumn: start + 1)
    }
    place += 1
    let open = place
    var depth = 1
    var isQuoted = false
    while place < text.count {
      let character = text[place]
      if character == "\"" { isQuoted.toggle() }
      if !isQuoted {
        if character == "(" { depth += 1 }
        if character == ")" { depth -= 1 }
        if depth == 0 { break }
      }
      place += 1
    }
    guard place < text.count else {
      throw PipelineFault(
        column: open, message: isQuoted ? "a quote is never closed" : "“(” is never closed")
    }
    let argument = String(text[open..<place])[...]
    place += 1
    return Call(name: name, column: start + 1, argument: argument, argumentColumn: open + 1)
  }

  private func fault(_ message: String) -> PipelineFault {
    PipelineFault(column: place + 1, message: message)
  }

  // MARK: Sources

  private static func source(_ call: Call) throws(PipelineFault) -> Pipeline.Source {
    switch call.name {
    case "range": return .range(try call.range())
    case "lines": return .lines(try call.text("a file's name, or -"))
    case "subject":
      var words = try call.text("how many observers").split(separator: " ")[...]
      if words.count == 2, ["observer", "observers"].contains(words.last) { words.removeLast() }
      guard words.count == 1, let count = Int(words[words.startIndex]),
        (1...100_000).contains(count)
      else { throw call.argumentFault("subject takes a number of observers, 1 to 100000") }
      return .subject(observers: count)
    case "timer": return .timer(try call.duration())
    default:
      let near = NearestMatch.of(call.name, among: sources).map { "; did you mean \($0)?" }
      throw PipelineFault(
        column: call.column,
        message: "unknown source “\(call.name)”"
          + (near ?? "; there are: \(sources.joined(separator: ", "))"))
    }
  }
}

extension PipelineParser.Call {
  func argumentFault(_ message: String) -> PipelineFault {
    PipelineFault(column: argumentColumn, message: message)
  }

  /// Nothing between parentheses, or none.
  func nothing() throws(PipelineFault) {
    if let argument, !argument.allSatisfy(\.isWhitespace) {
      throw argumentFault("\(name) takes nothing")
    }
  }

  func text(_ what: String) throws(PipelineFault) -> String {
    let trimmed = (argument ?? "").trimmingWhitespace
    guard !trimmed.isEmpty else { throw argumentFault("\(name) needs \(what): \(name)(…)") }
    if trimmed.count >= 2, trimmed.first == "\"", trimmed.last == "\"" {
      return String(trimmed.dropFirst().dropLast())
    }
    return String(trimmed)
  }

  /// A whole number; `_` may part its digits.
  func number(atLeast least: Int = .min) throws(PipelineFault) -> Int {
    let text = try text("a whole number")
    guard let number = Self.number(text[...]) else {
      throw argumentFault("\(name) takes a whole number, not “\(text.prefix(40))”")
    }
    guard number >= least else { throw argumentFault("\(name) takes at least \(least)") }
    return number
  }

  /// Two numbers with `..` between them.
  func range() throws(PipelineFault) -> ClosedRange<Int> {
    let text = try text("two numbers")
    guard let dots = text.firstRange(of: ".."),
      let first = Self.number(text[..<dots.lowerBound]),
      let last = Self.number(text[dots.upperBound...])
    else {
      throw argumentFault("range takes two numbers: range(1..1000), not “\(text.prefix(40))”")
    }
    guard first <= last else { throw argumentFault("the range ends before it begins") }
    let (span, isTooLong) = last.subtractingReportingOverflow(first)
    guard !isTooLong, span < Int.max else {
      throw argumentFault("the range has more values than can be counted")
    }
    return first...last
  }

  func duration() throws(PipelineFault) -> Duration {
    let text = try text("a time")
    guard let duration = DurationText.parse(text), duration > .zero else {
      throw argumentFault("\(name) takes a time such as 5ms or 1s, not “\(text.prefix(40))”")
    }
    return duration
  }

  static func number(_ text: Substring) -> Int? {
    Int(text.trimmingWhitespace.filter { $0 != "_" })
  }
}

extension Substring {
  /// Without the white space at both ends.
  var trimmingWhitespace: Substring {
    var text = drop(while: \.isWhitespace)
    while text.last?.isWhitespace == true { text.removeLast() }
    return text
  }
}
