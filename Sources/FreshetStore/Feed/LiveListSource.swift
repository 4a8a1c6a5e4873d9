import Synchronization

/// Reads the journal as lists: the state at the start, then one list per commit that touches it.
struct LiveListSource: PullSource {
  let journal: Journal
  let query: Query
  private let start: StartPosition
  private var cursor: LogCursor?
  private var index = Index()
  private var records: [Record] = []

  init(journal: Journal, query: Query, start: StartPosition) {
    self.journal = journal
    self.query = query
    self.start = start
  }

  mutating func next() throws(StoreError) -> LiveList? {
    if cursor == nil { return try open() }
    let limit = journal.hub.limit
    while try cursor?.next(upTo: limit) == true, let cursor {
      let all = try journal.changes(of: cursor.commit, cursor.contents)
      let before = records
      try apply(cursor.commit, cursor.contents)
      let changes = all.filter { query.matches($0.id) }
      if changes.isEmpty { continue }
      return LiveList(
        token: journal.token(epoch: cursor.epoch, revision: cursor.revision), records: records,
        diff: ListDiff(from: before, to: records, touched: Set(changes.map { Array($0.id.utf8) })),
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
    records = try journal.records(of: index, includingDeleted: false)
      .filter { query.matches($0.id) }
    cursor = LogCursor(
      folder: journal.folder, from: log.end, revision: log.revision, epoch: log.epoch,
      wantsContents: true)
    return LiveList(
      token: journal.token(epoch: log.epoch, revision: log.revision), records: records,
      diff: ListDiff(), changes: nil, isInitial: true)
  }

  private mutating func apply(_ commit: LogCommit, _ contents: [LineContent]) throws(StoreError) {
    for (line, content) in zip(commit.lines, contents) {
      switch index.apply(line, revision: commit.revision) {
      case .inserted(let number), .restored(let number), .updated(let number):
        let record = Record(content, index[number])
        guard query.matches(record.id) else { continue }
        let at = place(record.created, record.createdIndex)
        if at < records.count, records[at].isSame(as: record) {
          records[at] = record
        } else {
          records.insert(record, at: at)
        }
      case .removed(let number):
        let entry = index[number]
        let at = place(entry.created, Int(entry.createdIndex))
        if at < records.count, records[at].created == entry.created,
          records[at].createdIndex == Int(entry.createdIndex)
        {
          records.remove(at: at)
        }
      case .cleared:
        records.removeAll()
      case nil, Index.Effect.none?: break
      }
    }
  }

  /// The first row that is not before the given place in list order.
  private func place(_ created: Int64, _ createdIndex: Int) -> Int {
    var low = 0
    var high = records.count
    while low < high {
      let middle = (low + high) / 2
      let row = records[middle]
      if (row.created, row.createdIndex) < (created, createdIndex) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low
  }
}

extension Record {
  fileprivate func isSame(as other: Record) -> Bool {
    created == other.created && createdIndex == other.createdIndex
  }
}

extension ListDiff {
  /// The difference between two lists of which only the touched ids differ.
  ///
  /// - Complexity: O(n) over both lists, without hashing rows that were not touched.
  init(from old: [Record], to new: [Record], touched: Set<[UInt8]>) {
    self.init()
    var before: [[UInt8]: (index: Int, record: Record)] = [:]
    for (index, record) in old.enumerated() {
      let id = Array(record.id.utf8)
      if touched.contains(id) { before[id] = (index, record) }
    }
    for (index, record) in new.enumerated() {
      let id = Array(record.id.utf8)
      guard touched.contains(id) else { continue }
      guard let was = before.removeValue(forKey: id) else {
        inserted.append(Row(id: record.id, index: index))
        continue
      }
      let isMoved =
        was.record.created != record.created || was.record.createdIndex != record.createdIndex
      if isMoved { moved.append(Move(id: record.id, from: was.index, to: index)) }
      if was.record.body != record.body { updated.append(record.id) }
    }
    removed = before.values.map { Row(id: $0.record.id, index: $0.index) }
      .sorted { $0.index < $1.index }
  }
}
