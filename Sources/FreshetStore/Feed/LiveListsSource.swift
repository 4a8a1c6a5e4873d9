import Synchronization

/// Reads the journal as lists of several queries: the state at the start, then every commit.
struct LiveListsSource: PullSource {
  let journal: Journal
  private let start: StartPosition
  private var cursor: LogCursor?
  private var index = Index()
  private var lists: [QueryRows]

  init(journal: Journal, queries: [Query], start: StartPosition) {
    self.journal = journal
    self.start = start
    lists = queries.map(QueryRows.init)
  }

  mutating func next() throws(StoreError) -> LiveLists? {
    let journal = journal
    guard let read = cursor?.read else {
      return try journal.fallingBack { () throws(StoreError) in try open() }
    }
    return try journal.followingVisible(read) { () throws(StoreError) in try step() }
  }

  private mutating func step() throws(StoreError) -> LiveLists? {
    let limit = journal.hub.limit
    guard try cursor?.next(upTo: limit) == true, let cursor else { return nil }
    var before: Index? = index
    let changes = try journal.fallingBack { () throws(StoreError) in
      // A second time from what the journal has: this list may rest on a snapshot that is damaged.
      defer { before = nil }
      return try journal.changes(of: cursor.commit, cursor.contents, before: before)
    }
    let token = journal.token(epoch: cursor.epoch, revision: cursor.revision)
    try apply(cursor.commit, cursor.contents)
    var shown: [LiveList?] = []
    shown.reserveCapacity(lists.count)
    for place in lists.indices {
      shown.append(
        lists[place].take(changes, token: token, time: cursor.commit.time))
    }
    return LiveLists(
      token: token, lists: shown, changeCount: changes.count, isInitial: false,
      isLatest: cursor.revision >= limit.revision)
  }

  private mutating func open() throws(StoreError) -> LiveLists {
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
    let all = try journal.records(
      of: index, includingDeleted: false,
      matching: lists.contains { $0.query.isAll }
        ? .all : .ids(startingWithAny: lists.flatMap { $0.query.idPrefixes }))
    let token = journal.token(epoch: log.epoch, revision: log.revision)
    var shown: [LiveList?] = []
    for place in lists.indices {
      lists[place].begin(with: all)
      shown.append(
        LiveList(
          token: token, rows: lists[place].rows, diff: ListDiff(), changes: nil, isInitial: true))
    }
    cursor = LogCursor(folder: journal.folder, after: log, wantsContents: true)
    return LiveLists(
      token: token, lists: shown, changeCount: 0, isInitial: true,
      isLatest: log.revision >= journal.hub.limit.revision)
  }

  /// Brings index and rows to the commit.
  ///
  /// O(lines × queries × log rows), but for a delete-all.
  private mutating func apply(_ commit: LogCommit, _ contents: [LineContent]) throws(StoreError) {
    for (line, content) in zip(commit.lines, contents) {
      switch index.apply(line, of: commit) {
      case .inserted(let number), .restored(let number), .updated(let number):
        let entry = index[number]
        let record = Record(content, entry, try index.origin(of: number, entry))
        for place in lists.indices { lists[place].put(record, content.id) }
      case .removed(let number):
        let origin = try index.origin(of: number, index[number])
        for place in lists.indices { lists[place].remove(origin, content.id) }
      case .cleared:
        for place in lists.indices { lists[place].removeAll() }
      case nil, Index.Effect.none?: break
      }
    }
  }
}

/// The rows of one query, brought from commit to commit.
private struct QueryRows: Sendable {
  /// A row before a commit and after it.
  struct Touched: Sendable {
    var before: Record?
    var after: Record?
  }

  let query: Query
  private(set) var rows = RecordList()
  /// The rows before the commit, once it has touched one.
  private var before: RecordList?
  private var touched: [[UInt8]: Touched] = [:]

  init(_ query: Query) { self.query = query }

  mutating func begin(with all: [Record]) {
    rows = RecordList(query.isAll ? all : all.filter { query.matches($0.id) })
  }

  mutating func put(_ record: Record, _ id: [UInt8]) {
    guard query.matches(record.id) else { return }
    if before == nil { before = rows }
    let at = rows.place(record.origin)
    if at < rows.count, rows[at].origin == record.origin {
      touched[id, default: Touched(before: rows[at])].after = record
      rows.replace(record, at: at)
    } else {
      touched[id, default: Touched()].after = record
      rows.insert(record, at: at)
    }
  }

  mutating func remove(_ origin: Origin, _ id: [UInt8]) {
    // Not of this query.
    guard let (at, record) = rows.row(at: origin) else { return }
    if before == nil { before = rows }
    touched[id, default: Touched(before: record)].after = nil
    rows.remove(at: at)
  }

  mutating func removeAll() {
    if rows.count == 0 { return }
    if before == nil { before = rows }
    for record in rows {
      touched[Array(record.id.utf8), default: Touched(before: record)].after = nil
    }
    rows = RecordList()
  }

  /// The list after a commit; nil when none of the commit's changes is of the query.
  mutating func take(_ all: [Change], token: Token, time: Int64) -> LiveList? {
    let old = before ?? rows
    let rowsTouched = touched.values
    before = nil
    touched = [:]
    let changes = query.isAll ? all : all.filter { query.matches($0.id) }
    if changes.isEmpty { return nil }
    return LiveList(
      token: token, rows: rows, diff: ListDiff(from: old, to: rows, rowsTouched),
      changes: ChangeSet(
        epoch: token.epoch, revision: token.revision, time: time, changes: changes),
      isInitial: false)
  }
}

extension ListDiff {
  /// The difference between two lists that differ in the touched rows only.
  fileprivate init(
    from old: RecordList, to new: RecordList, _ touched: some Sequence<QueryRows.Touched>
  ) {
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
        if before.rawBody != after.rawBody { updatedRows.append(Row(id: after.id, index: place)) }
      }
    }
    removed.sort { $0.index < $1.index }
    inserted.sort { $0.index < $1.index }
    moved.sort { $0.to < $1.to }
    updated = updatedRows.sorted { $0.index < $1.index }.map(\.id)
  }
}
