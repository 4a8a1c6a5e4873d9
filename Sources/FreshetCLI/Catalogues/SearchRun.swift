import Freshet
import FreshetCatalog
import FreshetModels
import FreshetStore
import Synchronization

/// A search as commands drive it: the search screen over one catalogue, its pages told as they come.
final class SearchRun {
  /// How far a search has come after a step.
  enum Outcome: Equatable {
    /// A page came, and there is more.
    case more
    /// The catalogue has nothing more, or nothing at all.
    case end
    /// A page could not be had; what was told stays.
    case failed(Problem)
  }

  /// How many dropped rows a page tells; the others are counted.
  private static let toldDropped = 100

  let source: CatalogAccess.Source
  private let subject: SearchSubject
  private let session: Session
  private let pages: PageLog
  private let model: SearchModel
  private let limit: Int?
  private var told = 0
  private var pageCount = 0
  private var droppedCount = 0

  init(
    _ subject: SearchSubject, _ source: CatalogAccess.Source, _ access: CatalogAccess,
    _ session: Session, pageSize: Int?, limit: Int? = nil
  ) {
    self.source = source
    self.subject = subject
    self.session = session
    self.limit = limit
    pages = PageLog(access.searching(source, subject))
    var rules = source.rules
    rules.pageSize = pageSize ?? min(rules.pageSize, limit ?? rules.pageSize)
    model = SearchModel(
      catalog: pages, rules: rules, scheduler: QueueScheduler(label: "freshet.search"))
  }

  deinit { model.close() }

  /// How many items were told.
  var itemCount: Int { told }
  /// How many pages were told.
  var readPages: Int { pageCount }
  /// How many rows became no item, or were there already.
  var dropped: Int { droppedCount }
  /// Whether as many items as were asked for are told.
  var hasReachedLimit: Bool { limit.map { told >= $0 } ?? false }
  /// Why a search that was read to its end is over.
  var endReason: String { model.state.results?.isCapped == true ? "provider_cap" : "end" }
  /// How many matches the catalogue says there are.
  var total: Int? { model.state.results?.total }

  /// Asks for the first page.
  func start(_ correlation: String) throws(Stop) -> Outcome {
    let heard = Heard()
    let token = model.notices.subscribe { heard.note($0) }
    model.submit(subject.text)
    let outcome = try settle(correlation)
    token.dispose()
    switch heard.last {
    case .invalidQuery:
      return .failed(
        Problem(code: "invalid_query", message: "the query is blank; type what to search for"))
    case .tooShort(let least):
      return .failed(
        Problem(
          code: "invalid_query",
          message: "the query needs at least \(least) characters for \(source.rawValue)"))
    default: return outcome
    }
  }

  /// Asks for the next page, or again for the one that failed.
  func more(_ correlation: String) throws(Stop) -> Outcome {
    if case .failed = model.state.phase { model.retry() } else { model.reachedEnd() }
    return try settle(correlation)
  }

  /// Asks again for the page that failed.
  func again(_ correlation: String) throws(Stop) -> Outcome {
    model.retry()
    return try settle(correlation)
  }

  /// Waits for the page, tells it, and says where the search is.
  private func settle(_ correlation: String) throws(Stop) -> Outcome {
    let state = try session.settled(model.settled())
    for answer in pages.take() {
      if case .success(let page) = answer { tell(page, state, correlation) }
    }
    try session.output.flush()
    if case .failed(let error) = state.phase {
      return .failed(pages.lastFailure.map { Problem($0) } ?? Problem(error))
    }
    if let stall = state.results?.stall { return .failed(Problem(stall)) }
    return state.results?.isEnd ?? true ? .end : .more
  }

