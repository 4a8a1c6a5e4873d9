import FreshetCatalog
import FreshetStore

extension DetailModel {
  /// What the screen shows.
  public struct State: ScreenState {
    /// Where the screen is in its life.
    public enum Phase: ScreenPhase, Hashable {
      /// It was not opened yet.
      case idle
      /// The item is being looked for.
      case loading
      /// The item is shown.
      case shown
      /// The item is being downloaded.
      case saving
      /// The item is being deleted from the store.
      case deleting
      /// Nobody knows the item.
      case missing
      /// The item could not be looked for.
      case failed(ScreenError)
      /// The screen was closed.
      case dismissed

      /// The phase's stable name, as it stands in events.
      public var name: String {
        switch self {
        case .idle: "idle"
        case .loading: "loading"
        case .shown: "shown"
        case .saving: "saving"
        case .deleting: "deleting"
        case .missing: "missing"
        case .failed: "failed"
        case .dismissed: "dismissed"
        }
      }
    }

    /// The item's id.
    public let id: ItemID
    /// Where the screen is.
    public var phase: Phase = .idle
    /// The item; nil before it was found.
    public internal(set) var item: ContentItem?
    /// Whether the store holds it.
    public internal(set) var isSaved = false
    /// The item's text, as far as it is shown.
    public internal(set) var overview = SummaryModel.State()
    /// How far the download has come; nil when none was begun.
    public internal(set) var transfer: Transfer?
    /// The item's picture; empty where nobody loads pictures.
    public internal(set) var poster = ImageModel.State()
    /// Why the last download or delete failed; the item stays shown.
    public internal(set) var error: ScreenError?

    /// Intents that wait for the item to be found.
    var pending: [Event] = []
    /// The live query and the other request whose answers count.
    var query = 0
    var request = 0

    /// Where an item's picture is; nil where none is shown.
    let address: (@Sendable (ContentItem) -> String?)?

    /// The state before the first intent.
    ///
    /// - Parameter address: Where an item's picture is; without it none is shown.
    public init(id: ItemID, address: (@Sendable (ContentItem) -> String?)? = nil) {
      self.id = id
      self.address = address
    }

    /// Whether no answer is waited for.
    public var isSettled: Bool {
      ![.loading, .saving, .deleting].contains(phase) && overview.isSettled && poster.isSettled
    }

    /// The state as it stands in events.
    public var summary: JSONObject {
      var object: JSONObject = [
        "item": .string(id.text), "title": JSONValue(text: item?.title),
        "saved": .bool(isSaved), "fold": JSONValue(text: item.map { _ in overview.fold.name }),
        "button": JSONValue(text: overview.fold.button), "error": nil,
      ]
      if let transfer { object["transfer"] = .object(transfer.summary) }
      if poster.address != nil { object["poster"] = .object(poster.summary) }
      if let error { object["error"] = .object(error.summary) }
      if case .failed(let error) = phase { object["error"] = .object(error.summary) }
      return object
    }
  }

  /// What the store has of an item.
  public struct Stored: Sendable, Hashable {
    /// The saved item; nil when it is not saved.
    public let item: ContentItem?
    /// Whether its text is folded.
    public let isFolded: Bool

    /// Makes it from its parts.
    public init(item: ContentItem?, isFolded: Bool) {
      self.item = item
      self.isFolded = isFolded
    }

    /// Reads it from a list of the store.
    init(_ list: LiveList, of id: ItemID) {
      let record = list.rows.first { $0.id == id.text }
      // A saved item is one that could be read; should it not be, its name at least is known.
      item = record.map { (try? ContentItem(parsing: $0.body)) ?? ContentItem(id: id) }
      let fold = FoldStore.recordID(of: id.text)
      isFolded = list.rows.contains { $0.id == fold }
    }
  }

