import FreshetCatalog
import FreshetStore

extension GuidanceListModel: Screen {
  /// What an event does to a state; see the table in `docs/view-models.md`.
  ///
  /// Pure. O(n) for n guidances.
  public static func reduce(_ state: State, _ event: Event) -> Step<GuidanceListModel> {
    var step = Step<GuidanceListModel>(state: state)
    step.take(event)
    return step
  }
}

extension Step<GuidanceListModel> {
  fileprivate typealias Effect = GuidanceListModel.Effect

  fileprivate mutating func take(_ event: GuidanceListModel.Event) {
    switch event {
    case .appear: appear(event)
    case .setFilter(let filter): setFilter(filter)
    case .requestDelete(let id): requestDelete(id)
    case .confirm: confirm()
    case .cancel: cancel()
    case .restore(let id): change(id, event) { .restore(id: id, request: $0) }
    case .complete(let id): change(id, event) { .complete(id: id, request: $0) }
    case .delay(let id, let date): change(id, event) { .delay(id: id, date, request: $0) }
    case .retry: retry()
    case .answered(let result, let request):
      guard request == state.request, state.phase.isAsking else { return say(.staleIgnored) }
      answered(result)
    case .changed(let guidances): changed(guidances)
    }
  }

  // MARK: Intents

  private mutating func appear(_ event: GuidanceListModel.Event) {
    switch state.phase {
    case .loading: say(.alreadyLoading)
    case .deleting, .changing: wait(event)
    case .idle, .loaded, .confirming, .failed:
      state.question = nil
      ask { .fetch(request: $0) }
      move(to: .loading, .appear)
    }
  }

  private mutating func setFilter(_ filter: GuidanceFilter) {
    let before = state.visible
    state.filter = filter
    move(to: state.phase, .setFilter, ListDiff(from: before, to: state.visible))
  }

  private mutating func requestDelete(_ id: Int64) {
    switch state.phase {
    case .loaded, .failed:
      guard let guidance = state.visible.row(id: "guidance:\(id)") else {
        return say(.notFound(id: id))
      }
      state.question = guidance.toldMessage
      move(to: .confirming(id: id), .requestDelete)
    case .loading, .deleting, .changing: wait(.requestDelete(id: id))
    case .idle, .confirming: say(.nothingToDo)
    }
  }

  private mutating func confirm() {
    guard case .confirming(let id) = state.phase else { return say(.nothingToDo) }
    state.question = nil
    ask { .delete(id: id, request: $0) }
    move(to: .deleting(id: id), .confirm)
  }

  private mutating func cancel() {
    guard case .confirming = state.phase else { return say(.nothingToDo) }
    state.question = nil
    move(to: .loaded, .cancel)
  }

  private mutating func change(
    _ id: Int64, _ event: GuidanceListModel.Event, _ effect: (Int) -> Effect
  ) {
    switch state.phase {
    case .loaded, .failed:
      ask(effect)
      move(to: .changing(id: id), .change)
    case .loading, .deleting, .changing: wait(event)
    case .idle, .confirming: say(.nothingToDo)
    }
  }

  private mutating func retry() {
    guard case .failed = state.phase, let failed = state.failed else { return say(.nothingToDo) }
    ask { failed.asked(again: $0) }
    move(to: failed.phase, .retry)
  }

  // MARK: Answers

  private mutating func answered(_ result: Result<[Guidance], GuidanceError>) {
    switch result {
    case .success(let guidances):
      let cause: GuidanceListModel.Cause =
        switch state.phase {
        case .deleting: .deleted
        case .changing: .changed
        case .idle, .loading, .loaded, .confirming, .failed: .fetched
        }
      state.failed = nil
      show(guidances, cause)
    case .failure(let error):
      move(to: .failed(ScreenError(error)), .failure)
    }
    takePending()
  }

  private mutating func changed(_ guidances: [Guidance]) {
    switch state.phase {
    case .idle: say(.staleIgnored)
    // Whether it is older or newer than the answer on its way, nobody knows: the list is read anew.
    case .loading, .deleting, .changing: wait(.appear)
    case .confirming(let id):
      if guidances.contains(where: { $0.id == id }) {
        show(guidances, .externalChange, in: state.phase)
      } else {
        state.question = nil
        show(guidances, .externalChange)
        say(.goneMeanwhile(id: id))
      }
    case .loaded, .failed: show(guidances, .externalChange)
    }
  }

  // MARK: Pieces

  private mutating func ask(_ effect: (Int) -> Effect) {
    state.request += 1
    let effect = effect(state.request)
    state.failed = effect
    want(effect)
  }

  private mutating func wait(_ event: GuidanceListModel.Event) { state.pending.append(event) }

  private mutating func show(
    _ guidances: [Guidance], _ cause: GuidanceListModel.Cause,
    in phase: GuidanceListModel.State.Phase = .loaded
  ) {
    let before = state.visible
    state.master = IdentifiedList(guidances)
    move(to: phase, cause, ListDiff(from: before, to: state.visible))
  }

  /// Gives what waited its turn; what must wait again does so in its order.
  private mutating func takePending() {
    let waiting = state.pending
    state.pending = []
    for event in waiting { take(event) }
  }
}

extension GuidanceListModel.State.Phase {
  /// Whether an answer is waited for.
  public var isAsking: Bool {
    switch self {
    case .loading, .deleting, .changing: true
    case .idle, .loaded, .confirming, .failed: false
    }
  }
}

extension GuidanceListModel.Effect {
  fileprivate func asked(again request: Int) -> GuidanceListModel.Effect {
    switch self {
    case .fetch: .fetch(request: request)
    case .delete(let id, _): .delete(id: id, request: request)
    case .restore(let id, _): .restore(id: id, request: request)
    case .complete(let id, _): .complete(id: id, request: request)
    case .delay(let id, let date, _): .delay(id: id, date, request: request)
    }
  }

  fileprivate var phase: GuidanceListModel.State.Phase {
    switch self {
    case .fetch: .loading
    case .delete(let id, _): .deleting(id: id)
    case .restore(let id, _), .complete(let id, _), .delay(let id, _, _): .changing(id: id)
    }
  }
}
