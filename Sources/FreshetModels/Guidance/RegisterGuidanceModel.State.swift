import FreshetCatalog
import FreshetStore

extension RegisterGuidanceModel {
  /// What the screen shows.
  public struct State: ScreenState {
    /// Where the screen is in its life.
    public enum Phase: ScreenPhase, Hashable {
      /// A student is chosen; a reason is to be.
      case ready
      /// 기타 was chosen; what it is, is to be said.
      case enteringDetail
      /// The guidance is on its way to the service; further taps do nothing.
      case submitting
      /// The service has kept it, as this record.
      case registered(Guidance)
      /// The service refused or could not be reached.
      case failed(ScreenError)

      /// The phase's stable name, as it stands in events.
      public var name: String {
        switch self {
        case .ready: "ready"
        case .enteringDetail: "enteringDetail"
        case .submitting: "submitting"
        case .registered: "registered"
        case .failed: "failed"
        }
      }
    }

    /// Who is guided.
    public let studentID: Int64
    /// Where the screen is.
    public var phase: Phase = .ready

    /// What was submitted, to be tried again.
    public internal(set) var draft: GuidanceDraft?
    /// The request whose answer counts.
    var request = 0

    /// The state before the first intent.
    public init(studentID: Int64) { self.studentID = studentID }

    /// The message of the alert after registering: the server's record, not what was typed.
    public var message: String? {
      if case .registered(let guidance) = phase { guidance.message } else { nil }
    }

    /// Whether no answer is waited for.
    public var isSettled: Bool { phase != .submitting }

    /// The state as it stands in events.
    public var summary: JSONObject {
      var object: JSONObject = [
        "student": .number(JSONNumber(studentID)), "reason": JSONValue(text: draft?.reason.title),
        "detail": JSONValue(text: draft?.reason.detail), "guidance": nil, "message": nil,
        "error": nil,
      ]
      if case .registered(let guidance) = phase {
        object["guidance"] = .object(guidance.told)
        object["message"] = .string(guidance.toldMessage)
      }
      if case .failed(let error) = phase { object["error"] = .object(error.summary) }
      return object
    }
  }

  /// What happens to the screen: intents of its user, and the service's answer.
  public enum Event: Sendable {
    /// The user chooses a reason; 기타 may come with its detail.
    case choose(GuidanceReason)
    /// The user says what 기타 is.
    case detail(String)
    /// The user goes back to the reasons.
    case cancel
    /// The user closes the alert.
    case ok
    /// The user tries again what failed.
    case retry
    /// The service answered `request`.
    case answered(Result<Guidance, GuidanceError>, request: Int)
  }

  /// What the screen wants done.
  public enum Effect: ScreenEffect {
    /// Register a guidance.
    case register(GuidanceDraft, request: Int)

    /// One request at a time.
    public var slot: String { "request" }
  }

  /// What made a transition.
  public enum Cause: String, Sendable, Hashable, CaseIterable {
    /// The user chose a reason.
    case choose
    /// The user said what 기타 is.
    case detail
    /// The user went back.
    case cancel
    /// The service has kept it.
    case registered
    /// The service refused or could not be reached.
    case failure
    /// The user tries again.
    case retry
    /// The user closed the alert.
    case ok
  }

  /// What the screen says beside its states.
  public enum Notice: ScreenNotice {
    /// 기타 needs a detail.
    case detailRequired
    /// What was chosen cannot be registered, and why.
    case refused(ScreenError)
    /// A request is on its way; a second tap does nothing.
    case alreadySubmitting
    /// An answer that is no longer asked for was dropped.
    case staleIgnored
    /// There is nothing to do here.
    case nothingToDo
    /// The choice of grades is to be shown.
    case backToStart

    /// The notice's stable name.
    public var name: String {
      switch self {
      case .detailRequired: "detailRequired"
      case .refused: "refused"
      case .alreadySubmitting: "alreadySubmitting"
      case .staleIgnored: "staleIgnored"
      case .nothingToDo: "nothingToDo"
      case .backToStart: "backToStart"
      }
    }

    /// Why.
    public var details: JSONObject {
      if case .refused(let error) = self { ["error": .object(error.summary)] } else { JSONObject() }
    }
  }

  /// The title of the alert after registering.
  public static let registeredTitle = "등록 완료"
}
