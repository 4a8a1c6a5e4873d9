import FreshetStore

/// What has been asked of a store, what it answered, and so what it may look like after a crash.
package struct History: Sendable {
  struct Commit: Sendable {
    var revision: Int64
    var epoch = 1
    var model: StoreModel
    /// It erased what had been deleted long ago: no feed tells of it.
    var isErase = false
  }

  /// After each commit that was answered; the first is the empty store.
  private(set) var commits: [Commit] = [Commit(revision: 0, model: StoreModel())]
  /// Commits that are in progress, or whose outcome nobody knows: each may be there, with all
  /// before it.
  var inFlight: [[FreshetStore.Operation]] = []
  /// A compaction is in progress, or has failed: it may have erased what was deleted, before all
  /// that is in flight.
  var mayErase = false
  /// So many commits survive a power loss for certain.
  private(set) var floor = 0
  /// So many commits a follower may have seen.
  private(set) var delivered = 0
  /// The revision after which the next commit comes.
  package private(set) var tail: Int64 = 0
  package private(set) var epoch = 1
  /// The highest revision that anybody was told of.
  private(set) var highest: Int64 = 0
  private(set) var storeID: String?
  /// The journal's last segment as recovery found it: whatever it cuts off must be kept.
  var found: (path: String, bytes: [UInt8])?
  /// What compactions have left, and have taken away.
  var kept = Kept()

  package init() {}

  package var model: StoreModel { commits[commits.count - 1].model }
  var revision: Int64 { commits[commits.count - 1].revision }
  package var answered: Int { commits.count - 1 }

  mutating func succeeded(_ operations: [FreshetStore.Operation], revision: Int64?) {
    if let revision {
      var model = model
      _ = model.apply(operations, revision: revision)
      add(Commit(revision: revision, epoch: epoch, model: model))
    }
  }

  private mutating func add(_ commit: Commit) {
    commits.append(commit)
    tail = commit.revision
    highest = max(highest, commit.revision)
  }

  mutating func isDurable() { floor = answered }

  mutating func opened(_ id: String) { storeID = storeID ?? id }

  /// The state as of a revision.
  func model(at revision: Int64) -> StoreModel {
    commits.last { $0.revision <= revision }?.model ?? StoreModel()
  }

  /// Notes how far followers may have read: what HEAD says in the cache.
  mutating func noteWatermark(_ watermark: HeadReader.Watermark?) {
    guard let watermark, watermark.epoch == epoch else { return }
    let revision = watermark.revision
    highest = max(highest, revision)
    delivered = max(delivered, commits.lastIndex { $0.revision <= revision } ?? 0)
    if revision > tail && (mayErase || !inFlight.isEmpty) { delivered = answered + 1 }
  }

  /// The commit of an erase that would come next and leave these rows; nil when none would.
  private func erase(leaving rows: StoreModel) -> Commit? {
    erases.first { $0.model == rows }
  }

  /// What an erase may leave: whatever was deleted by some revision is gone.
  private var erases: [Commit] {
    Set(model.rows.filter { !$0.isLive }.map(\.revision)).sorted().map { limit in
      Commit(revision: tail + 1, epoch: epoch, model: model.erasing(upTo: limit), isErase: true)
    }
  }

  /// The commits that may follow those answered, one after another; several ways when it is not
  /// known what was erased.
  private func continuations() -> [[Commit]] {
    let starts: [[Commit]] = [[]] + (mayErase ? erases.map { [$0] } : [])
    return starts.map { start in
      var path = start
      var next = start.last?.revision ?? tail
      var model = start.last?.model ?? model
      for operations in inFlight {
        var after = model
        let (_, lines) = after.apply(operations, revision: next + 1)
        if lines == 0 { continue }
        next += 1
        model = after
        path.append(Commit(revision: next, epoch: epoch, model: model))
      }
      return path
    }
  }

  /// The histories that end with these rows; the longest is the last.
  private func histories(leadingTo rows: StoreModel) -> [[Commit]] {
    var found = commits.lastIndex { $0.model == rows }.map { [Array(commits[...$0])] } ?? []
    for path in continuations() {
      guard let last = path.lastIndex(where: { $0.model == rows }) else { continue }
      found.append(commits + path[...last])
    }
    return found
  }

  /// Finds out which of its commits the store still has, and goes on from there.
  mutating func resolve(_ rows: StoreModel, _ token: Token) -> [Violation] {
    var violations: [Violation] = []
    if let storeID, storeID != token.storeID {
      violations.append(Violation(9, "the store's id was \(storeID), is \(token.storeID)"))
    }
    storeID = token.storeID
    let histories = histories(leadingTo: rows)
    let fitting = histories.last { $0.last?.revision == token.revision }
    guard let history = fitting ?? histories.last, let end = history.last else {
      violations.append(
        Violation(7, "the rows are those of no commit: \(rows.rows.count) rows, \(token)"))
      return violations
    }
    let found = history.count - 1
    if found < floor {
      violations.append(
        Violation(1, "\(found) commits are left of \(floor) acknowledged ones"))
    }
    if found < delivered {
      violations.append(
        Violation(2, "\(found) commits are left of \(delivered) delivered ones"))
    }
    let isNewEpoch = token.epoch > epoch
    let last = found == answered ? tail : end.revision
    if token.epoch < epoch || (isNewEpoch && token.revision < last + Limits.epochGap)
      || (!isNewEpoch && token.revision != last)
    {
      violations.append(
        Violation(3, "revision \(last) of epoch \(epoch) became \(token)"))
    }
    if found < answered && token.revision < highest {
      violations.append(
        Violation(
          3, "revision \(highest) was seen and is lost, and \(token.revision + 1) comes next"))
    }
    commits = history
    inFlight = []
    mayErase = false
    floor = found
    delivered = min(delivered, floor)
    tail = token.revision
    epoch = token.epoch
    highest = max(highest, tail)
    return violations
  }
}