  /// What happens to the screen: intents of its user, and answers.
  public enum Event: Sendable {
    /// The screen comes into view, with the item where it is known from a list.
    case open(ContentItem?)
    /// The user downloads the item.
    case download
    /// The user calls off the download.
    case cancelDownload
    /// The user deletes the item from the store.
    case delete
    /// The user taps the button that folds.
    case toggleFold
    /// The user wants the text folded or not.
    case setFold(Bool)
    /// The user closes the screen.
    case close
    /// The store has this of the item.
    case stored(Stored, query: Int)
    /// The live query ended; nil when it just finished.
    case queryEnded(StoreError?, query: Int)
    /// The catalogue answered.
    case found(Result<ContentItem, CatalogError>, request: Int)
    /// The download came a step further, or failed.
    case transferred(Result<DownloadStep, ScreenError>, request: Int)
    /// The store answered the delete.
    case deleted(Result<Outcome, StoreError>, request: Int)
    /// Something happened to the text beneath.
    case overview(SummaryModel.Event)
    /// Something happened to the picture beneath.
    case poster(ImageModel.Event)
  }

  /// What the screen wants done.
  public enum Effect: ScreenEffect {
    /// Follow what the store has of the item.
    case observe(query: Int)
    /// Stop following.
    case stopObserving
    /// Ask the catalogue for the item.
    case find(request: Int)
    /// Download the item.
    case download(ContentItem, request: Int)
    /// Stop the download.
    case stopDownload
    /// Delete the item.
    case delete(request: Int)
    /// What the text beneath wants done.
    case overview(SummaryModel.Effect)
    /// What the picture beneath wants done.
    case poster(ImageModel.Effect)

    /// Each kind of work is a slot of its own.
    public var slot: String {
      switch self {
      case .observe, .stopObserving: "query"
      case .find: "find"
      case .download, .stopDownload: "download"
      case .delete: "delete"
      case .overview(let effect): effect.slot
      case .poster(let effect): effect.slot
      }
    }

    /// Whether it only stops.
    public var isStop: Bool {
      switch self {
      case .stopObserving, .stopDownload: true
      case .poster(let effect): effect.isStop
      case .observe, .find, .download, .delete, .overview: false
      }
    }
  }

  /// What made a transition.
  public enum Cause: String, Sendable, Hashable, CaseIterable {
    /// The screen came into view.
    case open
    /// The item was found.
    case found
    /// Nobody knows the item.
    case notFound
    /// The item could not be looked for.
    case failure
    /// The user downloads it.
    case download
    /// The download came further.
    case progress
    /// It is saved.
    case saved
    /// It could not be downloaded.
    case downloadFailed
    /// The user called off the download.
    case cancel
    /// The user deletes it.
    case delete
    /// It is deleted.
    case deleted
    /// It could not be deleted.
    case deleteFailed
    /// Its text was folded.
    case fold
    /// Its text was unfolded.
    case unfold
    /// The item's picture is looked for, came further, came, or could not be had.
    case poster
    /// The store changed.
    case externalChange
    /// The user closed the screen.
    case close
  }

  /// What the screen says beside its states.
  public enum Notice: ScreenNotice {
    /// The item was saved: said once per save that wrote.
    case savedOnce
    /// It was saved before; there is no second row.
    case alreadySaved
    /// It is on its way already.
    case alreadySaving
    /// It is not saved.
    case notSaved
    /// There is nothing to do here.
    case nothingToDo
    /// An answer that is no longer asked for was dropped.
    case staleIgnored
    /// The text beneath says so.
    case overview(SummaryModel.Notice)

    /// The notice's stable name.
    public var name: String {
      switch self {
      case .savedOnce: "savedOnce"
      case .alreadySaved: "alreadySaved"
      case .alreadySaving: "alreadySaving"
      case .notSaved: "notSaved"
      case .nothingToDo: "nothingToDo"
      case .staleIgnored: "staleIgnored"
      case .overview(let notice): notice.name
      }
    }

    /// What belongs to it.
    public var details: JSONObject {
      if case .overview(let notice) = self { notice.details } else { JSONObject() }
    }
  }
}
