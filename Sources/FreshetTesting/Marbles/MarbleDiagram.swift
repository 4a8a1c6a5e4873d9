/// What happens when, written as one line of characters.
///
///     -a-b--(cd)-|
///
/// | characters | meaning | lasts |
/// |---|---|---|
/// | `-` | nothing | one tick |
/// | `a`, `7`, `x` | a value, by its name | one tick |
/// | `{name}` | a value whose name has several characters | one tick |
/// | `\|` | the finish | one tick |
/// | `#` | the failure | one tick |
/// | `(ab\|)` | several of these in one tick | a tick for each of them and each parenthesis |
/// | `[ab\|]` | several of these in one tick | one tick |
/// | `^` | a subscription; in the diagram of a hot source, its time zero | one tick |
/// | `!` | a dispose | one tick |
/// | `10ms`, `1.5s`, `2m` | nothing, for that long; between blanks | as it says |
/// | blank | nothing, and takes no time: for lining diagrams up | – |
///
/// This is the syntax of RxJS, where a group in parentheses lasts as long as it is wide, so that
/// what stands in one column of two diagrams happens in one tick. `[ ]` and `{ }` are added for what
/// that cannot say: a group that another event follows at once, and long names.
public struct MarbleDiagram: Hashable, Sendable, CustomStringConvertible {
  /// One thing that happens.
  public enum Mark: Hashable, Sendable {
    /// A value, by its name.
    case value(String)
    /// The finish, `|`.
    case finish
    /// The failure, `#`.
    case failure
    /// A subscription, `^`.
    case subscription
    /// A dispose, `!`.
    case dispose
  }

  /// One thing that happens, and when.
  public struct Event: Hashable, Sendable {
    /// How long after the diagram's beginning.
    public let offset: Duration
    /// What happens.
    public let mark: Mark
    /// Where it stands in the text, counted in characters from one.
    public let column: Int
  }

  /// The diagram as it was written.
  public let description: String

  /// How long one character lasts.
  public let tick: Duration

  /// What happens, in order.
  public let events: [Event]

  /// Reads a diagram.
  ///
  /// - Parameters:
  ///   - text: The diagram.
  ///   - tick: How long one character lasts. Must be positive.
  /// - Throws: ``MarbleError`` with the column and what was expected there.
  /// - Complexity: O(n) in the length of the text.
  public init(_ text: String, tick: Duration = .milliseconds(1)) throws(MarbleError) {
    precondition(tick > .zero, "a tick must last for some time, not \(tick)")
    var parser = MarbleParser(text, tick: tick)
    try parser.parse()
    description = text
    self.tick = tick
    events = parser.events
  }

  /// What a source does: the offsets count from `^` where there is one, and what is before it is left out.
  func sourceEvents(mayBeSubscribed: Bool) throws(MarbleError) -> [Event] {
    try refuse(
      .dispose, "`!` is a dispose, and a source does not dispose; write `|` or `#` to end it")
    if !mayBeSubscribed {
      try refuse(
        .subscription,
        "`^` is for hot sources; a cold one begins with each subscription, so leave it out")
    }
    let zero = events.first { $0.mark == .subscription }?.offset ?? .zero
    if let end = events.first(where: { $0.mark.isEnd && $0.offset < zero }) {
      throw error(at: end, "the source ends before `^`, so nobody hears it; move `^` before it")
    }
    return events.compactMap { event in
      guard event.mark != .subscription, event.offset >= zero else { return nil }
      return Event(offset: event.offset - zero, mark: event.mark, column: event.column)
    }
  }

  /// What an observer is told.
  func observedEvents() throws(MarbleError) -> [Event] {
    let hint = "an observer is told values and an end"
    try refuse(.subscription, "`^` is a subscription; \(hint)")
    try refuse(.dispose, "`!` is a dispose; \(hint)")
    return events
  }

  /// When somebody subscribes and when the subscription is over, if ever.
  func span(needsStart: Bool) throws(MarbleError) -> (start: Duration, end: Duration?) {
    for event in events where event.mark != .subscription && event.mark != .dispose {
      throw error(at: event, "a subscription is written with `^`, `!` and `-` only")
    }
    let start = events.first { $0.mark == .subscription }
    let end = events.first { $0.mark == .dispose }
    if start == nil, needsStart {
      throw MarbleError(
        description, column: description.count + 1, "expected `^`, where the subscription begins")
    }
    if let start, let end, end.offset < start.offset {
      throw error(at: end, "`!` comes before `^`")
    }
    return (start?.offset ?? .zero, end?.offset)
  }

  func error(at event: Event, _ message: String) -> MarbleError {
    MarbleError(description, column: event.column, message)
  }

  private func refuse(_ mark: Mark, _ message: String) throws(MarbleError) {
    if let event = events.first(where: { $0.mark == mark }) { throw error(at: event, message) }
  }
}

extension MarbleDiagram.Mark {
  var isEnd: Bool { self == .finish || self == .failure }

  /// How it is written in a diagram.
  var text: String {
    switch self {
    case .value(let name):
      if name.count == 1, let only = name.first, !MarbleParser.isReserved(only) {
        name
      } else {
        "{\(name)}"
      }
    case .finish: "|"
    case .failure: "#"
    case .subscription: "^"
    case .dispose: "!"
    }
  }
}