// MARK: Compaction

extension History {
  /// What a store must keep, and must not have any more, after compactions.
  struct Kept: Sendable {
    /// The least that any compaction so far had to keep; nil before the first.
    var commits: Int?
    /// A lease is for everything after this.
    var lease: Int64?
    /// Names of files that were removed before a compaction answered.
    var removed: Set<String> = []
  }

  /// Notes what a compaction has led to; I10 when it is another state.
  mutating func compacted(to rows: StoreModel, _ token: Token) -> [Violation] {
    if token.revision == tail {
      // It may yet turn out that a compaction that failed has erased something.
      return rows == model ? [] : [Violation(10, "a compaction has changed the items")]
    }
    guard token.revision == tail + 1, let erase = erase(leaving: rows) else {
      return [
        Violation(10, "a compaction led from revision \(tail) to \(token), \(rows.rows.count) rows")
      ]
    }
    add(erase)
    mayErase = false
    return []
  }

  /// The receipt of a commit shows that a compaction that had failed has erased something after all.
  mutating func foundErase(
    before operations: [FreshetStore.Operation], leadingTo rows: StoreModel
  ) -> Bool {
    let found = erases.first { erase in
      var model = erase.model
      _ = model.apply(operations, revision: erase.revision + 1)
      return model == rows
    }
    guard mayErase, let found else { return false }
    add(found)
    mayErase = false
    return true
  }

  /// Whether feeds may begin there and not earlier.
  func check(oldest: Int64) -> [Violation] {
    if oldest == 0 { return [] }
    var violations: [Violation] = []
    // A new epoch is a commit, too, and is not among these.
    let after = commits.count { $0.revision > oldest } + epoch - 1
    if let least = kept.commits, after < least {
      violations.append(Violation(4, "\(after) commits are kept after \(oldest), not \(least)"))
    } else if kept.commits == nil {
      violations.append(Violation(4, "nothing was compacted, and \(oldest) is the oldest"))
    }
    if let lease = kept.lease, oldest > lease {
      violations.append(Violation(4, "a lease is for what is after \(lease), kept is \(oldest)"))
    }
    return violations
  }
}
