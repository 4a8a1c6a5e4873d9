import FreshetStore

/// What one commit has to tell: `item.*` for each change of each view that holds items, then the
/// transitions it caused, as far as a filter lets them pass.
///
/// All share the revision, and are counted before the filter; the last that is told has the cursor.
struct CommitEvents: Sendable {
  private enum Entry: Sendable {
    case item(step: Int, change: Int)
    case transition(step: Int, place: Int)
  }

  private let steps: [ViewStep]
  private let entries: [Entry]
  /// The revision, the time, the place after it as text.
  private let revision: Int64
  private let time: Int64
  private let cursor: String
  /// How many changes the commit has.
  private let changeCount: Int
  /// How many events there are without the filter.
  private let eventCount: Int
  /// For each step, how many views before it tell items.
  private let itemViewsBefore: [Int]
  /// How many views of the stream tell items, touched or not; at least one.
  private let itemViews: Int
  /// How many of the events are of items, and of transitions.
  let itemCount: Int
  let transitionCount: Int

  /// - Parameters:
  ///   - lists: The commit.
  ///   - steps: Each view's step through it; nil for a view that it does not touch.
  ///   - itemViews: Which views tell items.
  init(
    _ lists: LiveLists, _ steps: [ViewStep?], itemViews: [Bool], cursor: String,
    _ filter: RecordFilter
  ) {
    revision = lists.token.revision
    changeCount = lists.changeCount
    self.cursor = cursor
    self.itemViews = max(1, itemViews.count { $0 })
    self.steps = steps.compactMap { $0 }
    time = self.steps.lazy.compactMap { $0.list.changes?.time }.first ?? 0
    itemViewsBefore = steps.indices.filter { steps[$0] != nil }.map { place in
      itemViews[..<place].count { $0 }
    }
    eventCount = changeCount * self.itemViews + self.steps.reduce(0) { $0 + $1.transitions.count }
    var entries: [Entry] = []
    for (number, step) in self.steps.enumerated() where step.tellsItems {
      for (place, change) in (step.list.changes?.changes ?? []).enumerated()
      where filter.admits(change, of: step.view) {
        entries.append(.item(step: number, change: place))
      }
    }
    itemCount = entries.count
    for (number, step) in self.steps.enumerated() {
      for (place, transition) in step.transitions.enumerated() where filter.admits(transition) {
        entries.append(.transition(step: number, place: place))
      }
    }
    transitionCount = entries.count - itemCount
    self.entries = entries
  }

  /// How many events are told.
  var count: Int { entries.count }

  /// Tells some of the events.
  func emit(_ part: Range<Int>, to batch: inout Output.Batch) {
    for place in part {
      let cursor = place == entries.count - 1 ? cursor : nil
      switch entries[place] {
      case .item(let step, let change): emitItem(step, change, cursor, to: &batch)
      case .transition(let step, let place):
        let before = steps[..<step].reduce(0) { $0 + $1.transitions.count }
        batch.emitTransition(
          steps[step].transitions[place], revision: revision,
          index: changeCount * itemViews + before + place, count: eventCount, time: time,
          cursor: cursor)
      }
    }
  }

  private func emitItem(
    _ number: Int, _ place: Int, _ cursor: String?, to batch: inout Output.Batch
  ) {
    let step = steps[number]
    guard let change = step.list.changes?.changes[place] else { return }
    var head = EventHead(change.kind.eventType)
    head.revision = revision
    head.index = changeCount * itemViewsBefore[number] + change.index - 1
    head.count = eventCount
    head.time = time
    head.view = step.view.name
    head.id = change.id
    head.cursor = cursor
    batch.emit(head, text: change.text) { data in
      if let body = change.body { data.body("item", body) } else { data.null("item") }
      if change.kind != .removed, let body = change.body, let poster = step.poster {
        data.string("poster", poster(body))
      }
    }
  }
}

extension RecordFilter {
  fileprivate func admits(_ change: Change, of view: View) -> Bool {
    isAll
      || admits(
        type: change.kind.eventType.description, view: view.rawValue, id: change.id,
        data: Self.data(of: change.body))
  }

  /// Whether a row of a first state is told.
  func admits(_ row: ViewStep.Row, of view: View) -> Bool {
    isAll
      || admits(
        type: "snapshot.item", view: view.rawValue, id: row.id, data: Self.data(of: row.body))
  }

  private static func data(of body: [UInt8]?) -> JSONObject {
    guard let body, let item = try? JSONValue(parsing: body) else { return [:] }
    return ["item": item]
  }

  /// Whether a transition is told.
  func admits(_ transition: ViewTransition) -> Bool {
    isAll
      || admits(
        type: "view.changed", view: transition.view.rawValue, id: nil,
        data: [
          "from": .string(transition.from), "to": .string(transition.to),
          "cause": .string(transition.cause), "state": .object(transition.state),
        ])
  }
}

extension Change {
  fileprivate var text: String {
    TextRow.line([kind.rawValue]) + TextRow.separator + ItemText.row(id, body)
  }
}

extension Change.Kind {
  fileprivate var eventType: StaticString {
    switch self {
    case .added: "item.added"
    case .changed: "item.changed"
    case .removed: "item.removed"
    case .restored: "item.restored"
    }
  }
}
