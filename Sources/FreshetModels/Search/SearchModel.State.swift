import FreshetCatalog
import FreshetStore

extension SearchModel {
  /// What the screen shows.
  public struct State: ScreenState {
    /// Where the screen is in its life.
    public enum Phase: ScreenPhase, Hashable {
      /// Nothing is asked; not the same as nothing found.
      case idle
      /// The first page is on its way; results of the query before are still shown, as stale.
      case loadingFirst
      /// A further page is on its way.
      case loadingMore
      /// There are results.
      case loaded
      /// The catalogue was asked and has nothing.
      case empty
      /// The last page could not be had; what was shown stays.
      case failed(ScreenError)

      /// The phase's stable name, as it stands in events.
      public var name: String {
        switch self {
        case .idle: "idle"
        case .loadingFirst: "loadingFirst"
        case .loadingMore: "loadingMore"
        case .loaded: "loaded"
        case .empty: "empty"
        case .failed: "failed"
        }
      }
    }

    /// The results of one query, as far as they were read.
    public struct Results: Sendable {
      /// What was asked for.
      public internal(set) var query: String
      /// The items in order of first arrival, no id twice.
      public internal(set) var items = IdentifiedList<ContentItem>()
      /// Where the next page begins; nil at the end.
      public internal(set) var next: PageCursor?
      /// How many matches the catalogue says there are; for show only.
      public internal(set) var total: Int?
      /// How many of them can be reached, where the catalogue says so; for show only.
      public internal(set) var pageable: Int?
      /// How many rows of the catalogue's became no item.
      public internal(set) var dropped = 0
      /// How many items were there already, from earlier pages.
      public internal(set) var duplicates = 0
      /// Whether the catalogue has more matches, but gives no further page to anybody.
      public internal(set) var isCapped = false
      /// Why the list ends early: the catalogue went on without bringing anything new.
      public internal(set) var stall: ScreenError?
      var progress = SearchProgress()

      /// How many pages were read.
      public var pageCount: Int { progress.pageCount }
      /// Whether there is nothing more to ask for.
      public var isEnd: Bool { next == nil }

      init(query: String) {
        self.query = query
        next = .first
      }
    }

    /// Which catalogue is asked, and by what rules.
    public let rules: Rules
    /// Where the screen is.
    public var phase: Phase = .idle
    /// The query of the last submit that asked something; empty when none did.
    public internal(set) var query = ""
    /// What is shown; nil before the first answer and after a clear.
    public internal(set) var results: Results?

    /// What a first page is put into until it has come.
    var asked: Results?
    /// The request whose answer counts.
    var request = 0
    /// The typing whose pause counts.
    var typing = 0

    /// The items shown.
    public var items: [ContentItem] { results?.items.rows ?? [] }

    /// What stands above the list: how many matches there are, or what is searched where there are
    /// none.
    public var heading: String {
      let count = max(results?.total ?? 0, items.count)
      return count > 0 ? "검색결과(\(count))" : rules.title
    }

    /// What the screen says in place of a list that is empty; nil elsewhere.
    public var message: String? { phase == .empty ? "검색 결과가 없습니다." : nil }

    /// Whether the items shown are those of a query before the one that is asked.
    public var isStale: Bool { asked != nil && !items.isEmpty }

    /// The state before the first intent.
    public init(rules: Rules) { self.rules = rules }

    /// Whether no answer is waited for; a pause in typing is none.
    public var isSettled: Bool { !phase.isLoading }

    /// The state as it stands in events.
    public var summary: JSONObject {
      var object: JSONObject = [
        "query": .string(query), "count": .number(JSONNumber(Int64(items.count))),
        "pages": .number(JSONNumber(Int64(results?.pageCount ?? 0))),
        "end": .bool(results?.isEnd ?? false), "stale": .bool(isStale),
        "total": JSONValue(results?.total), "pageable": JSONValue(results?.pageable),
        "dropped": .number(JSONNumber(Int64(results?.dropped ?? 0))),
        "duplicates": .number(JSONNumber(Int64(results?.duplicates ?? 0))),
        "heading": .string(heading), "message": JSONValue(text: message), "error": nil,
      ]
      if case .failed(let error) = phase { object["error"] = .object(error.summary) }
      if let stall = results?.stall { object["stall"] = .object(stall.summary) }
      return object
    }
  }

  /// What is special about a catalogue.
  public struct Rules: Sendable, Hashable {
    /// How many grapheme clusters a query needs.
    public var leastCharacters: Int
    /// How many rows a page is asked to have.
    public var pageSize: Int
    /// How long typing must pause before it is taken as a query.
    public var typingPause: Duration
    /// What stands above a list that has nothing.
    public var title: String
    /// Why nothing can be asked at all, such as a key that is not set; nil when it can.
    public var refusal: ScreenError?

