import FreshetCatalog
import FreshetStore

extension DownloadsModel: Screen {
  /// What an event does to a state.
  ///
  /// Pure: no clock, no store, no lock. O(1) per event, plus O(n) for n items when lists were
  /// passed over during a delete.
  public static func reduce(_ state: State, _ event: Event) -> Step<DownloadsModel> {
    var step = Step<DownloadsModel>(state: state)
    step.take(event)
    return step
  }
}

extension Step<DownloadsModel> {
  fileprivate typealias Event = DownloadsModel.Event
  fileprivate typealias Cause = DownloadsModel.Cause
  fileprivate typealias Phase = DownloadsModel.State.Phase

  fileprivate mutating func take(_ event: Event) {
    switch event {
    case .appear: appear()
    case .delete(let id): delete(event) { .deleting(id: id) }
    case .deleteAll: delete(event) { .deletingAll }
    case .download(let item): download(item)
    case .cancelDownload(let id): cancelDownload(id)
    case .transferred(let id, let result): transferred(id, result)
    case .rowAppeared(let id): rowAppeared(id)
    case .rowDisappeared(let id): rowDisappeared(id)
    case .poster(let id, let event): takePoster(id, event)
    case .list(let list, let query):
      guard query == state.query else { return say(.stale) }
      takeList(list)
    case .queryEnded(let error, let query):
      guard query == state.query else { return say(.stale) }
      queryEnded(error)
    case .deleteAnswered(let result, let request):
      guard request == state.request, state.phase.isDeleting, state.awaited == nil else {
        return say(.stale)
      }
      deleteAnswered(result)
    }
  }

  // MARK: Intents

  private mutating func appear() {
    switch state.phase {
    case .idle: load()
    case .failed where !state.isLive: load()
    case .failed: takeShown()
    case .loading, .loaded, .empty: say(.alreadyShown)
    case .deleting, .deletingAll: state.pending.append(.appear)
    }
  }

  private mutating func load() {
    state.query += 1
    state.isLive = true
    want(.observe(query: state.query))
    move(to: .loading, .appear)
  }

  /// After a failed delete the list is still live: asking again just shows it.
  private mutating func takeShown() {
    move(to: shown, .appear)
  }

  private mutating func delete(_ event: Event, _ phase: () -> Phase) {
    switch state.phase {
    case .idle: say(.notShown)
    case .failed where !state.isLive: say(.notShown)
    case .loading, .deleting, .deletingAll: state.pending.append(event)
    case .loaded, .empty, .failed:
      state.request += 1
      state.awaited = nil
      if case .delete(let id) = event {
        want(.delete(id: id, request: state.request))
        move(to: phase(), .delete)
      } else {
        want(.deleteAll(request: state.request))
        move(to: phase(), .deleteAll)
      }
    }
  }

  // MARK: Downloads

  private mutating func download(_ item: ContentItem) {
    let id = item.id.text
    if state.transfers[id]?.isRunning == true { return say(.alreadyDownloading) }
    state.transfers = state.transfers.filter { $0.value.isRunning }
    state.transfers[id] = .queued
    want(.download(item))
    move(to: state.phase, .download)
  }

  private mutating func cancelDownload(_ id: String) {
    guard state.transfers[id]?.isRunning == true else { return say(.notDownloading) }
    state.transfers[id] = nil
    want(.stopDownload(id: id))
    move(to: state.phase, .downloadFailed)
  }

  private mutating func transferred(_ id: String, _ result: Result<DownloadStep, ScreenError>) {
    guard state.transfers[id]?.isRunning == true else { return say(.stale) }
    switch result {
    case .success(.progress(let done, let total)):
      state.transfers[id] = .downloading(doneBytes: done, totalBytes: total)
      move(to: state.phase, .progress)
    case .success(.saved):
      state.transfers[id] = .done
      move(to: state.phase, .downloaded)
      showPoster(id)
    case .failure(let error):
      state.transfers[id] = .failed(error)
      move(to: state.phase, .downloadFailed)
    }
  }

  // MARK: Pictures of rows

  private mutating func rowAppeared(_ id: String) {
    guard state.address != nil, state.records.contains(where: { $0.id == id }) else {
      return say(.noRow)
    }
    if state.posters[id] == nil { state.posters[id] = ImageModel.State() }
    showPoster(id)
  }

