import Freshet
import FreshetCatalog
import FreshetStore

/// What a script's operations would do one after another, without doing them.
///
/// What earlier lines would have changed is kept by id.
final class DrySimulation {
  /// An item as the lines so far would have left it.
  private struct Item {
    var isLive: Bool
    /// Of the body.
    var hash: Int
    /// Nil: the store's.
    var body: [UInt8]?
    /// The place among those that the script would have added; nil: the store's place.
    var place: Int?
  }

  let manager: DatabaseManager
  private var changed: [String: Item] = [:]
  /// Whether a delete-all came: what the store holds is deleted then, unless it was changed since.
  private var isCleared = false
  private var nextPlace = 0
  /// How many bytes of bodies are kept, and whether some were not.
  private var keptBytes = 0
  private var isIncomplete = false
  /// Which texts would be folded or unfolded, by id.
  var folds: [String: Bool] = [:]
  /// The place of the book that would be chosen; nil: the store's.
  var selectedBook: Int?

  /// So many bytes of what a script saves are kept, for its `list`.
  static let limitBytes = 64 << 20

  init(_ manager: DatabaseManager) { self.manager = manager }

  /// What an operation would do after those before it.
  func outcome(of operation: Operation, _ session: Session) throws(Stop) -> Outcome {
    switch operation {
    case .save(let id, let body): return save(id, body, try item(id, session))
    case .delete(let id):
      guard var item = try item(id, session), item.isLive else { return .notFound }
      item.isLive = false
      changed[id] = item
      return .deleted
    case .restore(let id):
      guard var item = try item(id, session) else { return .notFound }
      if item.isLive { return .notDeleted }
      item.isLive = true
      changed[id] = item
      return .restored
    case .deleteAll:
      let count = try liveCount(session)
      isCleared = true
      for id in changed.keys { changed[id]?.isLive = false }
      return .deletedAll(count)
    case .expect(let id, let expectation):
      // No line of a script and no command expects anything: of the store as it is.
      let revision = try session.wait(for: manager.fetch(id: id))?.revision
      return expectation.isMet(by: revision) ? .met : .conflict(revision)
    }
  }

  private func save(_ id: String, _ body: [UInt8], _ before: Item?) -> Outcome {
    let hash = Self.hash(body)
    var item = before ?? Item(isLive: false, hash: hash)
    defer { changed[id] = item }
    if item.isLive, item.hash == hash { return .unchanged }
    let outcome: Outcome = item.isLive ? .replaced : .saved
    if !item.isLive {
      // An item that is saved again after a delete is new, and goes to the end.
      item.place = nextPlace
      nextPlace += 1
    }
    keptBytes += body.count - (item.body?.count ?? 0)
    if keptBytes > Self.limitBytes { isIncomplete = true }
    item.isLive = true
    item.hash = hash
    item.body = isIncomplete ? nil : body
    return outcome
  }

  /// Whether there is, or was, an item of an id.
  func knows(_ id: String, _ session: Session) throws(Stop) -> Bool {
    try item(id, session) != nil
  }

  /// The rows of a list after the lines so far; nil where they are the store's.
  ///
  /// - Parameter rows: The store's.
  /// - Throws: ``Stop/usage(_:)`` when the script saved more than is kept.
  func rows(
    of rows: some Collection<Record>, _ query: Query, _ session: Session
  ) throws(Stop) -> [ViewStep.Row]? {
    if !isCleared, changed.isEmpty { return nil }
    try checkIsComplete()
    // What is at its place in the store, also what only the script would have brought back there.
    var kept = rows.filter { isCleared ? false : changed[$0.id] == nil }
    var added: [(place: Int, row: ViewStep.Row)] = []
    for (id, item) in changed where item.isLive && query.matches(id) {
      if let place = item.place {
        added.append((place, row(id, item.body ?? [])))
      } else if let record = try session.wait(for: manager.fetch(id: id, includingDeleted: true)) {
        kept.append(record)
      }
    }
    kept.sort { ($0.created, $0.createdIndex) < ($1.created, $1.createdIndex) }
    return kept.map { record in
      row(record.id, changed[record.id]?.body ?? record.body, revision: record.revision)
    } + added.sorted { $0.place < $1.place }.map(\.row)
  }

  private func checkIsComplete() throws(Stop) {
    guard isIncomplete else { return }
    throw .usage(
      "too_large",
      "a dry run keeps \(Self.limitBytes >> 20) MiB of what a script saves, so it cannot look at "
        + "items after more than that")
  }

  /// An item as the lines so far would have left it; nil when it is not saved.
  ///
  /// - Throws: ``Stop/usage(_:)`` when the script saved more than is kept.
  func body(of id: String, _ session: Session) throws(Stop) -> [UInt8]? {
    guard let item = try item(id, session), item.isLive else { return nil }
    try checkIsComplete()
    if let body = item.body { return body }
    return try session.wait(for: manager.fetch(id: id, includingDeleted: true))?.body
  }

  private func row(_ id: String, _ body: [UInt8], revision: Int64? = nil) -> ViewStep.Row {
    ViewStep.Row(id: id, revision: revision, body: body, text: ItemText.row(id, body))
  }

  private func item(_ id: String, _ session: Session) throws(Stop) -> Item? {
    if let item = changed[id] { return item }
    let record = try session.wait(for: manager.fetch(id: id, includingDeleted: true))
    guard let record else { return nil }
    return Item(isLive: !record.isDeleted && !isCleared, hash: Self.hash(record.body))
  }

  private func liveCount(_ session: Session) throws(Stop) -> Int {
    var count = isCleared ? 0 : try session.wait(for: manager.contentDeletion()).count
    for (id, item) in changed {
      var wasLive = false
      if !isCleared {
        wasLive =
          try session.wait(for: manager.fetch(id: id)).map { !$0.isDeleted } ?? false
      }
      count += (item.isLive ? 1 : 0) - (wasLive ? 1 : 0)
    }
    return count
  }

  private static func hash(_ body: [UInt8]) -> Int {
    var hasher = Hasher()
    body.withUnsafeBytes { hasher.combine(bytes: $0) }
    return hasher.finalize()
  }
}
