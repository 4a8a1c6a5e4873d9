import FreshetStore

/// What a store should hold, by the plainest means: rows in a list.
package struct StoreModel: Sendable, Hashable {
  package struct Row: Sendable, Hashable {
    package var id: String
    package var body: [UInt8]
    package var isLive: Bool
    package var revision: Int64
    package var created: Int64
    package var createdIndex: Int
  }

  /// In list order, deleted ones at their place.
  package private(set) var rows: [Row] = []

  package init() {}

  package init(_ records: [Record]) {
    rows = records.map {
      Row(
        id: $0.id, body: $0.body, isLive: !$0.isDeleted, revision: $0.revision,
        created: $0.created, createdIndex: $0.createdIndex)
    }
  }

  package var live: [Row] { rows.filter(\.isLive) }

  /// Drops what was deleted up to a revision, as compaction does with what is too old.
  package func erasing(upTo revision: Int64) -> StoreModel {
    var model = self
    model.rows.removeAll { !$0.isLive && $0.revision <= revision }
    return model
  }

  /// Applies one commit; nil when it has nothing to write.
  package mutating func apply(
    _ operations: [FreshetStore.Operation], revision: Int64
  ) -> (outcomes: [Outcome], lines: Int) {
    let before = self
    let hasConflict = operations.contains { operation in
      if case .conflict = before.answer(operation) { true } else { false }
    }
    if hasConflict { return (operations.map { before.answer($0) ?? .notTried }, 0) }
    var lines = 0
    let outcomes = operations.map { before.answer($0) ?? apply($0, revision, &lines) }
    return (outcomes, lines)
  }

  /// The answer to an expectation; nil for an operation that writes.
  private func answer(_ operation: FreshetStore.Operation) -> Outcome? {
    guard case .expect(let id, let expectation) = operation else { return nil }
    let revision = rows.first { $0.id == id && $0.isLive }?.revision
    return expectation.isMet(by: revision) ? .met : .conflict(revision)
  }

  private mutating func apply(
    _ operation: FreshetStore.Operation, _ revision: Int64, _ lines: inout Int
  ) -> Outcome {
    switch operation {
    case .save(let id, let body):
      let at = rows.firstIndex { $0.id == id }
      if let at, rows[at].isLive {
        if rows[at].body == body { return .unchanged }
        lines += 1
        rows[at].body = body
        rows[at].revision = revision
        return .replaced
      }
      lines += 1
      if let at { rows.remove(at: at) }
      rows.append(
        Row(
          id: id, body: body, isLive: true, revision: revision, created: revision,
          createdIndex: lines))
      return .saved
    case .delete(let id):
      guard let at = rows.firstIndex(where: { $0.id == id && $0.isLive }) else { return .notFound }
      lines += 1
      rows[at].isLive = false
      rows[at].revision = revision
      return .deleted
    case .restore(let id):
      guard let at = rows.firstIndex(where: { $0.id == id }) else { return .notFound }
      if rows[at].isLive { return .notDeleted }
      lines += 1
      rows[at].isLive = true
      rows[at].revision = revision
      return .restored
    case .deleteAll:
      let count = rows.count { $0.isLive }
      if count == 0 { return .deletedAll(0) }
      lines += 1
      for at in rows.indices where rows[at].isLive {
        rows[at].isLive = false
        rows[at].revision = revision
      }
      return .deletedAll(count)
    case .expect: return .notTried
    }
  }
}
