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
    let limit = journal.hub.limit
    while try cursor?.next(upTo: limit) == true, let cursor {
      guard cursor.revision > skipUpTo else { continue }
      let changes = try journal.changes(of: cursor.commit, cursor.contents)
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
    let (end, revision, epoch) = state.withLock { ($0.log.end, $0.log.revision, $0.log.epoch) }
    return LogCursor(
      folder: folder, from: end, revision: revision, epoch: epoch, wantsContents: true)
  }

  /// A cursor at the start of the segment that the commit after `revision` is in.
  func cursor(after revision: Int64) throws(StoreError) -> LogCursor {
    let segments = try folder.segments()
    guard let segment = segments.last(where: { $0 <= revision + 1 }) else {
      throw compacted(after: revision, oldest: segments.first ?? 1)
    }
    return LogCursor(
      folder: folder, from: Place(segment: segment, offset: 0), revision: segment - 1,
      epoch: epoch(at: segment - 1), wantsContents: true)
  }

  func compacted(after revision: Int64, oldest: Int64) -> StoreError {
    StoreError(
      .compacted,
      "the changes after revision \(revision) are no longer kept, the oldest is "
        + "\(oldest); read the current state and follow from there", path: path)
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
      throw StoreError(
        .diverged,
        "revision \(token.revision) of epoch \(token.epoch) is not in the history of "
          + "\(path), which is at revision \(revision) of epoch \(current): a recovery "
          + "gave it up, or this is an older copy; read the current state and follow from there",
        path: path)
    }
    let oldest = try oldestToken().revision
    if token.revision < oldest { throw compacted(after: token.revision, oldest: oldest + 1) }
  }

  /// The state as of a revision: folded from the journal, unless it is the current one.
  func log(at revision: Int64) throws(StoreError) -> LogState {
    var current = state.withLock { $0.log }
    if current.revision < revision {
      // A process that only follows has not looked at the journal since it opened it.
      try refresh()
      current = state.withLock { $0.log }
    }
    if current.revision <= revision { return current }
    let first = try oldestToken().revision + 1
    var log = LogState(firstSegment: first)
    var cursor = LogCursor(
      folder: folder, from: log.end, revision: log.revision, epoch: log.epoch,
      wantsContents: false)
    let limit = HeadRecord(
      segment: current.end.segment, offset: current.end.offset, revision: current.revision)
    while try cursor.next(upTo: limit), cursor.revision <= revision { try log.apply(cursor.commit) }
    return log
  }

  /// What a commit did, item by item.
  func changes(
    of commit: LogCommit, _ contents: [LineContent]
  ) throws(StoreError) -> [Change] {
    var items: [(kind: Change.Kind, id: String, body: [UInt8]?)] = []
    for (number, (line, content)) in zip(commit.lines, contents).enumerated() {
      let id = String(decoding: content.id, as: UTF8.self)
      switch line.kind {
      case .put: items.append((line.replaces == 0 ? .added : .changed, id, content.body))
      case .soft: items.append((.removed, id, content.body.isEmpty ? nil : content.body))
      case .restore: items.append((.restored, id, content.body))
      case .clear:
        // One line in the journal; who was live then is known from the lines before it.
        var log = try self.log(at: commit.revision - 1)
        for earlier in commit.lines[..<number] {
          _ = log.index.apply(earlier, revision: commit.revision)
        }
        for record in try records(of: log.index, includingDeleted: false) {
          items.append((.removed, record.id, record.body))
        }
      case .epoch, .unknown: break
      }
    }
    return items.enumerated().map { number, item in
      Change(
        kind: item.kind, id: item.id, body: item.body, index: number + 1, count: items.count)
    }
  }
}
