import Freshet
import FreshetCatalog
import FreshetStore

extension BooksModel {
  /// One commit as the screen and the summary of its book go through it.
  public struct FollowedBooks: Sendable {
    /// The list of the records that both are made of, with the commit's changes.
    public let list: LiveList
    /// The transitions of the books.
    public let books: [Transition<BooksModel>]
    /// The transitions of the summary.
    public let summary: [Transition<SummaryModel>]
    /// The state of the books after.
    public let state: State
    /// The state of the summary after.
    public let summaryState: SummaryModel.State
  }

  /// The life of the books and of the summary of the one that is shown, over a store, as a value
  /// that takes one list after the other; see ``DownloadsModel/follower(_:)``.
  public struct BooksFollower: Sendable {
    /// What both are made of.
    public let query = Query.ids(
      startingWithAny: SeriesStore.query.idPrefixes + [FoldStore.prefix])
    private var state = State()
    private var summaryState = SummaryModel.State()

    /// Makes a follower that has seen nothing yet.
    public init() {}

    /// The steps of both through the next list.
    ///
    /// - Complexity: O(n) for n rows.
    public mutating func take(_ list: LiveList) -> FollowedBooks {
      var books = Step<BooksModel>(state: state)
      let records = list.rows.lazy.filter { SeriesStore.query.matches($0.id) }
      for event in BooksModel.events(of: records, in: books.state) {
        let step = BooksModel.reduce(books.state, event)
        books.transitions += step.transitions
        books.state = step.state
      }
      var summary = Step<SummaryModel>(state: summaryState)
      let folds = Set(list.rows.lazy.map(\.id).filter { $0.hasPrefix(FoldStore.prefix) })
      for event in BooksModel.events(of: books.state.book, folds, in: summary.state) {
        let step = SummaryModel.reduce(summary.state, event)
        summary.transitions += step.transitions
        summary.state = step.state
      }
      state = books.state
      summaryState = summary.state
      return FollowedBooks(
        list: list, books: books.transitions, summary: summary.transitions, state: state,
        summaryState: summaryState)
    }
  }

  /// The screen's life over a store as a cold flow, one element per commit: the books, and the
  /// summary of the one that is shown.
  ///
  /// It pulls commits from the store's log, so it may be paused and skips none. It ends as the
  /// store's live query does, with the store's error.
  public static func followBooks(
    _ manager: DatabaseManager, from position: StartPosition
  ) -> AnyFlow<FollowedBooks, StoreError> {
    let follower = BooksFollower()
    return manager.observe(follower.query, from: position)
      .scan((follower, nil as FollowedBooks?)) { previous, list in
        var follower = previous.0
        let followed = follower.take(list)
        return (follower, followed)
      }
      .compactMap { $0.1 }
      .erased()
  }

  fileprivate static func events(of records: some Sequence<Record>, in state: State) -> [Event] {
    do throws(BookFileError) {
      let series = try SeriesStore.series(of: records)
      if state.phase == .idle || state.phase.isFailed {
        return [.load, .read(.success(series), request: state.request + 1)]
      }
      let isSame =
        series.books == state.books.rows
        && (series.books.isEmpty || series.selected == state.selected)
      return isSame ? [] : [.changed(series)]
    } catch {
      return [.load, .read(.failure(error), request: state.request + 1)]
    }
  }

  fileprivate static func events(
    of book: SeriesBook?, _ folds: Set<String>, in state: SummaryModel.State
  ) -> [SummaryModel.Event] {
    guard let book else { return [] }
    let isFolded = folds.contains(FoldStore.recordID(of: book.key))
    if book.key == state.key, book.summary == state.text { return [.changed(isFolded: isFolded)] }
    return [
      .configure(key: book.key, text: book.summary),
      .read(.success(isFolded), request: state.request + 1),
    ]
  }
}

extension BooksModel.State.Phase {
  fileprivate var isFailed: Bool { if case .failed = self { true } else { false } }
}
