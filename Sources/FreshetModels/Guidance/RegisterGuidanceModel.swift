import Freshet
import FreshetCatalog

/// The screen that registers a guidance for one student.
///
/// 기타 asks for a detail first; an empty one is none. While the request is on its way further taps
/// do nothing, so nothing is registered twice. The record shown in the end is the service's.
public final class RegisterGuidanceModel: Sendable {
  private let runner: ScreenRunner<RegisterGuidanceModel>

  /// Makes a screen over a service; nothing happens before the first intent.
  ///
  /// - Parameters:
  ///   - service: The guidances.
  ///   - studentID: Who is guided.
  ///   - scheduler: Where requests are started, one at a time.
  public init(
    service: any GuidanceService, studentID: Int64,
    scheduler: any Scheduler = ImmediateScheduler()
  ) {
    runner = ScreenRunner(State(studentID: studentID), on: scheduler) { effect, send in
      guard case .register(let draft, let request) = effect else { return nil }
      return service.register(draft).subscribeForAnswer(
        orElse: GuidanceError(.badResponse, "the request ended without an answer")
      ) { send(.answered($0, request: request)) }
    }
  }

  deinit { runner.close() }

  /// Chooses a reason; 기타 without a detail asks for one.
  public func choose(_ reason: GuidanceReason) { runner.send(.choose(reason)) }

  /// Says what 기타 is.
  public func enter(detail: String) { runner.send(.detail(detail)) }

  /// Goes back to the reasons.
  public func cancel() { runner.send(.cancel) }

  /// Closes the alert: says ``Notice/backToStart``.
  public func acknowledge() { runner.send(.ok) }

  /// Tries again what failed.
  public func retry() { runner.send(.retry) }

  /// Stops the request and finishes the flows; idempotent.
  public func close() { runner.close() }

  /// Every transition, from subscription on.
  public var transitions: AnyFlow<Transition<RegisterGuidanceModel>, Never> { runner.transitions }

  /// The current state, then every later one.
  public var states: AnyFlow<State, Never> { runner.states }

  /// What is said beside the states.
  public var notices: AnyFlow<Notice, Never> { runner.notices }

  /// The state after the last event.
  public var state: State { runner.state }

  /// The first state in which nothing waits and no answer is waited for.
  public func settled() -> Single<State, Never> { runner.settled() }
}

extension RegisterGuidanceModel: Screen {
  /// What an event does to a state; see the table in `docs/view-models.md`.
  ///
  /// Pure. O(1).
  public static func reduce(_ state: State, _ event: Event) -> Step<RegisterGuidanceModel> {
    var step = Step<RegisterGuidanceModel>(state: state)
    step.take(event)
    return step
  }
}

extension Step<RegisterGuidanceModel> {
  fileprivate mutating func take(_ event: RegisterGuidanceModel.Event) {
    switch (state.phase, event) {
    case (.ready, .choose(let reason)), (.failed, .choose(let reason)): choose(reason)
    case (.enteringDetail, .detail(let text)): enter(text)
    case (.enteringDetail, .cancel), (.failed, .cancel):
      state.draft = nil
      move(to: .ready, .cancel)
    case (.submitting, .answered(let result, let request)):
      guard request == state.request else { return say(.staleIgnored) }
      switch result {
      case .success(let guidance): move(to: .registered(guidance), .registered)
      case .failure(let error): move(to: .failed(ScreenError(error)), .failure)
      }
    case (.failed, .retry):
      guard let draft = state.draft else { return say(.nothingToDo) }
      submit(draft, .retry)
    case (.registered, .ok):
      state.draft = nil
      move(to: .ready, .ok)
      say(.backToStart)
    case (.submitting, .choose), (.submitting, .detail), (.submitting, .retry):
      say(.alreadySubmitting)
    case (_, .answered): say(.staleIgnored)
    default: say(.nothingToDo)
    }
  }

  private mutating func choose(_ reason: GuidanceReason) {
    if case .others(nil) = reason { return move(to: .enteringDetail, .choose) }
    do throws(GuidanceError) {
      if case .unlisted(let title) = reason { _ = try GuidanceReason(chosen: title, detail: nil) }
      let complete = try reason.with(detail: reason.detail)
      submit(GuidanceDraft(studentID: state.studentID, reason: complete), .choose)
    } catch {
      if error.code == .detailRequired {
        move(to: .enteringDetail, .choose)
        say(.detailRequired)
      } else {
        say(.refused(ScreenError(error)))
      }
    }
  }

  private mutating func enter(_ text: String) {
    let detail = text.trimmingWhiteSpace
    if detail.isEmpty { return say(.detailRequired) }
    do throws(GuidanceError) {
      let reason = try GuidanceReason.others(detail: nil).with(detail: detail)
      submit(GuidanceDraft(studentID: state.studentID, reason: reason), .detail)
    } catch {
      say(.refused(ScreenError(error)))
    }
  }

  private mutating func submit(_ draft: GuidanceDraft, _ cause: RegisterGuidanceModel.Cause) {
    state.draft = draft
    state.request += 1
    want(.register(draft, request: state.request))
    move(to: .submitting, cause)
  }
}
