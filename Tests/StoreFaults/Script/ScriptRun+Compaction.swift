import Freshet
import FreshetStore
import Synchronization

/// Compaction changes no answer (I10), keeps what it must, and what it took away stays away.
extension ScriptRun {
  func compact(_ number: Int) {
    guard let opened = state.withLock({ $0.managers[number] }) else { return }
    let before = dataFiles()
    state.withLock { state in
      state.history.kept.commits = min(state.history.kept.commits ?? .max, opened.keeps)
      if !state.hasUnknown { state.history.mayErase = true }
    }
    guard let result = opened.manager.compact().wait() else {
      return report(8, "no answer to a compaction")
    }
    let (hasFaults, hasUnknown) = state.withLock { ($0.hasFaults, $0.hasUnknown) }
    switch result {
    case .success(let answer):
      if hasUnknown { report(1, "a compaction succeeds after a write whose outcome is unknown") }
      checkState(of: opened.manager)
      let history = history
      let deleted = history.model.rows.count - history.model.live.count
      if answer.liveCount != history.model.live.count || answer.deletedCount != deleted
        || answer.token.revision != history.tail
      {
        report(10, "\(history.model.rows.count) rows at \(history.tail) were compacted: \(answer)")
      }
      let removed = before.subtracting(dataFiles())
      state.withLock { state in
        state.history.mayErase = false
        // The segment that ended is durable as a whole.
        state.history.isDurable()
        if hasFaults { return }
        state.history.kept.removed.formUnion(removed)
        state.history.kept.removed.formUnion(removed.map { $0 + ".old" })
      }
    case .failure(let error) where error.code == .durabilityUnknown:
      state.withLock { $0.hasUnknown = true }
    case .failure(let error):
      if !hasFaults && !hasUnknown { report(8, "cannot compact: \(error)") }
      if !hasUnknown { checkState(of: opened.manager) }
    }
    checkOldest(of: opened.manager)
  }

  /// What the manager shows after a compaction is what it showed before.
  private func checkState(of manager: DatabaseManager) {
    guard let rows = rows(of: manager) else { return report(8, "cannot read after a compaction") }
    let token = manager.token
    state.withLock { $0.violations += $0.history.compacted(to: rows, token) }
  }

  /// The rows, read from a disk that fails no call meanwhile.
  private func rows(of manager: DatabaseManager) -> StoreModel? {
    let disk = disk
    let rule = disk.rule
    disk.set(rule: nil)
    defer { disk.set(rule: rule) }
    guard case .success(let records)? = manager.fetch(includingDeleted: true).wait() else {
      return nil
    }
    return StoreModel(records)
  }

  func lease(_ number: Int) {
    guard let manager = state.withLock({ $0.managers[number]?.manager }) else { return }
    // Another manager may have compacted what this one saw last.
    _ = manager.fetch().wait()
    let token = manager.token
    switch manager.keepChanges(
      after: token, for: "follower", during: .seconds(100 * 365 * 86_400)
    ).wait() {
    case .success?: state.withLock { $0.history.kept.lease = token.revision }
    case .failure(let error)?:
      if !state.withLock({ $0.hasFaults || $0.hasUnknown }) { report(8, "no lease: \(error)") }
    case nil: report(8, "no answer to a lease")
    }
  }

  /// Waits until the manager does nothing by itself any more, so that runs can be replayed.
  func letMaintenanceEnd(_ manager: DatabaseManager) { _ = manager.endLease(of: "").wait() }

  /// The history, when a receipt shows that a compaction that failed has erased something after all.
  func withErase(
    _ number: Int, _ operations: [FreshetStore.Operation], _ receipt: CommitReceipt
  ) -> History? {
    let history = history
    guard history.mayErase, let manager = state.withLock({ $0.managers[number]?.manager }),
      receipt.token?.revision == history.tail + 2, let rows = rows(of: manager)
    else { return nil }
    return state.withLock { state in
      state.history.foundErase(before: operations, leadingTo: rows) ? state.history : nil
    }
  }

  // MARK: Files

  private func dataFiles() -> Set<String> {
    Set(
      disk.image.names(in: ScriptRun.path).filter { name in
        (name.hasPrefix("log-") || name.hasPrefix("snap-"))
          && (name.hasSuffix(".ndjson") || name.hasSuffix(".idx"))
      })
  }

  /// What was gone when a compaction answered does not come back.
  func checkRemoved() {
    let removed = history.kept.removed
    if removed.isEmpty { return }
    for name in removed.intersection(disk.image.names(in: ScriptRun.path)) {
      report(10, "\(name) was removed, and has come back")
    }
  }

  func checkOldest(of manager: DatabaseManager) {
    if state.withLock({ $0.hasFaults }) { return }
    do throws(StoreError) {
      let oldest = try manager.oldestToken.revision
      state.withLock { $0.violations += $0.history.check(oldest: oldest) }
    } catch {
      report(8, "cannot tell the oldest token: \(error)")
    }
  }
}
