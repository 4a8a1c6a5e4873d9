import FreshetStore

extension Output.Batch {
  /// Everything one commit has to tell: `item.*` for each change, then the transitions it caused.
  ///
  /// All share the revision; the last one has the cursor. With a part only the changes of these
  /// places are told, and the transitions with the last of them.
  /// - Returns: How many events there were that a bound counts: of items, else of transitions.
  mutating func emitCommit(
    _ step: ViewStep, filter: Cursor.Filter, part: Range<Int>? = nil
  ) -> Int {
    guard let commit = step.list.changes else { return 0 }
    let changes = step.tellsItems ? commit.changes[...] : []
    let part = part ?? changes.indices
    let inCommit = commit.changes.first?.count ?? 0
    let count = inCommit + step.transitions.count
    let cursor = Cursor(token: step.list.token, filter: filter).text
    for place in part {
      let change = changes[place]
      var head = EventHead(change.kind.eventType)
      head.revision = commit.revision
      head.index = change.index - 1
      head.count = count
      head.time = commit.time
      head.view = step.view.name
      head.id = change.id
      let isLast = step.transitions.isEmpty && place == changes.count - 1
      if isLast { head.cursor = cursor }
      emit(head, text: change.text) { data in
        if let body = change.body { data.body("item", body) } else { data.null("item") }
        if change.kind != .removed, let body = change.body, let poster = step.poster {
          data.string("poster", poster(body))
        }
      }
    }
    guard part.upperBound == changes.count else { return part.count }
    for (place, transition) in step.transitions.enumerated() {
      let isLast = place == step.transitions.count - 1
      emitTransition(
        transition, revision: commit.revision, index: inCommit + place, count: count,
        time: commit.time, cursor: isLast ? cursor : nil)
    }
    return step.tellsItems ? part.count : step.transitions.count
  }
}

extension Change {
  fileprivate var text: String {
    let word = kind.rawValue
    return word + String(repeating: " ", count: max(1, 10 - word.count)) + ItemText.row(id, body)
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
