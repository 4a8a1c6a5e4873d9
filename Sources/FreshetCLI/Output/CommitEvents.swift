import FreshetModels
import FreshetStore

extension Output.Batch {
  /// Everything one commit has to tell: `item.*` for each change, then the transitions it caused.
  ///
  /// All share the revision; the last one has the cursor. With a part only the changes of these
  /// places are told, and the transitions with the last of them.
  /// - Returns: How many `item.*` events there were.
  mutating func emitCommit(
    _ followed: DownloadsModel.Followed, filter: Cursor.Filter, part: Range<Int>? = nil
  ) -> Int {
    guard let commit = followed.list.changes else { return 0 }
    let part = part ?? commit.changes.indices
    let inCommit = commit.changes.first?.count ?? 0
    let count = inCommit + followed.transitions.count
    let cursor = Cursor(token: followed.list.token, filter: filter).text
    for place in part {
      let change = commit.changes[place]
      var head = EventHead(change.kind.eventType)
      head.revision = commit.revision
      head.index = change.index - 1
      head.count = count
      head.time = commit.time
      head.view = "downloads"
      head.id = change.id
      let isLast = followed.transitions.isEmpty && place == commit.changes.count - 1
      if isLast { head.cursor = cursor }
      emit(head, text: change.text) { data in
        if let body = change.body { data.body("item", body) } else { data.null("item") }
      }
    }
    guard part.upperBound == commit.changes.count else { return part.count }
    for (place, transition) in followed.transitions.enumerated() {
      let isLast = place == followed.transitions.count - 1
      emitTransition(
        transition, revision: commit.revision, index: inCommit + place, count: count,
        time: commit.time, cursor: isLast ? cursor : nil)
    }
    return part.count
  }

  /// One step of the downloads screen.
  mutating func emitTransition(
    _ transition: Transition<DownloadsModel>, revision: Int64, index: Int? = nil,
    count: Int? = nil, time: Int64? = nil, cursor: String? = nil
  ) {
    var head = EventHead("view.changed")
    head.revision = revision
    head.index = index
    head.count = count
    head.time = time
    head.view = "downloads"
    head.cursor = cursor
    emit(head) { data in
      data.string("from", transition.from.name)
      data.string("to", transition.to.name)
      data.string("cause", transition.cause.rawValue)
      data.object("state") { $0.writeState(transition.state) }
      data.writeDiff(transition.diff)
    }
  }
}

extension ObjectWriter {
  fileprivate mutating func writeState(_ state: DownloadsModel.State) {
    int("count", state.records.count)
    if case .deleting(let id) = state.phase { string("deleting", id) } else { null("deleting") }
    if case .failed(let error) = state.phase {
      object("error") { Problem(error).write(to: &$0) }
    } else {
      null("error")
    }
  }

  /// The list's difference; null, with the number of rows, when it would not fit into a line.
  ///
  /// The commit's `item.*` events tell the same.
  fileprivate mutating func writeDiff(_ diff: ListDiff) {
    let size = diff.sizeBytes
    guard size < 900_000 else {
      null("diff")
      int("diff_rows", diff.rowCount)
      return
    }
    object("diff") { object in
      object.objects("inserted", diff.inserted) { $0.writeRow($1) }
      object.objects("removed", diff.removed) { $0.writeRow($1) }
      object.objects("moved", diff.moved) { row, move in
        row.string("id", move.id)
        row.int("from", move.from)
        row.int("to", move.to)
      }
      object.strings("updated", diff.updated)
    }
  }

  private mutating func writeRow(_ row: ListDiff.Row) {
    string("id", row.id)
    int("index", row.index)
  }
}

extension ListDiff {
  fileprivate var rowCount: Int { inserted.count + removed.count + moved.count + updated.count }

  /// At most this many bytes as JSON; ids could need escapes of six bytes a byte.
  fileprivate var sizeBytes: Int {
    let ids = inserted.map(\.id) + removed.map(\.id) + moved.map(\.id) + updated
    return ids.reduce(0) { sum, id in
      let isPlain = id.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x5C }
      return sum + id.utf8.count * (isPlain ? 1 : 6) + 64
    }
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
