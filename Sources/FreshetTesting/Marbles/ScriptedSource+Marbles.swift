extension ScriptedSource {
  /// Compares when the source was subscribed to, and for how long, with diagrams.
  ///
  ///     let inner = try scheduler.cold("-1--2|")
  ///     ...
  ///     #expect(try inner.subscriptionDifference(from: "--^----!", "-------^--!") == nil)
  ///
  /// One diagram per subscription, in their order, with `^` where it begins and `!` where it is
  /// over: disposed of, or ended by the source; ``log`` counts the disposals. Times count from when
  /// the source was made. Without diagrams no subscription is expected.
  ///
  /// - Parameter diagrams: What was expected; see ``MarbleDiagram``.
  /// - Returns: The first difference; nil when there is none.
  /// - Throws: ``MarbleError`` for a diagram that cannot be read, or that has values in it.
  public func subscriptionDifference(
    from diagrams: String...
  ) throws(MarbleError) -> MarbleDifference? {
    try subscriptionDifference(from: diagrams)
  }

  /// Compares when the source was subscribed to, and for how long, with a list of diagrams.
  ///
  /// See ``subscriptionDifference(from:)-(String...)``.
  public func subscriptionDifference(
    from diagrams: [String]
  ) throws(MarbleError) -> MarbleDifference? {
    var expected: [[MarbleDifference.Item]] = []
    for diagram in diagrams {
      let span = try MarbleDiagram(diagram, tick: clock.tick).span(needsStart: true)
      expected.append(Self.items(span.start, span.end))
    }
    let actual = subscriptions.map { span in
      Self.items(clock.offset(span.start), span.end.map(clock.offset))
    }
    for index in 0..<max(expected.count, actual.count) {
      let wanted = index < expected.count ? expected[index] : []
      let got = index < actual.count ? actual[index] : []
      let difference = MarbleDifference.between(
        expected: wanted, actual: got, tick: clock.tick
      ) { wanted[$0].mark == got[$1].mark }
      guard let difference else { continue }
      return MarbleDifference(
        expected: difference.expected, actual: difference.actual, column: difference.column,
        summary: "subscription \(index + 1), \(difference.summary)", violations: [])
    }
    return nil
  }

  private static func items(_ start: Duration, _ end: Duration?) -> [MarbleDifference.Item] {
    var items = [MarbleDifference.Item(offset: start, mark: "^", words: "a subscription")]
    if let end { items.append(.init(offset: end, mark: "!", words: "its end")) }
    return items
  }
}
