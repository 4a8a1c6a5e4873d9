import Freshet
import FreshetCatalog
import FreshetModels
import FreshetStore

/// A screen that can be followed in the store.
struct WatchedView: Sendable {
  let view: View
  /// What tells this stream from others: its cursors fit no other.
  let filter: Cursor.Filter
  /// The screen's steps from a place on, one per commit.
  let flow: @Sendable (DatabaseManager, StartPosition, PosterFiles) -> AnyFlow<ViewStep, StoreError>

  static let downloads = WatchedView(view: .downloads, filter: Cursor.Filter()) {
    manager, start, posters in
    DownloadsModel.follow(manager, from: start).map { followed in
      ViewStep(
        view: .downloads, list: followed.list,
        transitions: followed.transitions.map { ViewTransition(.downloads, $0) }, tellsItems: true,
        poster: posters.lookup)
    }.erased()
  }

  static let saved = WatchedView(
    view: .saved, filter: Cursor.Filter(views: ["saved"])
  ) { manager, start, posters in
    SavedBooksModel.follow(manager, from: start).map { followed in
      ViewStep(
        view: .saved, list: followed.list,
        transitions: followed.transitions.map { ViewTransition(.saved, $0) }, tellsItems: true,
        poster: posters.lookup)
    }.erased()
  }

  static let books = WatchedView(
    view: .books, filter: Cursor.Filter(views: ["books"])
  ) { manager, start, _ in
    BooksModel.followBooks(manager, from: start).map { followed in
      ViewStep(
        view: .books, list: followed.list,
        transitions: followed.books.map { ViewTransition(.books, $0) }
          + followed.summary.map { ViewTransition(.summary, $0) },
        tellsItems: false,
        rows: followed.list.isInitial
          ? followed.state.books.rows.map { book in
            ViewStep.Row(
              id: BookText.id(book), revision: followed.list.token.revision,
              body: JSONValue.object(book.row).jsonBytes, text: BookText.row(book))
          } : nil)
    }.erased()
  }

  static func guidance(_ filter: GuidanceFilter) -> WatchedView {
    WatchedView(
      view: .guidance, filter: Cursor.Filter(views: ["guidance", GuidanceText.name(of: filter)])
    ) { manager, start, _ in
      GuidanceListModel.follow(manager, filter: filter, from: start).map { followed in
        ViewStep(
          view: .guidance, list: followed.list,
          transitions: followed.transitions.map { ViewTransition(.guidance, $0) },
          tellsItems: false,
          rows: followed.list.isInitial
            ? GuidanceText.rows(followed.state.visible, revision: followed.list.token.revision)
            : nil)
      }.erased()
    }
  }

  static func detail(_ id: ItemID) -> WatchedView {
    WatchedView(
      view: .detail, filter: Cursor.Filter(views: ["detail", id.text])
    ) { manager, start, posters in
      DetailModel.follow(
        manager, id: id, from: start, posters: posters.kept, address: { posters.address(of: $0) }
      ).map { followed in
        ViewStep(
          view: .detail, list: followed.list,
          transitions: followed.transitions.map { ViewTransition(.detail, $0) }, tellsItems: false,
          rows: followed.list.isInitial
            ? followed.list.rows.filter { $0.id == id.text }.map { record in
              ViewStep.Row(
                id: record.id, revision: record.revision, body: record.body,
                text: ItemText.row(record.id, record.body))
            } : nil)
      }.erased()
    }
  }
}

/// Guidances as they are told.
enum GuidanceText {
  static func row(_ guidance: Guidance) -> String {
    let date = guidance.date.map { " (\($0.text))" } ?? ""
    return TextLine.clean(
      "\(guidance.id)  \(guidance.student.line)  \(guidance.reason.line)\(date)")
  }

  static func rows(_ list: IdentifiedList<Guidance>, revision: Int64) -> [ViewStep.Row] {
    list.rows.map { guidance in
      ViewStep.Row(
        id: guidance.rowID, revision: revision,
        body: JSONValue.object(guidance.joined).jsonBytes, text: row(guidance))
    }
  }

  /// A filter with its grade and class, as one word.
  static func name(of filter: GuidanceFilter) -> String {
    switch filter {
    case .all: "all"
    case .grade(let grade): "grade-\(grade)"
    case .classNumber(let grade, let number): "class-\(grade)-\(number)"
    }
  }
}

/// Books of a series as they are told.
enum BookText {
  static func id(_ book: SeriesBook) -> String { "series:" + ItemID.encoded(book.key) }

  static func row(_ book: SeriesBook) -> String {
    let details = [book.author, book.releaseLine].compactMap { $0 }.joined(separator: ", ")
    return TextLine.clean(book.title + (details.isEmpty ? "" : " (\(details))"))
  }
}