  private func tell(_ page: SearchPage, _ state: SearchModel.State, _ correlation: String) {
    pageCount += 1
    let isLastRead = pageCount == state.results?.pageCount
    let fresh = page.items.filter { pages.isNew($0.id) }
    let shown = fresh.prefix(limit.map { max(0, $0 - told) } ?? fresh.count)
    let repeated = page.items.count - fresh.count
    droppedCount += page.dropped + repeated
    var head = EventHead("search.page")
    head.correlation = correlation
    session.output.emit(head) { data in
      data.string("source", source.rawValue)
      data.string("query", subject.text)
      if let list = subject.listName { data.string("list", list) }
      data.int("page", pageCount)
      data.int("count", shown.count)
      data.int("rows", page.rawCount)
      data.int("total", page.total.map(Int64.init))
      data.int("pageable", page.pageable.map(Int64.init))
      data.int("duplicates", repeated)
      data.objects("dropped", page.droppedRows.prefix(Self.toldDropped)) { object, row in
        object.int("row", row.index + 1)
        object.string("code", row.code)
        object.string("reason", row.reason.count > 200 ? row.reason.prefix(200) + "…" : row.reason)
      }
      if page.dropped > Self.toldDropped {
        data.int("dropped_more", page.dropped - Self.toldDropped)
      }
      data.bool("end", isLastRead ? state.results?.isEnd ?? true : page.next == nil)
    }
    for item in shown {
      told += 1
      var head = EventHead("search.item")
      head.id = item.id.text
      head.correlation = correlation
      let body = item.jsonBytes
      session.output.emit(head, text: ItemText.row(item.id.text, body)) { data in
        data.int("page", pageCount)
        data.int("index", told - 1)
        data.body("item", body)
      }
    }
    session.count("items", shown.count)
  }

  /// Tells that the next page could not be had; it can be asked for again.
  func tellFailure(_ problem: Problem, _ correlation: String) {
    var head = EventHead("search.failed")
    head.correlation = correlation
    session.output.emit(head) { data in
      data.string("source", source.rawValue)
      data.string("query", subject.text)
      if let list = subject.listName { data.string("list", list) }
      data.int("page", pageCount + 1)
      data.object("error") { problem.write(to: &$0) }
    }
  }

  /// Tells that the search is over, and why.
  func tellEnd(_ reason: String, _ problem: Problem?, _ correlation: String) {
    var head = EventHead("search.end")
    head.correlation = correlation
    session.output.emit(head) { data in
      data.string("source", source.rawValue)
      data.string("query", subject.text)
      if let list = subject.listName { data.string("list", list) }
      data.string("reason", reason)
      data.int("items", told)
      data.int("pages", pageCount)
      data.int("dropped", droppedCount)
      data.int("total", total.map(Int64.init))
      if let problem { data.object("error") { problem.write(to: &$0) } }
    }
  }
}

/// The last notice of a search.
private final class Heard: Sendable {
  private let notice = Mutex<SearchModel.Notice?>(nil)
  var last: SearchModel.Notice? { notice.withLock { $0 } }
  func note(_ said: SearchModel.Notice) { notice.withLock { $0 = said } }
}

/// A catalogue that keeps the pages that came through it, for what a screen does not show: which
/// rows were dropped and why, and the whole of an error.
final class PageLog: CatalogSearching {
  private struct State {
    var answers: [Result<SearchPage, CatalogError>] = []
    var failure: CatalogError?
    var ids: Set<ItemID> = []
  }

  private let catalog: any CatalogSearching
  private let state = Mutex(State())

  init(_ catalog: any CatalogSearching) { self.catalog = catalog }

  var refusal: CatalogError? { catalog.refusal }

  func page(_ request: SearchRequest) -> Single<SearchPage, CatalogError> {
    Single { [self] resolver in
      catalog.page(request).subscribe(
        onValue: { [self] page in
          state.withLock { $0.answers.append(.success(page)) }
          resolver.succeed(page)
        },
        onEnd: { [self] end in
          guard case .failed(let error) = end else { return }
          state.withLock { $0.failure = error }
          resolver.fail(error)
        })
    }
  }

  /// The answers since the last call.
  func take() -> [Result<SearchPage, CatalogError>] {
    state.withLock { state in
      defer { state.answers = [] }
      return state.answers
    }
  }

  /// How the last request that failed did.
  var lastFailure: CatalogError? { state.withLock { $0.failure } }

  /// Whether an id comes for the first time.
  func isNew(_ id: ItemID) -> Bool { state.withLock { $0.ids.insert(id).inserted } }
}