  private mutating func rowDisappeared(_ id: String) {
    guard state.posters[id] != nil else { return say(.noRow) }
    dropPoster(id)
  }

  /// Looks for the picture of a row in view, unless it is shown or on its way.
  private mutating func showPoster(_ id: String) {
    guard let poster = state.posters[id], let address = state.address,
      let record = state.records.first(where: { $0.id == id })
    else { return }
    if let event = poster.event(showing: address(record)) { takePoster(id, event) }
  }

  private mutating func dropPoster(_ id: String) {
    guard let poster = state.posters.removeValue(forKey: id) else { return }
    if poster.phase == .loading { want(.poster(id: id, .stop)) }
  }

  private mutating func takePoster(_ id: String, _ event: ImageModel.Event) {
    guard let poster = state.posters[id] else { return say(.stale) }
    let beneath = ImageModel.reduce(poster, event)
    effects += beneath.effects.map { .poster(id: id, $0) }
    if beneath.notices.contains(.staleIgnored) { say(.stale) }
    for transition in beneath.transitions {
      state.posters[id] = transition.state
      move(to: state.phase, .poster)
    }
    state.posters[id] = beneath.state
  }

  // MARK: Answers

  private mutating func takeList(_ list: LiveList) {
    switch state.phase {
    case .idle: say(.stale)
    case .loading:
      show(list, diff: difference(to: list), .fetched)
      takePending()
    case .loaded, .empty, .failed:
      show(list, diff: list.isInitial ? difference(to: list) : list.diff, .externalChange)
    case .deleting, .deletingAll:
      guard let awaited = state.awaited, list.token.revision >= awaited else {
        state.pending.append(.list(list, query: state.query))
        return
      }
      settle(with: list)
    }
  }

  private mutating func queryEnded(_ error: StoreError?) {
    if state.phase.isDeleting, state.awaited == nil {
      state.pending.append(.queryEnded(error, query: state.query))
      return
    }
    state.isLive = false
    let closed = StoreError(.closed, "The store was closed while its list was shown.")
    move(to: .failed(error ?? closed), .queryFailed)
    takePending()
  }

  private mutating func deleteAnswered(_ result: Result<CommitReceipt, StoreError>) {
    switch result {
    case .failure(let error):
      move(to: .failed(error), .deleteFailed)
      takePending()
    case .success(let receipt):
      guard let revision = receipt.token?.revision else {
        // Nothing had to be deleted, so the list is as it was.
        move(to: shown, .deleted)
        takePending()
        return
      }
      state.awaited = revision
      awaitCommit(revision)
    }
  }

  /// The list of the delete's own commit may have come before its answer.
  private mutating func awaitCommit(_ revision: Int64) {
    for (place, event) in state.pending.enumerated() {
      switch event {
      case .list(let list, _) where list.token.revision >= revision:
        state.pending.remove(at: place)
        settle(with: list)
        return
      case .queryEnded(let error, _):
        state.pending.remove(at: place)
        queryEnded(error)
        return
      default: continue
      }
    }
  }

  /// Ends a delete with the committed list.
  ///
  /// Lists from before it are passed over: they still show what is gone, and the difference tells
  /// what they would have told.
  private mutating func settle(with list: LiveList) {
    let before = state.pending.count
    state.pending.removeAll { event in
      if case .list(let older, _) = event {
        older.token.revision < list.token.revision
      } else {
        false
      }
    }
    state.awaited = nil
    show(
      list, diff: state.pending.count == before ? list.diff : difference(to: list), .deleted)
    takePending()
  }

  /// Gives what waited its turn; what must wait again does so in its order.
  private mutating func takePending() {
    let waiting = state.pending
    state.pending = []
    for event in waiting { take(event) }
  }

  // MARK: Moving

  private var shown: Phase { state.records.isEmpty ? .empty : .loaded }

  private mutating func show(_ list: LiveList, diff: ListDiff, _ cause: Cause) {
    state.records = list.rows
    state.revision = list.token.revision
    move(to: shown, cause, diff)
    if state.posters.isEmpty { return }
    for row in diff.removed { dropPoster(row.id) }
    for id in diff.updated { showPoster(id) }
  }

  private func difference(to list: LiveList) -> ListDiff {
    // The store's ids are unique, so nothing is left out here.
    ListDiff(from: IdentifiedList(state.records), to: IdentifiedList(list.rows))
  }
}
