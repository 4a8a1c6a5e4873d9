import FreshetCatalog
import FreshetStore

extension ImageModel: Screen {
  /// What an event does to a state; see the table in `docs/view-models.md`.
  ///
  /// Pure. O(1).
  public static func reduce(_ state: State, _ event: Event) -> Step<ImageModel> {
    var step = Step<ImageModel>(state: state)
    step.take(event)
    return step
  }
}

extension Step<ImageModel> {
  fileprivate mutating func take(_ event: ImageModel.Event) {
    switch event {
    case .load(let address):
      if address == state.address, state.phase.holdsPicture { return say(.alreadyShown) }
      look(for: address, .load)
    case .reuse(let address):
      if address == state.address, state.phase.holdsPicture { return say(.alreadyShown) }
      look(for: address, .reuse)
    case .cached(let picture, let request):
      guard request == state.request, state.phase == .loading else { return say(.staleIgnored) }
      state.picture = picture
      move(to: .cached, .hit)
    case .notKept(let request):
      guard request == state.request, state.phase == .loading else { return say(.staleIgnored) }
      move(to: .idle, .notKept)
    case .progress(let done, let total, let request):
      guard request == state.request, state.phase == .loading else { return say(.staleIgnored) }
      state.progress = .downloading(doneBytes: done, totalBytes: total)
      move(to: .loading, .progress)
    case .loaded(let result, let request):
      guard request == state.request, state.phase == .loading else { return say(.staleIgnored) }
      switch result {
      case .success(let picture):
        state.picture = picture
        state.progress = .done
        move(to: .loaded, .loaded)
      case .failure(let error): move(to: .failed(ScreenError(error)), .failure)
      }
    }
  }

  private mutating func look(for address: String?, _ cause: ImageModel.Cause) {
    state.request += 1
    state.picture = nil
    state.progress = .queued
    state.address = address.flatMap { $0.isEmpty ? nil : $0 }
    guard let address = state.address else {
      want(.stop)
      move(to: .idle, cause)
      return say(.noAddress)
    }
    want(.look(address, request: state.request))
    move(to: .loading, cause)
  }
}

extension ImageModel.State.Phase {
  fileprivate var holdsPicture: Bool {
    switch self {
    case .loading, .cached, .loaded: true
    case .idle, .failed: false
    }
  }
}
