import Freshet
import FreshetCatalog
import FreshetStore

/// The downloads screen: the saved items, live, with the pictures of those in view, and deletion.
///
/// Intents go in by method calls from any thread, states and transitions come out as flows. The
/// list is a projection of the store: every list shown is one that was committed, whoever committed
/// it. Events are taken one at a time in their order; flows are called on the thread that brought
/// the event, so a screen that must be told on a certain thread adds `observe(on:)`.
///
/// The model runs until it is released or closed; then its query stops and its flows finish. A
/// failure never ends the flows: it is a state, and `appear()` tries again.
public final class DownloadsModel: Sendable {
  private let runner: ScreenRunner<DownloadsModel>

  /// Makes a screen over a store; nothing happens before the first intent.
  ///
  /// - Parameters:
  ///   - manager: The store.
  ///   - query: Which items are shown.
  ///   - downloader: Downloads items; by default it loads the picture, where there is somebody who
  ///     does, and saves the item.
  ///   - assets: Loads the pictures of the rows in view; nil shows none.
  ///   - address: Where an item's picture is; nil when it has none.
  ///   - scheduler: Where requests to the store are started, one at a time.
  public init(
    manager: DatabaseManager, query: Query = .contents,
    downloader: (any ItemDownloading)? = nil, assets: (any AssetLoading)? = nil,
    address: @escaping @Sendable (ContentItem) -> String? = { $0.thumbnail },
    scheduler: any Scheduler = ImmediateScheduler()
  ) {
    let downloader =
      downloader ?? StoreDownloader(manager: manager, assets: assets, address: address)
    let addressOfRecord: @Sendable (Record) -> String? = { record in
      // A row that is no item has no picture.
      (try? ContentItem(parsing: record.body)).flatMap(address)
    }
    runner = ScreenRunner(
      State(address: assets.map { _ in addressOfRecord }), on: scheduler,
      Self.perform(manager, query, downloader, assets) { $0 })
  }

  /// What the screen's effects do to a store; `wrap` makes the answers events of another screen.
  static func perform<OtherEvent: Sendable>(
    _ manager: DatabaseManager, _ query: Query, _ downloader: (any ItemDownloading)?,
    _ assets: (any AssetLoading)?, _ wrap: @escaping @Sendable (Event) -> OtherEvent
  ) -> @Sendable (Effect, @escaping @Sendable (OtherEvent) -> Void) -> Disposable? {
    { effect, send in
      switch effect {
      case .poster(let id, let effect):
        ImageModel.perform(assets) { wrap(.poster(id: id, $0)) }(effect, send)
      case .observe(let number):
        manager.observe(query, from: .snapshot).subscribe(
          onValue: { send(wrap(.list($0, query: number))) },
          onEnd: { end in
            switch end {
            case .finished: send(wrap(.queryEnded(nil, query: number)))
            case .failed(let error): send(wrap(.queryEnded(error, query: number)))
            }
          })
      case .delete(let id, let request):
        manager.apply([.delete(id: id)]).mapToResult()
          .subscribe { send(wrap(.deleteAnswered($0, request: request))) }
      case .deleteAll(let request):
        manager.deleteAll(matching: query).mapToResult()
          .subscribe { send(wrap(.deleteAnswered($0, request: request))) }
      case .download(let item):
        downloader?.download(item).mapToResult()
          .subscribe { send(wrap(.transferred(id: item.id.text, $0))) }
      case .stopDownload: nil
      }
    }
  }

  deinit { runner.close() }

  // MARK: Intents

  /// The screen comes into view, or its user asks again after a failure.
  public func appear() { runner.send(.appear) }

  /// Deletes an item; the list changes once the store has committed that.
  public func delete(id: String) { runner.send(.delete(id: id)) }

  /// Deletes everything the screen shows; the list changes once the store has committed that.
  public func deleteAll() { runner.send(.deleteAll) }

  /// Downloads an item; its progress is in ``State/transfers``.
  public func download(_ item: ContentItem) { runner.send(.download(item)) }

  /// Calls off a download.
  public func cancelDownload(id: String) { runner.send(.cancelDownload(id: id)) }

  /// The row of an item comes into view: its picture is shown, in ``State/posters``.
  public func rowAppeared(id: String) { runner.send(.rowAppeared(id: id)) }

  /// The row of an item goes out of view: its picture is let go.
  public func rowDisappeared(id: String) { runner.send(.rowDisappeared(id: id)) }

  /// Stops all work and finishes the flows; idempotent.
  public func close() { runner.close() }

  // MARK: Outputs

  /// Every transition, from subscription on; finishes when the model is closed.
  public var transitions: AnyFlow<Transition<DownloadsModel>, Never> { runner.transitions }

  /// The current state, then every later one; finishes when the model is closed.
  public var states: AnyFlow<State, Never> { runner.states }

  /// The events that led to nothing, and why; finishes when the model is closed.
  public var notices: AnyFlow<Notice, Never> { runner.notices }

  /// The state after the last event.
  public var state: State { runner.state }

  /// The first state in which nothing waits and no answer is waited for.
  public func settled() -> Single<State, Never> { runner.settled() }
}
