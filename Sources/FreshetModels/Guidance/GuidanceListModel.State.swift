import FreshetCatalog
import FreshetStore

/// Which guidances a list shows.
public enum GuidanceFilter: Sendable, Hashable {
  /// All of them.
  case all
  /// Those of one grade.
  case grade(Int)
  /// Those of one class.
  case classNumber(grade: Int, Int)

  /// Whether a guidance is shown.
  public func shows(_ guidance: Guidance) -> Bool {
    switch self {
    case .all: true
    case .grade(let grade): guidance.student.grade == grade
    case .classNumber(let grade, let number):
      guidance.student.grade == grade && guidance.student.classNumber == number
    }
  }

  /// The filter's stable name, as it stands in events.
  public var name: String {
    switch self {
    case .all: "all"
    case .grade: "myGrade"
    case .classNumber: "myClass"
    }
  }
}

extension GuidanceListModel {
  /// What the screen shows.
  public struct State: ScreenState {
    /// Where the screen is in its life.
    public enum Phase: ScreenPhase, Hashable {
      /// Nothing was asked yet.
      case idle
      /// The list is being fetched; the one of before is still shown.
      case loading
      /// The list is there.
      case loaded
      /// The user is asked whether to delete a guidance.
      case confirming(id: Int64)
      /// A guidance is being deleted; it is shown until the service has done it.
      case deleting(id: Int64)
      /// A guidance is being changed in another way.
      case changing(id: Int64)
      /// The last request failed; the list of before is still shown.
      case failed(ScreenError)

      /// The phase's stable name, as it stands in events.
      public var name: String {
        switch self {
        case .idle: "idle"
        case .loading: "loading"
        case .loaded: "loaded"
        case .confirming: "confirming"
        case .deleting: "deleting"
        case .changing: "changing"
        case .failed: "failed"
        }
      }
    }

    /// Where the screen is.
    public var phase: Phase = .idle
    /// Every open guidance, as the service last told.
    public internal(set) var master = IdentifiedList<Guidance>()
    /// Which of them are shown.
    public internal(set) var filter: GuidanceFilter

    /// What is asked while `confirming`: the student and the reason, one below the other.
    public internal(set) var question: String?

    /// What came during a request and waits for its end.
    var pending: [Event] = []
    /// The request whose answer counts.
    var request = 0
    /// What failed, to be tried again.
    var failed: Effect?

    /// The state before the first intent.
    public init(filter: GuidanceFilter = .all) { self.filter = filter }

    /// The guidances shown: always worked out of ``master`` and ``filter``, never kept.
    ///
    /// - Complexity: O(n).
    public var visible: IdentifiedList<Guidance> { master.filtered(filter.shows) }

    /// Whether there are guidances, but none that the filter shows.
    public var isEmptyForFilter: Bool { !master.isEmpty && visible.isEmpty }

    /// Whether no answer is waited for.
    public var isSettled: Bool { !phase.isAsking }

    /// The state as it stands in events.
    public var summary: JSONObject {
      var object: JSONObject = [
        "filter": .string(filter.name), "visible": JSONValue(visible.count),
        "master": JSONValue(master.count), "emptyForFilter": .bool(isEmptyForFilter),
        "question": JSONValue(text: question), "error": nil,
      ]
      switch filter {
      case .all: break
      case .grade(let grade): object["grade"] = JSONValue(grade)
      case .classNumber(let grade, let number):
        object["grade"] = JSONValue(grade)
        object["class"] = JSONValue(number)
      }
      switch phase {
      case .confirming(let id), .deleting(let id), .changing(let id):
        object["guidance"] = .number(JSONNumber(id))
      case .failed(let error): object["error"] = .object(error.summary)
      case .idle, .loading, .loaded: break
      }
      return object
    }
  }

  /// What happens to the screen: intents of its user, and answers of the service.
  public enum Event: Sendable {
    /// The screen comes into view, or its user wants it read again.
    case appear
    /// The user chooses which guidances are shown.
    case setFilter(GuidanceFilter)
    /// The user wants to delete a guidance, and is to be asked first.
    case requestDelete(id: Int64)
    /// The user wants it deleted.
    case confirm
    /// The user does not want it deleted.
    case cancel
    /// The user brings a deleted guidance back.
    case restore(id: Int64)
    /// The user marks a guidance as held.
    case complete(id: Int64)
    /// The user puts a guidance off.
    case delay(id: Int64, CalendarDay)
    /// The user tries again what failed.
    case retry
    /// The service answered `request` with its list.
    case answered(Result<[Guidance], GuidanceError>, request: Int)
    /// The list changed without a request from here.
    case changed([Guidance])
  }

  /// What the screen wants done; the answer comes back with the same number.
  public enum Effect: ScreenEffect {
    /// Fetch the list.
    case fetch(request: Int)
    /// Delete a guidance.
    case delete(id: Int64, request: Int)
    /// Bring one back.
    case restore(id: Int64, request: Int)
    /// Mark one as held.
    case complete(id: Int64, request: Int)
    /// Put one off.
    case delay(id: Int64, CalendarDay, request: Int)

    /// One request at a time.
    public var slot: String { "request" }
  }

  /// What made a transition.
  public enum Cause: String, Sendable, Hashable, CaseIterable {
    /// The screen came into view.
    case appear
    /// A list came.
    case fetched
    /// The user chose another filter.
    case setFilter
    /// The user wants to delete a guidance.
    case requestDelete
    /// The user confirmed.
    case confirm
    /// The user did not confirm.
    case cancel
    /// The service has deleted.
    case deleted
    /// The user changes a guidance.
    case change
    /// The service has changed it.
    case changed
    /// The service failed.
    case failure
    /// The user tries again.
    case retry
    /// The list changed without a request from here.
    case externalChange
  }

  /// What the screen says beside its states.
  public enum Notice: ScreenNotice {
    /// An answer that is no longer asked for was dropped.
    case staleIgnored
    /// The list is on its way already.
    case alreadyLoading
    /// No guidance shown has this number.
    case notFound(id: Int64)
    /// There is nothing to confirm, to call off or to try again.
    case nothingToDo
    /// The guidance to be confirmed is gone meanwhile.
    case goneMeanwhile(id: Int64)

    /// The notice's stable name.
    public var name: String {
      switch self {
      case .staleIgnored: "staleIgnored"
      case .alreadyLoading: "alreadyLoading"
      case .notFound: "notFound"
      case .nothingToDo: "nothingToDo"
      case .goneMeanwhile: "goneMeanwhile"
      }
    }

    /// The number it is about.
    public var details: JSONObject {
      switch self {
      case .notFound(let id), .goneMeanwhile(let id): ["guidance": .number(JSONNumber(id))]
      case .staleIgnored, .alreadyLoading, .nothingToDo: JSONObject()
      }
    }
  }

  /// The words of the question before a delete.
  public enum Question {
    /// Its title.
    public static let title = "정말 삭제하시겠습니까?"
    /// What calls it off.
    public static let cancel = "취소"
    /// What deletes.
    public static let delete = "삭제"
  }
}

extension Guidance: Identified {
  /// `guidance:` and its number.
  public var rowID: String { "guidance:\(id)" }
}

extension ScreenError {
  /// A guidance service's error as a screen shows it.
  public init(_ error: GuidanceError) {
    self.init(code: error.code.name, message: error.message, isRetryable: error.isRetryable)
  }
}
