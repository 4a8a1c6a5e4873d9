import Synchronization

/// Reads the journal as change sets.
struct ChangeSource: PullSource {
  let journal: Journal
  private let start: StartPosition
  private var cursor: LogCursor?
  private var skipUpTo: Int64 = 0

  init(journal: Journal, start: StartPosition) throws(StoreError) {
    self.journal = journal
    self.start = start
    // "From now on" means from the subscription on, not from when a thread gets to it.
    if start == .now || start == .snapshot { try open() }
  }

  mutating func next() throws(StoreError) -> ChangeSet? {
    if cursor == nil { try open() }
    guard let read = cursor?.read else { return nil }
    let journal = journal
    return try journal.followingVisible(read) { () throws(StoreError) in try step() }
  }

  private mutating func step() throws(StoreError) -> ChangeSet? {
    let limit = journal.hub.limit
    while try cursor?.next(upTo: limit) == true, let cursor {
      guard cursor.revision > skipUpTo else { continue }
      let changes = try journal.fallingBack { () throws(StoreError) in
        try journal.changes(of: cursor.commit, cursor.contents)
      }
      if changes.isEmpty { continue }
      return ChangeSet(
        epoch: Int(cursor.epoch), revision: cursor.revision, time: cursor.commit.time,
        changes: changes)
    }
    return nil
  }

  private mutating func open() throws(StoreError) {
    try journal.refresh()
    switch start {
    case .now, .snapshot:
      cursor = journal.cursorAtEnd()
    case .oldest:
      cursor = try journal.cursor(after: try journal.oldestToken().revision)
    case .after(let token):
      try journal.check(token)
      cursor = try journal.cursor(after: token.revision)
      skipUpTo = token.revision
    }
  }
}

extension Journal {
  /// A cursor after the last commit of the state.
  func cursorAtEnd() -> LogCursor {
    state.withLock { LogCursor(folder: folder, after: $0.log, wantsContents: true) }
  }

  /// A cursor at or shortly before the commit after `revision`.
  func cursor(after revision: Int64) throws(StoreError) -> LogCursor {
    let listing = try folder.listing()
    guard let oldest = listing.oldestBase, oldest <= revision,
      let segment = listing.segments.last(where: { $0 <= revision + 1 })
    else { throw folder.compacted(after: revision, listing) }
    var place = Place(segment: segment, offset: 0)
    var before = segment - 1
    let source: DataFile?
    do throws(StoreError) {
      source = try folder.segment(segment)
    } catch {
      // Removed a moment ago, or unreadable: the cursor finds out which, and says so.
      source = nil
    }
    if let point = source?.waypoints.nearest(to: revision) {
      place.offset = point.offset
      before = point.revision
    }
    return LogCursor(
      folder: folder, from: place, revision: before, epoch: epoch(at: before), source: source,
      wantsContents: true)
  }

  /// Tells whether this store's history holds the token's commit.
  func check(_ token: Token) throws(StoreError) {
    guard token.storeID == description.id else {
      throw StoreError(
        .differentStore,
        "the token belongs to store \(token.storeID), this is \(description.id); "
          + "read the current state and follow from there", path: path)
    }
    let (current, revision, ended) = state.withLock {
      ($0.log.epoch, $0.log.revision, $0.log.epochEnds)
    }
    // A revision beyond the durable end was never handed out by this history: the store is an older
    // copy of the one that made the token.
    let end =
      token.epoch == current
      ? revision : ended.first { $0.epoch == token.epoch }?.lastRevision
    let isKnown = end.map { token.revision <= $0 } ?? false
    guard isKnown, token.revision >= 0 else {
      // Then it may be there, and this reader cannot know.
      let bad = lock == nil ? try head.badSlot() : nil
      throw StoreError(
        .diverged,
        "revision \(token.revision) of epoch \(token.epoch) is not in the history of "
          + "\(path), which is at revision \(revision) of epoch \(current): "
          + (bad != nil
            ? "HEAD is damaged, and any commit makes it anew; do one, or "
            : "a recovery gave it up, or this is an older copy; ")
          + "read the current state and follow from there", path: path)
    }
    let listing = try folder.listing()
    if token.revision < listing.oldestBase ?? 0 {
      throw folder.compacted(after: token.revision, listing)
    }
  }

  /// The state as of a revision: the current one, or folded from a snapshot before it.
  func log(at revision: Int64) throws(StoreError) -> LogState {
    var current = state.withLock { $0.log }
    if current.revision < revision {
      // A process that only follows has not looked at the journal since it opened it.
      try refresh()
      current = state.withLock { $0.log }
    }
    if current.revision <= revision { return current }
    let distrusted = state.withLock { $0.distrusted }
    var log: LogState
    if let base = current.index.base, base.revision <= revision {
      log = LogState(base: base)
    } else {
      log = try base(for: revision, without: distrusted)
    }
    var cursor = LogCursor(folder: folder, after: log, wantsContents: false)
    let limit = current.watermark
    while log.revision < revision, try cursor.next(upTo: limit), cursor.revision <= revision {
      try log.apply(cursor.commit)
    }
    return log
  }

  /// What a commit did, item by item; `before` is the index before it, when it is at hand.
  func changes(
    of commit: LogCommit, _ contents: [LineContent], before: Index? = nil
  ) throws(StoreError) -> [Change] {
    var items: [(kind: Change.Kind, id: String, body: [UInt8]?)] = []
    for (number, (line, content)) in zip(commit.lines, contents).enumerated() {
      let id = String(decoding: content.id, as: UTF8.self)
      switch line.kind {
      case .put: items.append((line.replaces == 0 ? .added : .changed, id, content.body))
      case .soft: items.append((.removed, id, content.body.isEmpty ? nil : content.body))
      case .restore: items.append((.restored, id, content.body))
      case .clear:
        let index = try index(before: commit, line: number, before)
        for record in try records(of: index, includingDeleted: false) {
          items.append((.removed, record.id, record.body))
        }
      case .erase, .epoch, .unknown: break
      }
    }
    return items.enumerated().map { number, item in
      Change(
        kind: item.kind, id: item.id, body: item.body, index: number + 1, count: items.count)
    }
  }

  /// The index before a line of a commit: one line of the journal deletes all, and who was live
  /// then is known from the lines before it.
  private func index(
    before commit: LogCommit, line number: Int, _ before: Index?
  ) throws(StoreError) -> Index {
    var index: Index
    if let before {
      index = before
    } else {
      if state.withLock({ $0.log.revision < commit.revision }) { try refresh() }
      let kept = state.withLock { $0.log.beforeClear }
      let isLast = commit.lines[(number + 1)...].allSatisfy { $0.kind != .clear }
      if let kept, kept.revision == commit.revision, isLast { return kept.index }
      index = try log(at: commit.revision - 1).index
    }
    for earlier in commit.lines[..<number] { _ = index.apply(earlier, of: commit) }
    return index
  }
}
