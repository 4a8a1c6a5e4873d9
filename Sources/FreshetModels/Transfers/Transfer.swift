import Freshet
import FreshetCatalog
import FreshetStore

/// How far the download of one item has come.
public enum Transfer: Sendable, Hashable {
  /// It waits, or no byte has come yet.
  case queued
  /// So many bytes of the picture are there, of so many where that is known.
  case downloading(doneBytes: Int, totalBytes: Int?)
  /// The item is saved, the picture is kept.
  case done
  /// It failed; nothing was saved.
  case failed(ScreenError)

  /// Whether it is still on its way.
  public var isRunning: Bool {
    switch self {
    case .queued, .downloading: true
    case .done, .failed: false
    }
  }

  /// The state as it stands in events.
  public var summary: JSONObject {
    switch self {
    case .queued: ["state": "queued"]
    case .downloading(let done, let total):
      ["state": "downloading", "done": JSONValue(done), "total": JSONValue(total)]
    case .done: ["state": "done"]
    case .failed(let error): ["state": "failed", "error": .object(error.summary)]
    }
  }
}

/// One step of a download.
public enum DownloadStep: Sendable, Hashable {
  /// So many bytes are there, of so many where that is known.
  case progress(doneBytes: Int, totalBytes: Int?)
  /// The item is saved: the last step.
  case saved(Outcome)
}

/// Downloads items: fetches what belongs to one and saves it.
public protocol ItemDownloading: Sendable {
  /// Downloads an item with each subscription.
  ///
  /// The flow sends progress, then `saved` as its last value, and finishes. The item is saved after
  /// its picture is whole, so that what is saved is all there. Disposed of before that, nothing is
  /// saved. It fails with the error of the picture or of the store.
  func download(_ item: ContentItem) -> AnyFlow<DownloadStep, ScreenError>
}

/// Saves items into a store, with their pictures where there is somebody to load them.
public struct StoreDownloader: ItemDownloading {
  private let manager: DatabaseManager
  private let assets: (any AssetLoading)?
  private let address: @Sendable (ContentItem) -> String?

  /// Makes a downloader.
  ///
  /// - Parameters:
  ///   - manager: The store.
  ///   - assets: Loads pictures; nil leaves them out.
  ///   - address: Where an item's picture is; nil when it has none.
  public init(
    manager: DatabaseManager, assets: (any AssetLoading)? = nil,
    address: @escaping @Sendable (ContentItem) -> String? = { $0.thumbnail }
  ) {
    self.manager = manager
    self.assets = assets
    self.address = address
  }

  /// See ``ItemDownloading``.
  public func download(_ item: ContentItem) -> AnyFlow<DownloadStep, ScreenError> {
    let save = manager.save(id: item.id.text, body: item.jsonBytes)
      .map { DownloadStep.saved($0) }
      .mapFailure { ScreenError($0) }
    guard let assets, let address = address(item), !address.isEmpty else { return save.erased() }
    return assets.load(address)
      .mapFailure { ScreenError($0) }
      .compactMap { event in
        if case .progress(let done, let total) = event {
          DownloadStep.progress(doneBytes: done, totalBytes: total)
        } else {
          nil
        }
      }
      .concat(save)
      .erased()
  }
}
