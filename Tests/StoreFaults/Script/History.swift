import FreshetStore

/// What has been asked of a store, what it answered, and so what it may look like after a crash.
package struct History: Sendable {
  struct Commit: Sendable {
    var revision: Int64
    var epoch = 1
    var model: StoreModel
  }

  /// After each commit that was answered; the first is the empty store.
  private(set) var commits: [Commit] = [Commit(revision: 0, model: StoreModel())]
  /// Commits that are in progress, or whose outcome nobody knows: each may be there, with all
  /// before it.
  var inFlight: [[FreshetStore.Operation]] = []
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

  package init() {}

  package var model: StoreModel { commits[commits.count - 1].model }
  var revision: Int64 { commits[commits.count - 1].revision }
  package var answered: Int { commits.count - 1 }

  mutating func succeeded(_ operations: [FreshetStore.Operation], revision: Int64?) {
    if let revision {
      var model = model
      _ = model.apply(operations, revision: revision)
      commits.append(Commit(revision: revision, epoch: epoch, model: model))
      tail = revision
      highest = max(highest, revision)
    }
  }

  mutating func isDurable() { floor = answered }

  mutating func opened(_ id: String) { storeID = storeID ?? id }

  /// Notes how far followers may have read: what HEAD says in the cache.
  mutating func noteWatermark(_ watermark: HeadReader.Watermark?) {
    guard let watermark, watermark.epoch == epoch else { return }
    let revision = watermark.revision
    highest = max(highest, revision)
    delivered = max(delivered, commits.lastIndex { $0.revision <= revision } ?? 0)
    if revision > tail && !inFlight.isEmpty { delivered = answered + 1 }
  }

  /// The states in which the store may be found, by the number of commits.
  private func candidates() -> [Commit] {
    var all = commits
    var next = tail
    var model = model
    for operations in inFlight {
      var after = model
      let (_, lines) = after.apply(operations, revision: next + 1)
      if lines == 0 { continue }
      next += 1
      model = after
      all.append(Commit(revision: next, epoch: epoch, model: model))
    }
    return all
  }

  /// Finds out which of its commits the store still has, and goes on from there.
  mutating func resolve(_ rows: StoreModel, _ token: Token) -> [Violation] {
    var violations: [Violation] = []
    if let storeID, storeID != token.storeID {
      violations.append(Violation(9, "the store's id was \(storeID), is \(token.storeID)"))
    }
    storeID = token.storeID
    let candidates = candidates()
    guard let found = candidates.lastIndex(where: { $0.model == rows }) else {
      violations.append(
        Violation(7, "the rows are those of no commit: \(rows.rows.count) rows, \(token)"))
      return violations
    }
    if found < floor {
      violations.append(
        Violation(1, "\(found) commits are left of \(floor) acknowledged ones"))
    }
    if found < delivered {
      violations.append(
        Violation(2, "\(found) commits are left of \(delivered) delivered ones"))
    }
    let isNewEpoch = token.epoch > epoch
    let last = found == answered ? tail : candidates[found].revision
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
    commits = Array(candidates[...found])
    inFlight = []
    floor = found
    delivered = min(delivered, floor)
    tail = token.revision
    epoch = token.epoch
    highest = max(highest, tail)
    return violations
  }
}
