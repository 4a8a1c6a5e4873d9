/// A marble diagram that cannot be read, or cannot be used for what it was given to.
///
/// Its text names the column, says what was expected there and shows the place:
///
///     column 5: `)` closes no group; open one with `(`
///       --a-)b|
///           ^
public struct MarbleError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The diagram as it was written.
  public let diagram: String

  /// Where it is wrong, counted in characters from one.
  ///
  /// One more than the diagram is long when something is missing at its end.
  public let column: Int

  /// What is wrong there, and what was expected instead.
  public let message: String

  init(_ diagram: String, column: Int, _ message: String) {
    self.diagram = diagram
    self.column = column
    self.message = message
  }

  /// The column, what was expected, and the diagram with a marker under the place.
  public var description: String {
    // A line break or a tab in the diagram would move the marker away from its place.
    let line = String(diagram.map { $0.isWhitespace ? " " : $0 })
    let marker = String(repeating: " ", count: column - 1) + "^"
    return "column \(column): \(message)\n  \(line)\n  \(marker)"
  }
}
