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
    var violations = checkItems()
    let all = PendingChanges(manager.changes(since: .oldest))
    let token = manager.token
    let commit = history.commits[history.commits.count / 2]
    let middle = commit.revision
    let later = PendingChanges(
      manager.changes(
        since: .after(Token(storeID: token.storeID, epoch: commit.epoch, revision: middle))))
    manager.close()
    violations += check(all.wait(), after: 0)
    violations += check(later.wait(), after: middle)
    violations += checkReopening(token)
    return violations
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
    if case .success(let live)? = manager.fetch().wait(), StoreModel(live).rows == model.live {
      return violations
    }
    violations.append(Violation(7, "the live items are not those that are not deleted"))
    return violations
  }

  private func check(
    _ result: Result<[ChangeSet], StoreError>, after start: Int64
  ) -> [Violation] {
    guard case .success(let sets) = result else {
      return [Violation(4, "changes after \(start): \(result)")]
    }
    let expected = history.commits.dropFirst().map(\.revision).filter { $0 > start }
    if sets.map(\.revision) != expected {
      return [
        Violation(4, "changes after \(start): \(sets.map(\.revision)) instead of \(expected)")
      ]
    }
    let first = history.commits.first { $0.revision == start }
    var items = StoreCheck.items(first?.model ?? StoreModel())
    for set in sets {
      for change in set.changes {
        items[change.id] = change.kind == .removed ? nil : change.body
      }
      let model = history.commits.first { $0.revision == set.revision }?.model ?? StoreModel()
      if items != StoreCheck.items(model) {
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
