import Freshet
import FreshetCatalog
import FreshetStore

/// The screen of one item: what it is, whether it is saved, its text to be folded, its download.
///
/// It follows the store, so it shows at once what another screen or another process does to the
/// item. The item comes from the store, else from the list it was chosen in, else from the
/// catalogue. Folding is kept in the store under the item's id.
public final class DetailModel: Sendable {
  private let runner: ScreenRunner<DetailModel>

  /// Makes a screen; nothing happens before it is opened.
  ///
  /// - Parameters:
  ///   - id: The item.
  ///   - manager: The store.
  ///   - catalog: Is asked for an item that the store does not hold; nil for nobody.
  ///   - downloader: Downloads the item; by default it loads the picture, where there is somebody
  ///     who does, and saves the item.
  ///   - assets: Loads pictures, the one that is shown among them; nil shows none.
  ///   - address: Where an item's picture is; nil when it has none.
  ///   - scheduler: Where requests are started, one at a time.
  public init(
    id: ItemID, manager: DatabaseManager, catalog: (any CatalogDetailing)? = nil,
    downloader: (any ItemDownloading)? = nil, assets: (any AssetLoading)? = nil,
    address: @escaping @Sendable (ContentItem) -> String? = { $0.thumbnail },
    scheduler: any Scheduler = ImmediateScheduler()
  ) {
    let downloader =
      downloader ?? StoreDownloader(manager: manager, assets: assets, address: address)
    let posterEffects = ImageModel.perform(assets) { Event.poster($0) }
    let foldEffects = SummaryModel.perform(FoldStore(manager: manager)) { Event.overview($0) }
    runner = ScreenRunner(
      State(id: id, address: assets.map { _ in address }), on: scheduler
    ) { effect, send in
      switch effect {
      case .observe(let query):
        return manager.observe(Self.query(of: id), from: .snapshot).subscribe(
          onValue: { send(.stored(Stored($0, of: id), query: query)) },
          onEnd: { end in
            switch end {
            case .finished: send(.queryEnded(nil, query: query))
            case .failed(let error): send(.queryEnded(error, query: query))
            }
          })
      case .find(let request):
        let missing = CatalogError(.notFound, "nobody knows \(id.text)")
        guard let catalog else {
          send(.found(.failure(missing), request: request))
          return nil
        }
        return catalog.detail(id: id).subscribeForAnswer(orElse: missing) {
          send(.found($0, request: request))
        }
      case .download(let item, let request):
        return downloader.download(item).mapToResult()
          .subscribe { send(.transferred($0, request: request)) }
      case .delete(let request):
        let missing = StoreError(.closed, "the store ended without an answer")
        return manager.delete(id: id.text).subscribeForAnswer(orElse: missing) {
          send(.deleted($0, request: request))
        }
      case .overview(let effect): return foldEffects(effect, send)
      case .poster(let effect): return posterEffects(effect, send)
      case .stopObserving, .stopDownload: return nil
      }
    }
  }

  deinit { runner.close() }

  /// What the store holds of an item: its record, and whether its text is folded.
  public static func query(of id: ItemID) -> Query {
    .ids(startingWithAny: [id.text, FoldStore.recordID(of: id.text)])
  }

  /// The screen comes into view, with the item where it is known from a list.
  public func open(_ item: ContentItem? = nil) { runner.send(.open(item)) }

  /// Downloads the item: saves it, with what belongs to it.
  public func download() { runner.send(.download) }

  /// Calls off the download.
  public func cancelDownload() { runner.send(.cancelDownload) }

  /// Deletes the item from the store.
  public func delete() { runner.send(.delete) }

  /// Folds or unfolds the text.
  public func toggleFold() { runner.send(.toggleFold) }

  /// Folds the text, unless that is so.
  public func fold() { runner.send(.setFold(true)) }

  /// Unfolds the text, unless that is so.
  public func unfold() { runner.send(.setFold(false)) }

  /// The user closes the screen; a save that runs comes to its end all the same.
  public func dismiss() { runner.send(.close) }

  /// Stops all work and finishes the flows; idempotent.
  public func close() { runner.close() }

  /// Every transition, from subscription on.
  public var transitions: AnyFlow<Transition<DetailModel>, Never> { runner.transitions }

  /// The current state, then every later one.
  public var states: AnyFlow<State, Never> { runner.states }

  /// What is said beside the states.
  public var notices: AnyFlow<Notice, Never> { runner.notices }

  /// The state after the last event.
  public var state: State { runner.state }

  /// The first state in which nothing waits and no answer is waited for.
  public func settled() -> Single<State, Never> { runner.settled() }
}
