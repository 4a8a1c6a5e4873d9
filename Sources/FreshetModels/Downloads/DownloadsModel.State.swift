import FreshetCatalog
import FreshetStore

extension DownloadsModel {
  /// What the screen shows.
  public struct State: ScreenState {
    /// Where the screen is in its life.
    public enum Phase: ScreenPhase {
      /// Nothing was asked yet.
      case idle
      /// The list is being fetched; items of before are still shown.
      case loading
      /// There are items.
      case loaded
      /// The store was asked and holds nothing.
      case empty
      /// One item is being deleted; it is shown until the store has committed that.
      case deleting(id: String)
      /// All items are being deleted; they are shown until the store has committed that.
      case deletingAll
      /// The last request failed; items of before are still shown.
      case failed(StoreError)

      /// The phase's stable name, as it stands in events.
      public var name: String {
        switch self {
        case .idle: "idle"
        case .loading: "loading"
        case .loaded: "loaded"
        case .empty: "empty"
        case .deleting: "deleting"
        case .deletingAll: "deletingAll"
        case .failed: "failed"
        }
      }

      /// Whether a delete waits for its commit.
      var isDeleting: Bool {
        switch self {
        case .deleting, .deletingAll: true
        case .idle, .loading, .loaded, .empty, .failed: false
        }
      }
    }

    /// Where the screen is.
    public var phase: Phase = .idle
    /// The items, in the order of their insertion: always the list of one commit.
    public internal(set) var records = RecordList()
    /// The commit the list is of; nil before the first answer.
    public internal(set) var revision: Int64?
    /// How far the downloads have come that were begun here, by item; one that is done stays until
    /// the next begins.
    public internal(set) var transfers: [String: Transfer] = [:]

    /// The pictures of the rows that are in view, by item.
    public internal(set) var posters: [String: ImageModel.State] = [:]

    /// Where a record's picture is; nil where none are shown.
    let address: (@Sendable (Record) -> String?)?
    /// What came during a load or a delete and waits for its end.
    var pending: [Event] = []
    /// The live query whose answers count.
    var query = 0
    /// Whether that query still runs.
    var isLive = false
    /// The delete whose answer counts.
    var request = 0
    /// The commit of that delete, once it is known; the list of it is still to come.
    var awaited: Int64?

    /// The state before the first intent.
    ///
    /// - Parameter address: Where a record's picture is; without it none are shown.
    public init(address: (@Sendable (Record) -> String?)? = nil) { self.address = address }

    /// Whether no answer is waited for and no download is on its way.
    public var isSettled: Bool {
      if case .loading = phase { return false }
      return !phase.isDeleting && !transfers.values.contains(where: \.isRunning)
    }

    /// The state as it stands in events.
    public var summary: JSONObject {
      var object: JSONObject = [
        "count": JSONValue(records.count), "deleting": nil, "error": nil,
      ]
      if case .deleting(let id) = phase { object["deleting"] = .string(id) }
      if case .failed(let error) = phase { object["error"] = .object(ScreenError(error).summary) }
      if !transfers.isEmpty { object["transfers"] = Self.rows(transfers.mapValues(\.summary)) }
      if !posters.isEmpty { object["posters"] = Self.rows(posters.mapValues(\.summary)) }
      return object
    }

    private static func rows(_ summaries: [String: JSONObject]) -> JSONValue {
      .array(
        summaries.sorted { $0.key < $1.key }.map { id, summary in
          var row: JSONObject = ["id": .string(id)]
          for member in summary.members { row[member.key] = member.value }
          return .object(row)
        })
    }
  }

  /// What happens to the screen: intents of its user, and answers of the store.
  public enum Event: Sendable {
    /// The screen comes into view, or its user asks again after a failure.
    case appear
    /// The user deletes an item.
    case delete(id: String)
    /// The user deletes everything.
    case deleteAll
    /// The user downloads an item.
    case download(ContentItem)
    /// The user calls off a download.
    case cancelDownload(id: String)
    /// The row of an item comes into view.
    case rowAppeared(id: String)
    /// The row of an item goes out of view.
    case rowDisappeared(id: String)
    /// Something happened to the picture of a row.
    case poster(id: String, ImageModel.Event)
    /// The live query `query` has a list.
    case list(LiveList, query: Int)
    /// The live query `query` ended; nil when it just finished.
    case queryEnded(StoreError?, query: Int)
    /// The delete `request` has its answer.
    case deleteAnswered(Result<CommitReceipt, StoreError>, request: Int)
    /// The download of an item came a step further, or failed.
    case transferred(id: String, Result<DownloadStep, ScreenError>)
  }

  /// What the screen wants done; the answer comes back as an event with the same number.
  public enum Effect: ScreenEffect {
    /// Follow the list from its current state on, in place of an earlier query.
    case observe(query: Int)
    /// Delete an item.
    case delete(id: String, request: Int)
    /// Delete everything.
    case deleteAll(request: Int)
    /// Download an item.
    case download(ContentItem)
    /// Stop the download of an item.
    case stopDownload(id: String)
    /// What the picture of a row wants done.
    case poster(id: String, ImageModel.Effect)

    /// The query, the delete, each download and each picture are a slot of their own.
    public var slot: String {
      switch self {
      case .observe: "query"
      case .delete, .deleteAll: "delete"
      case .download(let item): "download " + item.id.text
      case .stopDownload(let id): "download " + id
      case .poster(let id, _): "poster " + id
      }
    }

    /// Whether it only stops.
    public var isStop: Bool {
      switch self {
      case .stopDownload: true
      case .poster(_, let effect): effect.isStop
      case .observe, .delete, .deleteAll, .download: false
      }
    }
  }

  /// What made a transition.
  public enum Cause: String, Sendable, Hashable, CaseIterable {
    /// The screen came into view.
    case appear
    /// The first list arrived.
    case fetched
    /// The user asked to delete an item.
    case delete
    /// The user asked to delete everything.
    case deleteAll
    /// The store answered a delete: it is committed, or there was nothing to delete.
    case deleted
    /// The store could not delete.
    case deleteFailed
    /// The store changed.
    case externalChange
    /// The live query failed.
    case queryFailed
    /// A download began.
    case download
    /// A download came further.
    case progress
    /// A download is done; the list shows it with the store's commit.
    case downloaded
    /// A download failed or was called off.
    case downloadFailed
    /// The picture of a row is looked for, came further, came, or could not be had.
    case poster
  }

  /// Why an event led to nothing.
  public enum Notice: String, ScreenNotice {
    /// It answers a request that is no longer current.
    case stale = "staleIgnored"
    /// The list is on its way or live already.
    case alreadyShown
    /// No list is shown, so there is nothing to delete from.
    case notShown
    /// The item is being downloaded already.
    case alreadyDownloading
    /// No download of the item is on its way.
    case notDownloading
    /// The list has no such row, or pictures are not shown.
    case noRow
  }
}

extension Transition<DownloadsModel> {
  /// The commit the list is of; nil before the first answer.
  public var revision: Int64? { state.revision }
}
