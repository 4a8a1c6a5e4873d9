import FreshetCatalog
import FreshetStore

extension SavedBooksModel {
  /// What the screen shows.
  ///
  /// The list is the downloads screen's, over the books alone; what is added are the books read
  /// from the rows.
  public struct State: ScreenState {
    /// Where the screen is: the phases of the downloads screen.
    public typealias Phase = DownloadsModel.State.Phase

    /// Where the screen is.
    public var phase: Phase = .idle
    /// The books, in the order they were saved.
    public internal(set) var books = IdentifiedList<ContentItem>()
    /// Rows that are no books: they are left out, counted, and stay in the store.
    public internal(set) var skipped: [String] = []
    /// The list beneath.
    public internal(set) var list = DownloadsModel.State()

    /// The state before the first intent.
    public init() {}

    /// Whether no answer is waited for.
    public var isSettled: Bool { list.isSettled }

    /// The state as it stands in events.
    public var summary: JSONObject {
      var object = list.summary
      object["count"] = JSONValue(books.count)
      object["skipped"] = .array(skipped.map { .string($0) })
      return object
    }
  }

  /// What happens to the screen.
  public enum Event: Sendable {
    /// The screen comes into view, or its user asks again after a failure.
    case appear
    /// The user deletes a book.
    case delete(id: String)
    /// The user deletes all books.
    case deleteAll
    /// The user wants to add a book.
    case add
    /// Something happened to the list beneath.
    case list(DownloadsModel.Event)
  }

  /// What the screen says beside its states.
  public enum Notice: ScreenNotice {
    /// Another tab is to be shown: 0 is the search.
    case switchTab(Int)
    /// No saved book has this id.
    case notFound(id: String)
    /// Rows that are no books were left out.
    case rowsSkipped(Int)
    /// The list beneath says so.
    case list(DownloadsModel.Notice)

    /// The notice's stable name.
    public var name: String {
      switch self {
      case .switchTab: "switchTab"
      case .notFound: "notFound"
      case .rowsSkipped: "rowsSkipped"
      case .list(let notice): notice.name
      }
    }

    /// The tab, the id or the number.
    public var details: JSONObject {
      switch self {
      case .switchTab(let tab): ["tab": JSONValue(tab)]
      case .notFound(let id): ["id": .string(id)]
      case .rowsSkipped(let count): ["count": JSONValue(count)]
      case .list(let notice): notice.details
      }
    }
  }
}