    /// Makes rules.
    public init(
      leastCharacters: Int = 1, pageSize: Int = 20, typingPause: Duration = .milliseconds(300),
      title: String = "책 검색", refusal: ScreenError? = nil
    ) {
      self.leastCharacters = leastCharacters
      self.pageSize = pageSize
      self.typingPause = typingPause
      self.title = title
      self.refusal = refusal
    }

    /// Kakao's books: a query needs one character, a page has at most 50 rows.
    public static let kakao = Rules()
    /// Google's books: a query needs two characters, a page has at most 40 rows.
    public static let google = Rules(leastCharacters: 2)
    /// TMDB: a query needs one character, a page always has 20 rows.
    public static let tmdb = Rules(title: "영화·시리즈 검색")
  }

  /// What happens to the screen: intents of its user, and answers.
  public enum Event: Sendable {
    /// The user types; a pause in the typing submits what is there.
    case type(String)
    /// The typing paused.
    case typingPaused(String, typing: Int)
    /// The user asks for a query.
    case submit(String)
    /// The last row came into view.
    case reachedEnd
    /// The user asks again for what failed.
    case retry
    /// The user calls off what is on its way.
    case cancel
    /// The user empties the search field.
    case clear
    /// The user opens a result.
    case select(id: String)
    /// The catalogue answered `request`.
    case answered(Result<SearchPage, CatalogError>, request: Int)
  }

  /// What the screen wants done.
  public enum Effect: ScreenEffect {
    /// Wait for a pause in the typing.
    case waitForPause(String, typing: Int, Duration)
    /// Stop waiting.
    case stopWaiting
    /// Ask for a page.
    case ask(SearchRequest, request: Int)
    /// Stop the request on its way.
    case stopAsking

    /// Typing and requests are a slot each.
    public var slot: String {
      switch self {
      case .waitForPause, .stopWaiting: "typing"
      case .ask, .stopAsking: "request"
      }
    }

    /// Whether it only stops.
    public var isStop: Bool {
      switch self {
      case .stopWaiting, .stopAsking: true
      case .waitForPause, .ask: false
      }
    }
  }

  /// What made a transition.
  public enum Cause: String, Sendable, Hashable, CaseIterable {
    /// The user asked for a query.
    case submit
    /// The last row came into view.
    case reachedEnd
    /// A page came.
    case page
    /// A page held nothing that is kept, and the next one is asked for.
    case nothingKept
    /// A page could not be had.
    case failure
    /// The user asked again.
    case retry
    /// The user called it off.
    case cancel
    /// The user emptied the field.
    case clear
  }

  /// What the screen says beside its states.
  public enum Notice: ScreenNotice {
    /// An answer that is no longer asked for was dropped.
    case staleIgnored(request: Int)
    /// A blank query asks nothing.
    case invalidQuery
    /// The query has fewer characters than the catalogue needs.
    case tooShort(least: Int)
    /// A page is on its way already.
    case alreadyLoading
    /// There is nothing more.
    case atEnd
    /// There is no list to scroll, nothing to retry, or nothing to call off.
    case nothingToDo
    /// No result has this id.
    case notFound(id: String)
    /// The detail of a result is to be shown.
    case showDetail(id: String)

    /// The notice's stable name.
    public var name: String {
      switch self {
      case .staleIgnored: "staleIgnored"
      case .invalidQuery: "invalidQuery"
      case .tooShort: "tooShort"
      case .alreadyLoading: "alreadyLoading"
      case .atEnd: "atEnd"
      case .nothingToDo: "nothingToDo"
      case .notFound: "notFound"
      case .showDetail: "showDetail"
      }
    }

    /// The id, or the number, it is about.
    public var details: JSONObject {
      switch self {
      case .staleIgnored(let request): ["request": JSONValue(request)]
      case .tooShort(let least): ["least": JSONValue(least)]
      case .notFound(let id), .showDetail(let id): ["id": .string(id)]
      case .invalidQuery, .alreadyLoading, .atEnd, .nothingToDo: JSONObject()
      }
    }
  }
}

extension ContentItem: Identified {
  /// The item's id.
  public var rowID: String { id.text }
}

extension ScreenError {
  /// A catalogue's error as a screen shows it.
  public init(_ error: CatalogError) {
    self.init(code: error.code.name, message: error.message, isRetryable: error.isRetryable)
  }
}

extension JSONValue {
  /// A number, or null.
  init(_ number: Int?) {
    self = number.map { .number(JSONNumber(Int64($0))) } ?? .null
  }

  /// A text, or null.
  init(text: String?) {
    self = text.map { .string($0) } ?? .null
  }
}
