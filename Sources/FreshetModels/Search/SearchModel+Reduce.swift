import FreshetCatalog
import FreshetStore

extension SearchModel: Screen {
  /// What an event does to a state; see the table in `docs/view-models.md`.
  ///
  /// Pure. O(rows of the page) per answer, plus O(rows shown) for the difference.
  public static func reduce(_ state: State, _ event: Event) -> Step<SearchModel> {
    var step = Step<SearchModel>(state: state)
    step.take(event)
    return step
  }
}

extension Step<SearchModel> {
  fileprivate mutating func take(_ event: SearchModel.Event) {
    switch event {
    case .type(let text):
      state.typing += 1
      want(.waitForPause(text, typing: state.typing, state.rules.typingPause))
    case .typingPaused(let text, let typing):
      guard typing == state.typing else { return say(.staleIgnored(request: typing)) }
      submit(text)
    case .submit(let text): submit(text)
    case .reachedEnd: reachedEnd()
    case .retry: retry()
    case .cancel: cancel()
    case .clear:
      forget()
      move(to: .idle, .clear, dropResults())
    case .select(let id):
      guard state.results?.items.row(id: id) != nil else { return say(.notFound(id: id)) }
      say(.showDetail(id: id))
    case .answered(let result, let request):
      guard request == state.request, state.phase.isLoading else {
        return say(.staleIgnored(request: request))
      }
      switch result {
      case .success(let page): take(page)
      case .failure(let error): move(to: .failed(ScreenError(error)), .failure)
      }
    }
  }

  // MARK: Intents

  private mutating func submit(_ text: String) {
    let query = text.trimmingWhiteSpace
    let isBlank = query.isEmpty
    if isBlank || query.count < state.rules.leastCharacters {
      forget()
      move(to: .idle, .submit, dropResults())
      say(isBlank ? .invalidQuery : .tooShort(least: state.rules.leastCharacters))
      return
    }
    if let refusal = state.rules.refusal {
      forget()
      state.query = query
      return move(to: .failed(refusal), .submit)
    }
    stopTyping()
    state.query = query
    state.asked = SearchModel.State.Results(query: query)
    ask(.first)
    move(to: .loadingFirst, .submit)
  }

  private mutating func reachedEnd() {
    switch state.phase {
    case .loaded:
      guard let next = state.results?.next else { return say(.atEnd) }
      ask(next)
      move(to: .loadingMore, .reachedEnd)
    case .loadingFirst, .loadingMore: say(.alreadyLoading)
    case .idle, .empty, .failed: say(.nothingToDo)
    }
  }

  private mutating func retry() {
    guard case .failed = state.phase else { return say(.nothingToDo) }
    if let asked = state.asked {
      ask(asked.next ?? .first)
      move(to: .loadingFirst, .retry)
    } else if let next = state.results?.next {
      ask(next)
      move(to: .loadingMore, .retry)
    } else {
      say(.nothingToDo)
    }
  }

  private mutating func cancel() {
    guard state.phase.isLoading else { return say(.nothingToDo) }
    forget()
    state.query = state.results?.query ?? ""
    move(to: state.items.isEmpty ? .idle : .loaded, .cancel)
  }

  // MARK: Answers

  private mutating func take(_ page: SearchPage) {
    let isFirst = state.phase == .loadingFirst
    var results = (isFirst ? state.asked : state.results) ?? .init(query: state.query)
    let progress = results.progress.take(page)
    results.items.append(contentsOf: progress.fresh)
    results.next = progress.next
    results.isCapped = page.isCapped
    results.total = page.total.map { max($0, results.items.count) }
    results.pageable = page.pageable
    results.dropped += page.dropped
    results.duplicates += progress.duplicates
    results.stall = progress.stall.map(ScreenError.init)
    if progress.fresh.isEmpty, let next = progress.next {
      // Rows came, or the catalogue says that more will: a page without items is not the end.
      if isFirst { state.asked = results } else { state.results = results }
      ask(next)
      return move(to: state.phase, .nothingKept)
    }
    let diff = ListDiff(
      from: state.results?.items ?? IdentifiedList(), to: results.items)
    state.results = results
    state.asked = nil
    move(to: results.items.isEmpty ? .empty : .loaded, .page, diff)
  }

  // MARK: Pieces

  private mutating func ask(_ cursor: PageCursor) {
    state.request += 1
    want(
      .ask(
        SearchRequest(query: state.query, cursor: cursor, size: state.rules.pageSize),
        request: state.request))
  }

  private mutating func stopTyping() {
    state.typing += 1
    want(.stopWaiting)
  }

  /// Nothing that is on its way counts any more.
  private mutating func forget() {
    stopTyping()
    state.request += 1
    state.asked = nil
    want(.stopAsking)
  }

  private mutating func dropResults() -> ListDiff {
    let diff = ListDiff(from: state.results?.items ?? IdentifiedList(), to: IdentifiedList())
    state.results = nil
    state.query = ""
    return diff
  }
}

extension SearchModel.State.Phase {
  /// Whether a page is on its way.
  public var isLoading: Bool { self == .loadingFirst || self == .loadingMore }
}

extension String {
  /// The text without white space at its ends.
  var trimmingWhiteSpace: String {
    var text = self[...]
    while let first = text.first, first.isWhitespace { text.removeFirst() }
    while let last = text.last, last.isWhitespace { text.removeLast() }
    return String(text)
  }
}
