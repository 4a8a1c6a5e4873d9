/// The items of a `MemoryStore` at one commit.
struct MemoryState: Sendable {
  /// Live and deleted items.
  private(set) var items: [ItemKey: Record] = [:]
  private(set) var revision: Int64 = 0

  /// The live items in list order, or against it.
  func list(isReversed: Bool) -> [Record] {
    items.values.filter { !$0.isDeleted }.sorted { a, b in
      let isBefore = (a.created, a.createdIndex) < (b.created, b.createdIndex)
      return isReversed ? !isBefore : isBefore
    }
  }

  /// Does a batch as the next commit: all of it, or nothing when an expectation is not met.
  mutating func apply(_ operations: [PreparedOperation]) -> ([Outcome], [Change]) {
    if let conflicts = conflicts(operations) { return (conflicts, []) }
    revision += 1
    var changes: [(kind: Change.Kind, key: ItemKey, body: [UInt8])] = []
    var outcomes: [Outcome] = []
    for operation in operations {
      let before = changes.count
      outcomes.append(plan(operation, &changes))
      for change in Array(changes[before...]).enumerated() {
        set(
          change.element.kind, change.element.key, change.element.body, before + change.offset + 1)
      }
    }
    if changes.isEmpty {
      revision -= 1
      return (outcomes, [])
    }
    let count = changes.count
    return (
      outcomes,
      changes.enumerated().map { number, change in
        Change(
          kind: change.kind, id: String(decoding: change.key.id, as: UTF8.self), body: change.body,
          index: number + 1, count: count)
      }
    )
  }

  /// Repeats a commit of the history.
  mutating func replay(_ commit: ChangeSet) {
    revision = commit.revision
    for change in commit.changes {
      let key = ItemKey(Array(change.id.utf8))
      set(change.kind, key, change.body ?? items[key]?.body ?? [], change.index)
    }
  }

  private func live(_ key: ItemKey) -> Record? {
    items[key].flatMap { $0.isDeleted ? nil : $0 }
  }

  private func conflicts(_ operations: [PreparedOperation]) -> [Outcome]? {
    var isMet = true
    let outcomes = operations.map { operation -> Outcome in
      guard case .expect(let key, let expectation) = operation else { return .notTried }
      let revision = live(key)?.revision
      if expectation.isMet(by: revision) { return .met }
      isMet = false
      return .conflict(revision)
    }
    return isMet ? nil : outcomes
  }

  private func plan(
    _ operation: PreparedOperation,
    _ changes: inout [(kind: Change.Kind, key: ItemKey, body: [UInt8])]
  ) -> Outcome {
    switch operation {
    case .save(let key, let body):
      guard let present = live(key) else {
        changes.append((.added, key, body))
        return .saved
      }
      if present.body == body { return .unchanged }
      changes.append((.changed, key, body))
      return .replaced
    case .delete(let key):
      guard let present = live(key) else { return .notFound }
      changes.append((.removed, key, present.body))
      return .deleted
    case .restore(let key):
      guard let present = items[key] else { return .notFound }
      if !present.isDeleted { return .notDeleted }
      changes.append((.restored, key, present.body))
      return .restored
    case .deleteAll:
      let all = list(isReversed: false)
      for record in all { changes.append((.removed, ItemKey(Array(record.id.utf8)), record.body)) }
      return .deletedAll(all.count)
    case .expect:
      return .met
    }
  }

  private mutating func set(_ kind: Change.Kind, _ key: ItemKey, _ body: [UInt8], _ index: Int) {
    let old = items[key]
    let isNew = kind == .added
    items[key] = Record(
      id: String(decoding: key.id, as: UTF8.self), revision: revision,
      created: isNew ? revision : old?.created ?? revision,
      createdIndex: isNew ? index : old?.createdIndex ?? index, isDeleted: kind == .removed,
      body: body)
  }
}
