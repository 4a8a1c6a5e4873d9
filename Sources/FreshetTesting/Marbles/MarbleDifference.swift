/// How a stream, or the subscriptions to a source, differ from a marble diagram.
///
/// Its text shows both as two lines in which the same time stands in the same column, and marks
/// the first difference:
///
///     at 6ms: expected b, got nothing
///       expected  --a---b--|
///       got       --a----b-|
///                       ^
///
/// It is a value, so any test library can say that there should be none:
/// `#expect(difference == nil)` or `XCTAssertNil(difference)`.
public struct MarbleDifference: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was expected, as a diagram.
  public let expected: String

  /// What happened, as a diagram.
  ///
  /// Long values are written in braces, and a time between two ticks after `@`.
  public let actual: String

  /// In which column of both diagrams the first difference is, counted from zero.
  ///
  /// Nil when they are alike, and only rules of the stream contract were broken.
  public let column: Int?

  /// The first difference in words; empty when the diagrams are alike.
  public let summary: String

  /// The rules of the stream contract that were broken, in words.
  public let violations: [String]

  /// The summary, the two lines with the marker, and the broken rules.
  public var description: String {
    // It begins with a line break: what a test library puts in front would move the first line.
    var lines = [""]
    if !summary.isEmpty { lines.append("  \(summary)") }
    lines.append("    expected  \(expected)")
    lines.append("    got       \(actual)")
    if let column { lines.append("              \(String(repeating: " ", count: column))^") }
    lines += violations.map { "  a rule of the stream contract was broken: \($0)" }
    return lines.joined(separator: "\n")
  }
}

extension MarbleDifference {
  /// One thing at one time, on either side.
  struct Item {
    let offset: Duration
    /// As it is written in a diagram.
    let mark: String
    /// As it is called in a sentence.
    let words: String
  }

  /// Compares what happened with what was expected.
  ///
  /// - Parameter isSame: Whether the items of two positions are the same thing, whenever they happen.
  /// - Returns: Nil when all is as expected and no rule was broken.
  static func between(
    expected: [Item], actual: [Item], tick: Duration, violations: [String] = [],
    isSame: (_ expected: Int, _ actual: Int) -> Bool
  ) -> MarbleDifference? {
    let length = max(expected.count, actual.count)
    let first = (0..<length).first { index in
      guard index < expected.count, index < actual.count else { return true }
      return expected[index].offset != actual[index].offset || !isSame(index, index)
    }
    if first == nil, violations.isEmpty { return nil }
    let lines = [expected, actual].map { items in
      Dictionary(grouping: items, by: \.offset).mapValues { $0.map(\.mark) }
    }
    let layout = MarbleLayout(lines, tick: tick)
    var summary = ""
    var column: Int?
    if let first {
      let offset =
        [expected, actual].compactMap { $0.indices.contains(first) ? $0[first].offset : nil }
        .min() ?? .zero
      let (wanted, got) = (words(expected, at: offset), words(actual, at: offset))
      summary = "at \(MarbleTime.text(offset)): expected \(wanted), got \(got)"
      column = layout.columns[offset]
    }
    return MarbleDifference(
      expected: layout.texts[0], actual: layout.texts[1], column: column, summary: summary,
      violations: violations)
  }

  private static func words(_ items: [Item], at offset: Duration) -> String {
    let words = items.filter { $0.offset == offset }.map(\.words)
    return words.isEmpty ? "nothing" : words.joined(separator: ", ")
  }
}
