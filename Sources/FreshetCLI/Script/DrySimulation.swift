import Freshet
import FreshetCatalog
import FreshetStore

/// What a script's operations would do one after another, without doing them.
///
/// What earlier lines would have changed is kept by id: a hash of the body, not the body.
final class DrySimulation {
  private enum State {
    case live(body: Int)
    case deleted
  }

  private let manager: DatabaseManager
  private var changed: [String: State] = [:]
  /// Whether a delete-all came: what the store holds is deleted then, unless it was changed since.
  private var isCleared = false

  init(_ manager: DatabaseManager) { self.manager = manager }

  /// What an operation would do after those before it.
  func outcome(of operation: Operation, _ session: Session) throws(Stop) -> Outcome {
    switch operation {
    case .save(let id, let body):
      let before = try state(of: id, session)
      let after = Self.hash(body)
      changed[id] = .live(body: after)
      if case .live(let body)? = before { return body == after ? .unchanged : .replaced }
      return .saved
    case .delete(let id):
      guard case .live? = try state(of: id, session) else { return .notFound }
      changed[id] = .deleted
      return .deleted
    case .restore(let id):
      switch try state(of: id, session) {
      case nil: return .notFound
      case .live: return .notDeleted
      case .deleted:
        // What it would bring back is not known where it was only ever simulated.
        let record = try session.wait(for: manager.fetch(id: id, includingDeleted: true))
        changed[id] = .live(body: record.map { Self.hash($0.body) } ?? 0)
        return .restored
      }
    case .deleteAll:
      let count = try liveCount(session)
      isCleared = true
      changed = changed.mapValues { _ in .deleted }
      return .deletedAll(count)
    case .expect:
      return try DryRun.outcome(of: operation, manager, session)
    }
  }

  /// Whether there is, or was, an item of an id.
  func knows(_ id: String, _ session: Session) throws(Stop) -> Bool {
    try state(of: id, session) != nil
  }

  private func state(of id: String, _ session: Session) throws(Stop) -> State? {
    if let state = changed[id] { return state }
    let record = try session.wait(for: manager.fetch(id: id, includingDeleted: true))
    guard let record else { return nil }
    return record.isDeleted || isCleared ? .deleted : .live(body: Self.hash(record.body))
  }

  private func liveCount(_ session: Session) throws(Stop) -> Int {
    var count = isCleared ? 0 : try session.wait(for: manager.contentDeletion()).count
    for (id, state) in changed {
      var wasLive = false
      if !isCleared {
        wasLive =
          try session.wait(for: manager.fetch(id: id)).map { !$0.isDeleted } ?? false
      }
      var isLive = false
      if case .live = state { isLive = true }
      count += (isLive ? 1 : 0) - (wasLive ? 1 : 0)
    }
    return count
  }

  private static func hash(_ body: [UInt8]) -> Int {
    var hasher = Hasher()
    body.withUnsafeBytes { hasher.combine(bytes: $0) }
    return hasher.finalize()
  }
}
