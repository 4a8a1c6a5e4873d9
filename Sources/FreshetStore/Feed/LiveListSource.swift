import Synchronization

/// Reads the journal as lists: the state at the start, then one list per commit that touches it.
struct LiveListSource: PullSource {
  let journal: Journal
  let query: Query
  private let start: StartPosition
  private var cursor: LogCursor?
  private var index = Index()
  private var rows = RecordList()

  init(journal: Journal, query: Query, start: StartPosition) {
    self.journal = journal
    self.query = query
    self.start = start
  }

  mutating func next() throws(StoreError) -> LiveList? {
    if cursor == nil { return try open() }
    let limit = journal.hub.limit
    while try cursor?.next(upTo: limit) == true, let cursor {
      let all = try journal.changes(of: cursor.commit, cursor.contents, before: index)
      let diff = try apply(cursor.commit, cursor.contents)
      let changes = all.filter { query.matches($0.id) }
      if changes.isEmpty { continue }
      return LiveList(
        token: journal.token(epoch: cursor.epoch, revision: cursor.revision), rows: rows,
        diff: diff,
        changes: ChangeSet(
          epoch: Int(cursor.epoch), revision: cursor.revision, time: cursor.commit.time,
          changes: changes),
        isInitial: false)
    }
    return nil
  }

  private mutating func open() throws(StoreError) -> LiveList {
    try journal.refresh()
    let log: LogState
    switch start {
    case .snapshot, .now:
      log = journal.state.withLock { $0.log }
    case .oldest:
      log = try journal.log(at: try journal.oldestToken().revision)
    case .after(let token):
      try journal.check(token)
      log = try journal.log(at: token.revision)
    }
    index = log.index
    let all = try journal.records(of: index, includingDeleted: false)
    rows = RecordList(query.isAll ? all : all.filter { query.matches($0.id) })
    cursor = LogCursor(folder: journal.folder, after: log, wantsContents: true)
    return LiveList(
      token: journal.token(epoch: log.epoch, revision: log.revision), rows: rows,
      diff: ListDiff(), changes: nil, isInitial: true)
  }

  /// Brings index and rows to the commit, and says how the rows changed.
  ///
  /// O(lines × log rows), but for a delete-all.
  private mutating func apply(
    _ commit: LogCommit, _ contents: [LineContent]
  ) throws(StoreError) -> ListDiff {
    let before = rows
    var touched: [[UInt8]: Touched] = [:]
    for (line, content) in zip(commit.lines, contents) {
      switch index.apply(line, of: commit) {
      case .inserted(let number), .restored(let number), .updated(let number):
        let entry = index[number]
        let record = Record(content, entry, try index.origin(of: number, entry))
        guard query.matches(record.id) else { continue }
        let at = rows.place(record.origin)
        if at < rows.count, rows[at].origin == record.origin {
          touched[content.id, default: Touched(before: rows[at])].after = record
          rows.replace(record, at: at)
        } else {
          touched[content.id, default: Touched()].after = record
          rows.insert(record, at: at)
        }
      case .removed(let number):
        guard let (at, record) = rows.row(at: try index.origin(of: number, index[number])) else {
          continue  // Not of this query.
        }
        touched[content.id, default: Touched(before: record)].after = nil
        rows.remove(at: at)
      case .cleared:
        for record in rows {
          touched[Array(record.id.utf8), default: Touched(before: record)].after = nil
        }
        rows = RecordList()
      case nil, Index.Effect.none?: break
      }
    }
    return ListDiff(from: before, to: rows, touched.values)
  }
}

/// A row before a commit and after it.
private struct Touched {
  var before: Record?
  var after: Record?
}

extension ListDiff {
  /// The difference between two lists that differ in the touched rows only.
  fileprivate init(from old: RecordList, to new: RecordList, _ touched: some Sequence<Touched>) {
    self.init()
    var updatedRows: [Row] = []
    for row in touched {
      switch (row.before, row.after) {
      case (nil, nil): continue
      case (let before?, nil):
        removed.append(Row(id: before.id, index: old.place(before.origin)))
      case (nil, let after?):
        inserted.append(Row(id: after.id, index: new.place(after.origin)))
      case (let before?, let after?):
        let place = new.place(after.origin)
        if before.origin != after.origin {
          moved.append(Move(id: after.id, from: old.place(before.origin), to: place))
        }
        if before.body != after.body { updatedRows.append(Row(id: after.id, index: place)) }
      }
    }
    removed.sort { $0.index < $1.index }
    inserted.sort { $0.index < $1.index }
    moved.sort { $0.to < $1.to }
    updated = updatedRows.sorted { $0.index < $1.index }.map(\.id)
  }
}
