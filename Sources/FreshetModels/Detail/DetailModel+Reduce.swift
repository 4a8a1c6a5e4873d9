import FreshetCatalog
import FreshetStore

extension DetailModel: Screen {
  /// What an event does to a state; see the table in `docs/view-models.md`.
  ///
  /// Pure. O(characters up to the fold).
  public static func reduce(_ state: State, _ event: Event) -> Step<DetailModel> {
    var step = Step<DetailModel>(state: state)
    step.take(event)
    return step
  }
}

extension Step<DetailModel> {
  fileprivate mutating func take(_ event: DetailModel.Event) {
    if case .dismissed = state.phase { return takeDismissed(event) }
    switch event {
    case .open(let item): open(item)
    case .download, .delete, .toggleFold, .setFold, .cancelDownload: intent(event)
    case .close:
      want(.stopObserving)
      stopPoster()
      state.pending = []
      move(to: .dismissed, .close)
    case .stored(let stored, let query):
      guard query == state.query else { return say(.staleIgnored) }
      take(stored)
    case .queryEnded(let error, let query):
      guard query == state.query else { return say(.staleIgnored) }
      queryEnded(error)
    case .found(let result, let request):
      guard request == state.request, state.phase == .loading else { return say(.staleIgnored) }
      found(result)
    case .transferred(let result, let request):
      guard request == state.request, state.phase == .saving else { return say(.staleIgnored) }
      transferred(result)
    case .deleted(let result, let request):
      guard request == state.request, state.phase == .deleting else { return say(.staleIgnored) }
      deleted(result)
    case .overview(let event): takeBeneath(event)
    case .poster(let event): takePoster(event)
    }
  }

  /// A closed screen says and does nothing more, but lets a save that runs come to its end.
  private mutating func takeDismissed(_ event: DetailModel.Event) {
    switch event {
    case .transferred, .deleted, .stored, .queryEnded, .found, .overview, .poster:
      say(.staleIgnored)
    case .open, .download, .cancelDownload, .delete, .toggleFold, .setFold, .close:
      say(.nothingToDo)
    }
  }

  // MARK: Intents

  private mutating func open(_ item: ContentItem?) {
    switch state.phase {
    case .idle, .missing, .failed:
      if let item, item.id == state.id { state.item = item }
      state.query += 1
      want(.observe(query: state.query))
      move(to: .loading, .open)
    case .loading, .shown, .saving, .deleting, .dismissed: say(.nothingToDo)
    }
  }

  private mutating func intent(_ event: DetailModel.Event) {
    switch (state.phase, event) {
    case (.loading, _): state.pending.append(event)
    case (.shown, .download): download()
    case (.saving, .download): say(.alreadySaving)
    case (.saving, .cancelDownload):
      state.request += 1
      state.transfer = nil
      want(.stopDownload)
      move(to: .shown, .cancel)
    case (.shown, .delete):
      guard state.isSaved else { return say(.notSaved) }
      state.request += 1
      state.error = nil
      want(.delete(request: state.request))
      move(to: .deleting, .delete)
    case (.saving, .delete), (.deleting, .download), (.deleting, .delete):
      state.pending.append(event)
    case (.shown, .toggleFold), (.saving, .toggleFold), (.deleting, .toggleFold):
      takeBeneath(.toggle)
    case (.shown, .setFold(let isFolded)), (.saving, .setFold(let isFolded)),
      (.deleting, .setFold(let isFolded)):
      takeBeneath(.set(isFolded: isFolded))
    default: say(.nothingToDo)
    }
  }

  private mutating func download() {
    guard let item = state.item else { return say(.nothingToDo) }
    if state.isSaved { return say(.alreadySaved) }
    state.request += 1
    state.error = nil
    state.transfer = .queued
    want(.download(item, request: state.request))
    move(to: .saving, .download)
  }

  // MARK: Answers

  private mutating func take(_ stored: DetailModel.Stored) {
    switch state.phase {
    case .loading:
      state.isSaved = stored.item != nil
      if let item = stored.item ?? state.item {
        show(item, isFolded: stored.isFolded)
      } else {
        state.overview = SummaryModel.State()
        state.overview.key = stored.isFolded ? state.id.text : ""
        state.request += 1
        want(.find(request: state.request))
      }
    case .shown, .saving, .deleting:
      let isNews =
        state.isSaved != (stored.item != nil) || stored.item.map { $0 != state.item } ?? false
      state.isSaved = stored.item != nil
      if let item = stored.item, item != state.item {
        state.item = item
        configure(item, isFolded: stored.isFolded)
      }
      // What is on its way here is told with its answer.
      if isNews, state.phase == .shown { move(to: .shown, .externalChange) }
      showPoster()
      takeBeneath(.changed(isFolded: stored.isFolded))
    case .missing:
      guard let item = stored.item else { return }
      state.isSaved = true
      show(item, isFolded: stored.isFolded)
    case .idle, .failed, .dismissed: say(.staleIgnored)
    }
  }

