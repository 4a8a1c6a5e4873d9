import FreshetCatalog
import FreshetStore

extension BooksModel {
  /// What the screen shows.
  public struct State: ScreenState {
    /// Where the screen is in its life.
    public enum Phase: ScreenPhase, Hashable {
      /// Nothing was asked yet.
      case idle
      /// The books are being read; those of before are still shown.
      case loading
      /// There are books.
      case loaded
      /// There is a series, and it has no books.
      case empty
      /// The books could not be read; those of before are still shown.
      case failed(ScreenError)

      /// The phase's stable name, as it stands in events.
      public var name: String {
        switch self {
        case .idle: "idle"
        case .loading: "loading"
        case .loaded: "loaded"
        case .empty: "empty"
        case .failed: "failed"
        }
      }
    }

    /// Where the screen is.
    public var phase: Phase = .idle
    /// The books in order.
    public internal(set) var books = IdentifiedList<SeriesBook>()
    /// The place of the book that is shown, from 0.
    public internal(set) var selected = 0
    var request = 0
    /// How many things are to be kept and are not yet.
    var keeping = 0

    /// Whether books that were read are to be kept.
    let keepsBooks: Bool

    /// The state before the first intent.
    public init(keepsBooks: Bool = false) { self.keepsBooks = keepsBooks }

    /// The book that is shown; nil when there is none.
    public var book: SeriesBook? {
      books.rows.indices.contains(selected) ? books.rows[selected] : nil
    }

    /// Whether no answer is waited for, and what is to be kept is kept.
    public var isSettled: Bool { phase != .loading && keeping == 0 }

    /// The state as it stands in events.
    public var summary: JSONObject {
      var object: JSONObject = [
        "count": JSONValue(books.count), "selected": book == nil ? .null : JSONValue(selected + 1),
        "key": JSONValue(text: book?.key), "title": JSONValue(text: book?.title), "error": nil,
      ]
      if case .failed(let error) = phase { object["error"] = .object(error.summary) }
      return object
    }
  }

  /// What happens to the screen.
  public enum Event: Sendable {
    /// The books are to be read.
    case load
    /// The user chooses a book by its place, from 0.
    case select(Int)
    /// The books of `request` were read.
    case read(Result<BookSeries, BookFileError>, request: Int)
    /// What was to be kept is kept, or not.
    case kept(Result<Void, BookFileError>)
    /// Somebody else loaded books or chose one.
    case changed(BookSeries)
  }

  /// What the screen wants done.
  public enum Effect: ScreenEffect {
    /// Read the books.
    case read(request: Int)
    /// Keep them.
    case keep(BookSeries)
    /// Keep which is shown.
    case keepChoice(String)

    /// Reading is a slot, and so is each thing to be kept.
    public var slot: String {
      switch self {
      case .read: "read"
      case .keep: "keep"
      case .keepChoice(let key): "choice " + key
      }
    }
  }

  /// What made a transition.
  public enum Cause: String, Sendable, Hashable, CaseIterable {
    /// The books are to be read.
    case load
    /// They were read.
    case read
    /// They could not be read.
    case failure
    /// The user chose another book.
    case select
    /// Somebody else loaded books or chose one.
    case externalChange
  }

  /// What the screen says beside its states.
  public enum Notice: ScreenNotice {
    /// There is no book at this place.
    case invalidIndex(Int)
    /// The book is shown already.
    case alreadySelected
    /// It could not be kept; the screen shows it all the same.
    case notPersisted(ScreenError)
    /// What was to be kept is kept.
    case kept
    /// An answer that is no longer asked for was dropped.
    case staleIgnored

    /// The notice's stable name.
    public var name: String {
      switch self {
      case .invalidIndex: "invalidIndex"
      case .alreadySelected: "alreadySelected"
      case .notPersisted: "notPersisted"
      case .kept: "kept"
      case .staleIgnored: "staleIgnored"
      }
    }

    /// The place, counted from 1 as on screen, or why.
    public var details: JSONObject {
      switch self {
      case .invalidIndex(let index): ["place": .number(JSONNumber(Int64(index) &+ 1))]
      case .notPersisted(let error): ["error": .object(error.summary)]
      case .alreadySelected, .kept, .staleIgnored: JSONObject()
      }
    }
  }
}

extension SeriesBook: Identified {
  /// The book's key.
  public var rowID: String { key }
}

extension ScreenError {
  /// A book file's error as a screen shows it.
  public init(_ error: BookFileError) {
    self.init(code: error.code.name, message: error.message)
  }
}
