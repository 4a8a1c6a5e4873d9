import FreshetStore

extension DownloadsModel {
  /// What the screen shows.
  public struct State: Sendable {
    /// Where the screen is in its life.
    public enum Phase: Sendable {
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
        case .failed: "failed"
        }
      }
    }

    /// Where the screen is.
    public internal(set) var phase: Phase = .idle
    /// The items, in the order of their insertion: always the list of one commit.
    public internal(set) var records: [Record] = []
    /// The commit the list is of; nil before the first answer.
    public internal(set) var revision: Int64?

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
    public init() {}
  }

  /// What happens to the screen: intents of its user, and answers of the store.
  public enum Event: Sendable {
    /// The screen comes into view, or its user asks again after a failure.
    case appear
    /// The user deletes an item.
    case delete(id: String)
    /// The live query `query` has a list.
    case list(LiveList, query: Int)
    /// The live query `query` ended; nil when it just finished.
    case queryEnded(StoreError?, query: Int)
    /// The delete `request` has its answer.
    case deleteAnswered(Result<CommitReceipt, StoreError>, request: Int)
  }

  /// What the screen wants done; the answer comes back as an event with the same number.
  public enum Effect: Sendable, Hashable {
    /// Follow the list from its current state on, in place of an earlier query.
    case observe(query: Int)
    /// Delete an item.
    case delete(id: String, request: Int)
  }

  /// What made a transition.
  public enum Cause: String, Sendable, Hashable {
    /// The screen came into view.
    case appear
    /// The first list arrived.
    case fetched
    /// The user asked to delete an item.
    case delete
    /// The store answered a delete: it is committed, or there was nothing to delete.
    case deleted
    /// The store could not delete.
    case deleteFailed
    /// The store changed.
    case externalChange
    /// The live query failed.
    case queryFailed
  }

  /// One step of the screen, as a value.
  public struct Transition: Sendable {
    /// The phase before.
    public let from: State.Phase
    /// The phase after.
    public let to: State.Phase
    /// What made it.
    public let cause: Cause
    /// The state after.
    public let state: State
    /// How the list changed.
    public let diff: ListDiff
    /// The commit the list is of; nil before the first answer.
    public var revision: Int64? { state.revision }
  }

  /// Why an event led to nothing.
  public enum Ignored: String, Sendable, Hashable {
    /// It answers a request that is no longer current.
    case stale
    /// The list is on its way or live already.
    case alreadyShown
    /// No list is shown, so there is nothing to delete from.
    case notShown
  }

  /// What one event leads to.
  public struct Step: Sendable {
    /// The state after.
    public internal(set) var state: State
    /// The transitions, in order; more than one when queued events got their turn.
    public internal(set) var transitions: [Transition] = []
    /// What is to be done.
    public internal(set) var effects: [Effect] = []
    /// What led to nothing, and why.
    public internal(set) var ignored: [Ignored] = []

    package init(
      state: State, transitions: [Transition] = [], effects: [Effect] = [],
      ignored: [Ignored] = []
    ) {
      self.state = state
      self.transitions = transitions
      self.effects = effects
      self.ignored = ignored
    }
  }
}
