import FreshetCatalog
import FreshetStore

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
    /// The picture, once it is there.
    public internal(set) var picture: Picture?
    /// How many bytes are there, of how many where that is known.
    public internal(set) var progress: Transfer = .queued
    var request = 0

    /// An empty place.
    public init() {}

    /// Whether no answer is waited for.
    public var isSettled: Bool { phase != .loading }

    /// What brings this place to a picture's address, which may be none; nil when nothing does.
    ///
    /// The address that is shown is asked for again: one that could not be had may have been
    /// downloaded since.
    func event(showing wanted: String?) -> Event? {
      let wanted = wanted.flatMap { $0.isEmpty ? nil : $0 }
      return wanted == address ? wanted.map { .load($0) } : .reuse(wanted)
    }

    /// The state as it stands in events.
    public var summary: JSONObject {
      var object: JSONObject = [
        "state": .string(phase.name),
        "address": JSONValue(text: address.map { String($0.prefix { $0 != "?" }) }),
        "path": JSONValue(text: picture?.path), "error": nil,
      ]
      if let bytes = picture?.bytes { object["bytes"] = JSONValue(bytes.count) }
      if phase == .loading, case .downloading(let done, let total) = progress {
        object["done"] = JSONValue(done)
        object["total"] = JSONValue(total)
      }
      if case .failed(let error) = phase { object["error"] = .object(error.summary) }
      return object
    }
  }

  /// A picture that is kept.
  public struct Picture: Sendable, Hashable {
    /// Where it lies.
    public let path: String
    /// Its bytes; nil where only its place is known.
    public let bytes: [UInt8]?

    /// Makes it of its parts.
    public init(path: String, bytes: [UInt8]?) {
      self.path = path
      self.bytes = bytes
    }
  }

  /// What happens to the place.
  public enum Event: Sendable {
    /// A picture is to be shown.
    case load(String)
    /// Another picture is to be shown, or none.
    case reuse(String?)
    /// It was kept already.
    case cached(Picture, request: Int)
    /// It is not kept, and nobody is asked for it.
    case notKept(request: Int)
    /// It came further.
    case progress(doneBytes: Int, totalBytes: Int?, request: Int)
    /// It came, or could not be had.
    case loaded(Result<Picture, CatalogError>, request: Int)
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
    /// It is not kept, and nobody is asked for it.
    case notKept
    /// It came further.
    case progress
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
}
