import Dispatch
import Freshet
import FreshetStore
import Synchronization

/// Reads a store in every way there is, and compares with what it should hold.
struct StoreCheck {
  let manager: DatabaseManager
  let history: History
  let options: StoreOptions

  /// Closes the manager.
  func run() -> [Violation] {
    let oldest: Token
    do throws(StoreError) {
      oldest = try manager.oldestToken
    } catch {
      return [Violation(8, "the oldest token: \(error)")]
    }
    var violations = checkItems() + history.check(oldest: oldest.revision)
    let all = PendingChanges(manager.changes(since: .oldest))
    let token = manager.token
    // Of what is kept, of what may not be kept, and the last.
    let kept = history.commits.filter { $0.revision >= oldest.revision }
    let places = [
      history.commits[history.commits.count / 2], kept.first, kept.dropFirst(kept.count / 2).first,
      history.commits.last,
    ].compactMap(\.self)
    let later = places.map { commit in
      PendingChanges(manager.changes(since: .after(self.token(of: commit))))
    }
    for commit in places { violations += checkPage(at: commit, oldest) }
    violations += checkVerification()
    manager.close()
    violations += check(all.wait(), after: oldest.revision, oldest)
    for (commit, changes) in zip(places, later) {
      violations += check(changes.wait(), after: commit.revision, oldest)
    }
    violations += checkReopening(token)
    return violations
  }

  private func token(of commit: History.Commit) -> Token {
    Token(storeID: manager.storeID, epoch: commit.epoch, revision: commit.revision)
  }

  /// True for the answer to a token that is older than what is kept.
  private func isCompacted(_ error: StoreError, _ oldest: Token) -> Bool {
    error.code == .compacted && error.oldest == oldest
  }

  /// The list as of a commit: compaction changes no answer at or after the oldest (I10).
  private func checkPage(at commit: History.Commit, _ oldest: Token) -> [Violation] {
    let result = manager.page(.all, limit: 10_000, at: token(of: commit)).wait()
    switch result {
    case .success(let page)? where commit.revision >= oldest.revision:
      if StoreModel(page.records).rows == commit.model.live { return [] }
    case .failure(let error)? where commit.revision < oldest.revision:
      if isCompacted(error, oldest) { return [] }
    default: break
    }
    return [
      Violation(
        10,
        "the list at revision \(commit.revision), \(oldest.revision) being the oldest: "
          + "\(String(describing: result))")
    ]
  }

  /// Every file that is kept gives the same items (I7).
  ///
  /// An index whose name did not survive is made again by whoever opens its snapshot; those that are
  /// there are looked at by `SnapshotIndexCheck`.
  private func checkVerification() -> [Violation] {
    let result = manager.verify().wait()
    if case .success(let report)? = result,
      report.problems.allSatisfy({ $0.file.hasSuffix(".idx") })
    {
      return []
    }
    return [Violation(7, "verify says: \(String(describing: result))")]
  }

  private func checkItems() -> [Violation] {
    var violations: [Violation] = []
    let model = history.model
    for row in model.rows {
      let found = manager.fetch(id: row.id, includingDeleted: true).wait()
      if case .success(let record?)? = found, StoreModel([record]).rows == [row] { continue }
      violations.append(
        Violation(5, "\(row.id) is not found by its id: \(String(describing: found))"))
    }
    for id in Set(history.commits.flatMap { $0.model.rows.map(\.id) })
    where !model.rows.contains(where: { $0.id == id }) {
      if case .success(nil)? = manager.fetch(id: id, includingDeleted: true).wait() { continue }
      violations.append(Violation(7, "\(id) is found, and should be erased"))
    }
    if case .success(let live)? = manager.fetch().wait(), StoreModel(live).rows == model.live {
      return violations
    }
    violations.append(Violation(7, "the live items are not those that are not deleted"))
    return violations
  }

  private func check(
    _ result: Result<[ChangeSet], StoreError>, after start: Int64, _ oldest: Token
  ) -> [Violation] {
    if start < oldest.revision, case .failure(let error) = result, isCompacted(error, oldest) {
      return []
    }
    guard start >= oldest.revision, case .success(let sets) = result else {
      return [Violation(4, "changes after \(start): \(result)")]
    }
    let expected = history.commits.dropFirst().filter { $0.revision > start && !$0.isErase }
      .map(\.revision)
    if sets.map(\.revision) != expected {
      return [
        Violation(4, "changes after \(start): \(sets.map(\.revision)) instead of \(expected)")
      ]
    }
    var items = StoreCheck.items(history.model(at: start))
    for set in sets {
      for change in set.changes {
        items[change.id] = change.kind == .removed ? nil : change.body
      }
      if items != StoreCheck.items(history.model(at: set.revision)) {
        return [Violation(4, "the changes of revision \(set.revision) do not lead to its state")]
      }
    }
    return []
  }

  private static func items(_ model: StoreModel) -> [String: [UInt8]] {
    Dictionary(uniqueKeysWithValues: model.live.map { ($0.id, $0.body) })
  }

  /// What has been recovered needs no recovery.
  private func checkReopening(_ token: Token) -> [Violation] {
    do throws(StoreError) {
      let again = try DatabaseManager.open(at: manager.path, options: options)
      defer { again.close() }
      var violations: [Violation] = []
      if again.lostFile != nil { violations.append(Violation(6, "a second opening cut bytes off")) }
      if again.token != token {
        violations.append(Violation(3, "a second opening led from \(token) to \(again.token)"))
      }
      var reading = options
      reading.isReadOnly = true
      let reader = try DatabaseManager.open(at: manager.path, options: reading)
      defer { reader.close() }
      for reopened in [again, reader] {
        guard case .success(let records)? = reopened.fetch(includingDeleted: true).wait(),
          StoreModel(records) == history.model
        else {
          violations.append(Violation(7, "a second opening shows other items"))
          continue
        }
      }
      return violations
    } catch {
      return [Violation(8, "a second opening fails: \(error)")]
    }
  }
}

/// The changes of a store up to its closing.
final class PendingChanges: Sendable {
  private struct State: Sendable {
    var sets: [ChangeSet] = []
    var failure: StoreError?
    var subscription: Disposable?
  }

  private let state = Mutex(State())
  private let ended = DispatchSemaphore(value: 0)

  init(_ flow: ChangeFlow) {
    let subscription = flow.subscribe(
      onValue: { [weak self] set in self?.add(set) }, onEnd: { [weak self] in self?.end($0) })
    state.withLock { $0.subscription = subscription }
  }

  private func add(_ set: ChangeSet) { state.withLock { $0.sets.append(set) } }

  private func end(_ end: End<StoreError>) {
    if case .failed(let error) = end { state.withLock { $0.failure = error } }
    ended.signal()
  }

  /// To be called once, when the store is closed.
  func wait() -> Result<[ChangeSet], StoreError> {
    ended.wait()
    return state.withLock { state in
      state.failure.map { .failure($0) } ?? .success(state.sets)
    }
  }
}
