import Freshet
import FreshetCatalog
import FreshetStore

/// The cart: the saved books, live, with the deletion of one or all.
///
/// The list is a projection of the store, so deleting everything ends in the committed empty list
/// and nothing stays on screen that is gone. A row that is no book is left out and counted; the
/// rest are shown.
public final class SavedBooksModel: Sendable {
  /// The list's own effects.
  public typealias Effect = DownloadsModel.Effect
  /// The list's own causes.
  public typealias Cause = DownloadsModel.Cause

  private let runner: ScreenRunner<SavedBooksModel>

  /// The books of a store.
  public static let query = Query.ids(startingWith: "\(ItemID.Kind.book.rawValue):")

  /// Makes a screen over a store; nothing happens before the first intent.
  ///
  /// - Parameters:
  ///   - manager: The store.
  ///   - scheduler: Where requests to the store are started, one at a time.
  public init(manager: DatabaseManager, scheduler: any Scheduler = ImmediateScheduler()) {
    runner = ScreenRunner(
      State(), on: scheduler,
      DownloadsModel.perform(manager, Self.query, nil, nil) { SavedBooksModel.Event.list($0) })
  }

  deinit { runner.close() }

  /// The screen comes into view, or its user asks again after a failure.
  public func appear() { runner.send(.appear) }

  /// Deletes a book; the list changes once the store has committed that.
  public func delete(id: String) { runner.send(.delete(id: id)) }

  /// Deletes all books; the list changes once the store has committed that.
  public func deleteAll() { runner.send(.deleteAll) }

  /// Asks for the screen where books are found: says ``Notice/switchTab(_:)``.
  public func add() { runner.send(.add) }

  /// Stops all work and finishes the flows; idempotent.
  public func close() { runner.close() }

  /// Every transition, from subscription on.
  public var transitions: AnyFlow<Transition<SavedBooksModel>, Never> { runner.transitions }

  /// The current state, then every later one.
  public var states: AnyFlow<State, Never> { runner.states }

  /// What is said beside the states.
  public var notices: AnyFlow<Notice, Never> { runner.notices }

  /// The state after the last event.
  public var state: State { runner.state }

  /// The first state in which nothing waits and no answer is waited for.
  public func settled() -> Single<State, Never> { runner.settled() }
}

extension SavedBooksModel: Screen {
  /// What an event does to a state; see the table in `docs/view-models.md`.
  ///
  /// Pure. O(n) for n rows where a list came.
  public static func reduce(_ state: State, _ event: Event) -> Step<SavedBooksModel> {
    var step = Step<SavedBooksModel>(state: state)
    switch event {
    case .add: step.say(.switchTab(0))
    case .appear: step.takeBeneath(.appear)
    case .delete(let id):
      // What waits for the first list is looked at by the store itself.
      if state.phase.isShown, !state.list.records.contains(where: { $0.id == id }) {
        step.say(.notFound(id: id))
      } else {
        step.takeBeneath(.delete(id: id))
      }
    case .deleteAll: step.takeBeneath(.deleteAll)
    case .list(let event): step.takeBeneath(event)
    }
    return step
  }
}

extension Step<SavedBooksModel> {
  /// Lets the list beneath take an event, and shows what comes of it as books.
  fileprivate mutating func takeBeneath(_ event: DownloadsModel.Event) {
    let beneath = DownloadsModel.reduce(state.list, event)
    effects += beneath.effects
    notices += beneath.notices.map { .list($0) }
    for transition in beneath.transitions {
      let rowsBefore = state.list.records
      state.list = transition.state
      let before = state.books
      let skippedBefore = state.skipped.count
      if !transition.diff.isEmpty || before.count != transition.state.records.count {
        read(transition.state.records, before: rowsBefore)
      }
      move(to: transition.to, transition.cause, ListDiff(from: before, to: state.books))
      if state.skipped.count > skippedBefore { say(.rowsSkipped(state.skipped.count)) }
    }
    state.list = beneath.state
  }

  /// Reads the books of a list; a row that is as it was in the list before is not parsed again.
  private mutating func read(_ records: RecordList, before: RecordList) {
    var books: [ContentItem] = []
    books.reserveCapacity(records.count)
    let known = state.books
    let skipped = Set(state.skipped)
    state.skipped = []
    var older = before.makeIterator()
    var old = older.next()
    for record in records {
      while let row = old, row.isBefore(record) { old = older.next() }
      if let old, old.isSame(as: record) {
        if let book = known.row(id: record.id) {
          books.append(book)
          continue
        }
        if skipped.contains(record.id) {
          state.skipped.append(record.id)
          continue
        }
      }
      if let book = try? ContentItem(parsing: record.body), book.id.text == record.id {
        books.append(book)
      } else {
        state.skipped.append(record.id)
      }
    }
    state.books = IdentifiedList(books)
  }
}

extension DownloadsModel.State.Phase {
  /// Whether a list is shown that is not being changed here.
  fileprivate var isShown: Bool {
    switch self {
    case .loaded, .empty, .failed: true
    case .idle, .loading, .deleting, .deletingAll: false
    }
  }
}

extension Record {
  /// Whether its place in the order of insertion is before another's.
  fileprivate func isBefore(_ other: Record) -> Bool {
    (created, createdIndex) < (other.created, other.createdIndex)
  }

  /// Whether it is the same item with the same bytes.
  fileprivate func isSame(as other: Record) -> Bool {
    id.utf8.elementsEqual(other.id.utf8) && rawBody == other.rawBody
  }
}
