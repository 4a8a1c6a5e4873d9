import Freshet
import FreshetCatalog
import FreshetModels
import FreshetStore

/// The guidance screens, run intent by intent to the end of each, with every step told.
///
/// Commands and scripts use it alike; it is used by the main thread.
final class GuidanceScreen {
  private let session: Session
  private let service: any GuidanceService
  private let model: GuidanceListModel
  private let teller: ViewTeller
  private var tokens: [Disposable] = []
  private var hasAppeared = false

  init(_ session: Session, service: any GuidanceService, filter: GuidanceFilter) {
    self.session = session
    self.service = service
    model = GuidanceListModel(service: service, filter: filter)
    teller = ViewTeller(session.output, .guidance)
    tokens = teller.follow(model.transitions, model.notices)
  }

  deinit { model.close() }

  /// Reads the list, anew each time.
  func read(_ correlation: String?) throws(Stop) -> Result<GuidanceListModel.State, Problem> {
    teller.begin(correlation)
    model.appear()
    hasAppeared = true
    return Self.outcome(try session.settled(model.settled()))
  }

  /// Chooses which guidances are shown.
  func setFilter(_ filter: GuidanceFilter, _ correlation: String?) throws(Stop) {
    teller.begin(correlation)
    model.setFilter(filter)
    _ = try session.settled(model.settled())
  }

  /// Makes a change and answers with the guidance's id in events.
  ///
  /// - Parameters:
  ///   - isQuiet: Whether the steps are not told.
  ///   - confirm: Asked before a delete, with the guidance's student and reason.
  ///   - detail: Asked for the detail of 기타 where the draft has none; nil where nobody can be.
  func make(
    _ change: GuidanceChange, _ correlation: String?, isQuiet: Bool = false,
    confirm: (String) throws(Stop) -> Bool, detail: (() throws(Stop) -> String)? = nil
  ) throws(Stop) -> Result<String, Problem> {
    teller.isMuted = isQuiet
    defer { teller.isMuted = false }
    if case .register(let draft) = change {
      return try register(draft, correlation, isQuiet, detail)
    }
    if !hasAppeared, case .failure(let problem) = try read(correlation) { return .failure(problem) }
    teller.begin(correlation)
    switch change {
    case .register: break
    case .delete(let id):
      model.requestDelete(id: id)
      let asked = try session.settled(model.settled())
      guard case .confirming = asked.phase else {
        return .failure(Problem(.noGuidance(id, asked.filter)))
      }
      guard try confirm(asked.question ?? "") else {
        model.cancel()
        _ = try session.settled(model.settled())
        return .failure(
          Problem(
            code: "needs_confirmation",
            message: "guidance \(id) was not deleted, as nobody confirmed it (--yes)"))
      }
      model.confirm()
    case .restore(let id): model.restore(id: id)
    case .complete(let id): model.complete(id: id)
    case .delay(let id, let date): model.delay(id: id, to: date)
    }
    let id = "guidance:\(change.id ?? 0)"
    return Self.outcome(try session.settled(model.settled())).map { _ in id }
  }

  private func register(
    _ draft: GuidanceDraft, _ correlation: String?, _ isQuiet: Bool,
    _ ask: (() throws(Stop) -> String)?
  ) throws(Stop) -> Result<String, Problem> {
    let screen = RegisterGuidanceModel(service: service, studentID: draft.studentID)
    let teller = ViewTeller(session.output, .register)
    teller.isMuted = isQuiet
    teller.begin(correlation)
    let tokens = teller.follow(screen.transitions, screen.notices)
    defer { for token in tokens { token.dispose() } }
    if case .others(let detail?) = draft.reason {
      // As on the screen: the reason first, then what it is.
      screen.choose(.others(detail: nil))
      screen.enter(detail: detail)
    } else {
      screen.choose(draft.reason)
    }
    var state = try session.settled(screen.settled())
    if case .enteringDetail = state.phase, let ask {
      let detail = try ask()
      do {
        _ = try draft.reason.with(detail: detail)
      } catch {
        screen.cancel()
        return .failure(Problem(error))
      }
      screen.enter(detail: detail)
      state = try session.settled(screen.settled())
    }
    switch state.phase {
    case .registered(let guidance):
      screen.acknowledge()
      if hasAppeared { _ = try read(correlation) }
      return .success(guidance.rowID)
    case .failed(let error): return .failure(Problem(error))
    case .ready, .enteringDetail, .submitting:
      return .failure(Problem(code: "detail_required", message: "기타 needs a detail"))
    }
  }

  private static func outcome(
    _ state: GuidanceListModel.State
  ) -> Result<GuidanceListModel.State, Problem> {
    if case .failed(let error) = state.phase { return .failure(Problem(error)) }
    return .success(state)
  }
}

extension ScreenError {
  fileprivate static func noGuidance(_ id: Int64, _ filter: GuidanceFilter) -> ScreenError {
    ScreenError(
      code: "not_found",
      message: filter == .all
        ? "there is no open guidance \(id)"
        : "there is no open guidance \(id) that the filter \(filter.name) shows")
  }
}
