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
    runner = ScreenRunner(State(), on: scheduler, Self.perform(assets) { $0 })
  }

  /// What the place's effects do; `wrap` makes the answers events of another screen.
  static func perform<OtherEvent: Sendable>(
    _ assets: (any AssetLoading)?, _ wrap: @escaping @Sendable (Event) -> OtherEvent
  ) -> @Sendable (Effect, @escaping @Sendable (OtherEvent) -> Void) -> Disposable? {
    { effect, send in
      guard case .look(let address, let request) = effect else { return nil }
      guard let assets else {
        send(wrap(.notKept(request: request)))
        return nil
      }
      if case .done(let path, let bytes)? = assets.cached(address) {
        send(wrap(.cached(Picture(path: path, bytes: bytes), request: request)))
        return nil
      }
      return assets.load(address).mapToResult().subscribe { result in
        switch result {
        case .success(.progress(let done, let total)):
          send(wrap(.progress(doneBytes: done, totalBytes: total, request: request)))
        case .success(.done(let path, let bytes)):
          send(wrap(.loaded(.success(Picture(path: path, bytes: bytes)), request: request)))
        case .failure(let error): send(wrap(.loaded(.failure(error), request: request)))
        }
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