  private mutating func queryEnded(_ error: StoreError?) {
    let closed = StoreError(.closed, "The store was closed while the item was shown.")
    let problem = ScreenError(error ?? closed)
    switch state.phase {
    case .loading: move(to: .failed(problem), .failure)
    case .shown, .missing:
      state.error = problem
      move(to: state.phase, .failure)
    case .saving, .deleting, .idle, .failed, .dismissed: state.error = problem
    }
    state.pending = []
  }

  private mutating func found(_ result: Result<ContentItem, CatalogError>) {
    switch result {
    case .success(let item): show(item, isFolded: !state.overview.key.isEmpty)
    case .failure(let error):
      state.pending = []
      if error.code == .notFound {
        move(to: .missing, .notFound)
      } else {
        move(to: .failed(ScreenError(error)), .failure)
      }
    }
  }

  private mutating func transferred(_ result: Result<DownloadStep, ScreenError>) {
    switch result {
    case .success(.progress(let done, let total)):
      state.transfer = .downloading(doneBytes: done, totalBytes: total)
      move(to: .saving, .progress)
    case .success(.saved(let outcome)):
      state.transfer = .done
      state.isSaved = true
      move(to: .shown, .saved)
      showPoster()
      say(outcome == .saved ? .savedOnce : .alreadySaved)
      takePending()
    case .failure(let error):
      state.transfer = .failed(error)
      state.error = error
      move(to: .shown, .downloadFailed)
      takePending()
    }
  }

  private mutating func deleted(_ result: Result<Outcome, StoreError>) {
    switch result {
    case .success(let outcome):
      state.isSaved = false
      state.transfer = nil
      move(to: .shown, .deleted)
      if outcome == .notFound { say(.notSaved) }
    case .failure(let error):
      state.error = ScreenError(error)
      move(to: .shown, .deleteFailed)
    }
    takePending()
  }

  // MARK: Pieces

  private mutating func show(_ item: ContentItem, isFolded: Bool) {
    state.item = item
    configure(item, isFolded: isFolded)
    move(to: .shown, .found)
    showPoster()
    takePending()
  }

  private mutating func configure(_ item: ContentItem, isFolded: Bool) {
    let text = item.overview ?? ""
    state.overview.key = item.id.text
    state.overview.text = text
    state.overview.phase = .shown(TextFold(of: text, isFolded: isFolded))
  }

  /// Lets the text beneath take an event, and shows what comes of it.
  private mutating func takeBeneath(_ event: SummaryModel.Event) {
    let beneath = SummaryModel.reduce(state.overview, event)
    effects += beneath.effects.map { .overview($0) }
    notices += beneath.notices.map { .overview($0) }
    for transition in beneath.transitions {
      state.overview = transition.state
      switch transition.cause {
      case .fold: move(to: state.phase, .fold)
      case .unfold: move(to: state.phase, .unfold)
      case .configure, .read, .externalChange: move(to: state.phase, .externalChange)
      }
    }
    state.overview = beneath.state
  }

  // MARK: The picture

  /// Looks for the item's picture, unless it is shown or on its way.
  private mutating func showPoster() {
    guard let address = state.address, let item = state.item else { return }
    if let event = state.poster.event(showing: address(item)) { takePoster(event) }
  }

  /// Lets the picture beneath take an event, and shows what comes of it.
  private mutating func takePoster(_ event: ImageModel.Event) {
    let beneath = ImageModel.reduce(state.poster, event)
    effects += beneath.effects.map { .poster($0) }
    if beneath.notices.contains(.staleIgnored) { say(.staleIgnored) }
    for transition in beneath.transitions {
      state.poster = transition.state
      move(to: state.phase, .poster)
    }
    state.poster = beneath.state
  }

  private mutating func stopPoster() {
    guard state.poster.phase == .loading else { return }
    want(.poster(.stop))
    state.poster.request += 1
    state.poster.phase = .idle
  }

  /// Gives what waited its turn; what must wait again does so in its order.
  private mutating func takePending() {
    let waiting = state.pending
    state.pending = []
    for event in waiting { take(event) }
  }
}
