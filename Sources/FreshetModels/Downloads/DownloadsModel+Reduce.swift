import FreshetStore

extension DownloadsModel {
  /// What an event does to a state.
  ///
  /// Pure: no clock, no store, no lock. O(1) per event, plus O(n) for n items when lists were
  /// passed over during a delete.
  public static func reduce(_ state: State, _ event: Event) -> Step {
    var step = Step(state: state)
    step.take(event)
    return step
  }
}

extension DownloadsModel.Step {
  fileprivate typealias Event = DownloadsModel.Event
  fileprivate typealias Cause = DownloadsModel.Cause
  fileprivate typealias Phase = DownloadsModel.State.Phase

  fileprivate mutating func take(_ event: Event) {
    switch event {
    case .appear: appear()
    case .delete(let id): delete(id)
    case .list(let list, let query):
      guard query == state.query else { return ignored.append(.stale) }
      takeList(list)
    case .queryEnded(let error, let query):
      guard query == state.query else { return ignored.append(.stale) }
      queryEnded(error)
    case .deleteAnswered(let result, let request):
      guard request == state.request, case .deleting = state.phase, state.awaited == nil else {
        return ignored.append(.stale)
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
    case .loading, .loaded, .empty: ignored.append(.alreadyShown)
    case .deleting: state.pending.append(.appear)
    }
  }

  private mutating func load() {
    state.query += 1
    state.isLive = true
    effects.append(.observe(query: state.query))
    move(to: .loading, .appear)
  }

  /// After a failed delete the list is still live: asking again just shows it.
  private mutating func takeShown() {
    move(to: shown, .appear)
  }

  private mutating func delete(_ id: String) {
    switch state.phase {
    case .idle: ignored.append(.notShown)
    case .failed where !state.isLive: ignored.append(.notShown)
    case .loading, .deleting: state.pending.append(.delete(id: id))
    case .loaded, .empty, .failed:
      state.request += 1
      state.awaited = nil
      effects.append(.delete(id: id, request: state.request))
      move(to: .deleting(id: id), .delete)
    }
  }

  // MARK: Answers

  private mutating func takeList(_ list: LiveList) {
    switch state.phase {
    case .idle: ignored.append(.stale)
    case .loading:
      show(list, diff: difference(to: list), .fetched)
      takePending()
    case .loaded, .empty, .failed:
      show(list, diff: list.isInitial ? difference(to: list) : list.diff, .externalChange)
    case .deleting:
      guard let awaited = state.awaited, list.token.revision >= awaited else {
        state.pending.append(.list(list, query: state.query))
        return
      }
      settle(with: list)
    }
  }

  private mutating func queryEnded(_ error: StoreError?) {
    if case .deleting = state.phase, state.awaited == nil {
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

  /// Gives what waited its turn, until something makes the rest wait again.
  private mutating func takePending() {
    var waiting = state.pending[...]
    state.pending = []
    while let event = waiting.popFirst() {
      take(event)
      if case .deleting = state.phase, !waiting.isEmpty {
        state.pending.append(contentsOf: waiting)
        return
      }
    }
  }

  // MARK: Moving

  private var shown: Phase { state.records.isEmpty ? .empty : .loaded }

  private mutating func show(_ list: LiveList, diff: ListDiff, _ cause: Cause) {
    state.records = list.records
    state.revision = list.token.revision
    move(to: shown, cause, diff)
  }

  private mutating func move(to phase: Phase, _ cause: Cause, _ diff: ListDiff = ListDiff()) {
    let from = state.phase
    state.phase = phase
    transitions.append(
      DownloadsModel.Transition(from: from, to: phase, cause: cause, state: state, diff: diff))
  }

  private func difference(to list: LiveList) -> ListDiff {
    ListDiff(from: state.records, to: list.records)
  }
}

extension ListDiff {
  /// How one list of the store became another, lists that may lie several commits apart.
  ///
  /// O(n).
  init(from old: [Record], to new: [Record]) {
    self.init()
    var places: [String: Int] = [:]
    for (index, record) in old.enumerated() { places[record.id] = index }
    for (index, record) in new.enumerated() {
      guard let place = places.removeValue(forKey: record.id) else {
        inserted.append(Row(id: record.id, index: index))
        continue
      }
      // Lists are ordered by first insertion, so a row moves only when it was inserted anew.
      if old[place].created != record.created {
        moved.append(Move(id: record.id, from: place, to: index))
      }
      if old[place].body != record.body { updated.append(record.id) }
    }
    removed = old.enumerated().compactMap { index, record in
      places[record.id] == index ? Row(id: record.id, index: index) : nil
    }
  }
}
