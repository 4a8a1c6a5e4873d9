import Freshet
import FreshetCatalog
import FreshetStore

/// A place on screen that shows one picture at a time.
///
/// Reused for another address it shows that one and never the one before: what still comes of it
/// goes to the cache alone. Two places that load one address share one request.
public final class ImageModel: Sendable {
  private let runner: ScreenRunner<ImageModel>

  /// Makes an empty place.
  ///
  /// - Parameters:
  ///   - assets: Loads pictures and keeps them.
  ///   - scheduler: Where requests are started, one at a time.
  public init(assets: any AssetLoading, scheduler: any Scheduler = ImmediateScheduler()) {
    runner = ScreenRunner(State(), on: scheduler) { effect, send in
      switch effect {
      case .look(let address, let request):
        if case .done(_, let bytes)? = assets.cached(address) {
          send(.cached(bytes, request: request))
          return nil
        }
        return assets.load(address).mapToResult().subscribe { result in
          switch result {
          case .success(.progress(let done, let total)):
            send(.progress(doneBytes: done, totalBytes: total, request: request))
          case .success(.done(_, let bytes)): send(.loaded(.success(bytes), request: request))
          case .failure(let error): send(.loaded(.failure(error), request: request))
          }
        }
      case .stop: return nil
      }
    }
  }

  deinit { runner.close() }

  /// Shows the picture at an address; one that is shown or on its way already is left alone.
  public func load(_ address: String) { runner.send(.load(address)) }

  /// Shows another picture, and nothing that still comes of the one before.
  public func reuse(_ address: String?) { runner.send(.reuse(address)) }

  /// Stops the request and finishes the flows; idempotent.
  public func close() { runner.close() }

  /// Every transition, from subscription on.
  public var transitions: AnyFlow<Transition<ImageModel>, Never> { runner.transitions }

  /// The current state, then every later one.
  public var states: AnyFlow<State, Never> { runner.states }

  /// What is said beside the states.
  public var notices: AnyFlow<Notice, Never> { runner.notices }

  /// The state after the last event.
  public var state: State { runner.state }

  /// The first state in which nothing waits and no answer is waited for.
  public func settled() -> Single<State, Never> { runner.settled() }
}

extension ImageModel {
  /// What the place shows.
  public struct State: ScreenState {
    /// Where the picture is.
    public enum Phase: ScreenPhase, Hashable {
      /// No picture is asked for.
      case idle
      /// It is on its way.
      case loading
      /// It was kept, and is shown without a request.
      case cached
      /// It came, and is shown.
      case loaded
      /// It could not be had.
      case failed(ScreenError)

      /// The phase's stable name, as it stands in events.
      public var name: String {
        switch self {
        case .idle: "idle"
        case .loading: "loading"
        case .cached: "cached"
        case .loaded: "loaded"
        case .failed: "failed"
        }
      }
    }

    /// Where the picture is.
    public var phase: Phase = .idle
    /// The address asked for.
    public internal(set) var address: String?
    /// The picture's bytes, once they are there.
    public internal(set) var bytes: [UInt8]?
    /// How many bytes are there, of how many where that is known.
    public internal(set) var progress: Transfer = .queued
    var request = 0

    /// An empty place.
    public init() {}

    /// Whether no answer is waited for.
    public var isSettled: Bool { phase != .loading }

    /// The state as it stands in events.
    public var summary: JSONObject {
      var object: JSONObject = [
        "address": JSONValue(text: address.map { String($0.prefix { $0 != "?" }) }),
        "bytes": JSONValue(bytes?.count), "error": nil,
      ]
      if case .failed(let error) = phase { object["error"] = .object(error.summary) }
      return object
    }
  }

  /// What happens to the place.
  public enum Event: Sendable {
    /// A picture is to be shown.
    case load(String)
    /// Another picture is to be shown, or none.
    case reuse(String?)
    /// It was kept already.
    case cached([UInt8], request: Int)
    /// It came further.
    case progress(doneBytes: Int, totalBytes: Int?, request: Int)
    /// It came, or could not be had.
    case loaded(Result<[UInt8], CatalogError>, request: Int)
  }

  /// What the place wants done.
  public enum Effect: ScreenEffect {
    /// Look for a picture, in the cache first.
    case look(String, request: Int)
    /// Stop listening for the one before.
    case stop

    /// One picture at a time.
    public var slot: String { "picture" }
    /// Whether it only stops.
    public var isStop: Bool { self == .stop }
  }

  /// What made a transition.
  public enum Cause: String, Sendable, Hashable, CaseIterable {
    /// A picture is to be shown.
    case load
    /// Another picture is to be shown, or none.
    case reuse
    /// It was kept already.
    case hit
    /// It came.
    case loaded
    /// It could not be had.
    case failure
  }

  /// What the place says beside its states.
  public enum Notice: String, ScreenNotice {
    /// The picture of before was dropped.
    case staleIgnored
    /// The picture is shown or on its way already.
    case alreadyShown
    /// There is no address.
    case noAddress
  }

  /// What an event does to a state; see the table in `docs/view-models.md`.
  ///
  /// Pure. O(1).
  public static func reduce(_ state: State, _ event: Event) -> Step<ImageModel> {
    var step = Step<ImageModel>(state: state)
    step.take(event)
    return step
  }
}

extension ImageModel: Screen {}

extension Step<ImageModel> {
  fileprivate mutating func take(_ event: ImageModel.Event) {
    switch event {
    case .load(let address):
      if address == state.address, state.phase.holdsPicture { return say(.alreadyShown) }
      look(for: address, .load)
    case .reuse(let address):
      if address == state.address, state.phase.holdsPicture { return say(.alreadyShown) }
      look(for: address, .reuse)
    case .cached(let bytes, let request):
      guard request == state.request, state.phase == .loading else { return say(.staleIgnored) }
      state.bytes = bytes
      move(to: .cached, .hit)
    case .progress(let done, let total, let request):
      guard request == state.request, state.phase == .loading else { return say(.staleIgnored) }
      state.progress = .downloading(doneBytes: done, totalBytes: total)
    case .loaded(let result, let request):
      guard request == state.request, state.phase == .loading else { return say(.staleIgnored) }
      switch result {
      case .success(let bytes):
        state.bytes = bytes
        state.progress = .done
        move(to: .loaded, .loaded)
      case .failure(let error): move(to: .failed(ScreenError(error)), .failure)
      }
    }
  }

  private mutating func look(for address: String?, _ cause: ImageModel.Cause) {
    state.request += 1
    state.bytes = nil
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
