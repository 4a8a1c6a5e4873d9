import Freshet
import FreshetCatalog
import FreshetStore

/// The screen with the open guidances: a filter, and changes that ask the service.
///
/// What is shown is worked out of the service's last list and the filter, so a delete under a filter
/// shows at once and the filter stays. A delete asks first. Every change ends with the list that the
/// service answers; intents during a request wait for its end, in order.
public final class GuidanceListModel: Sendable {
  private let runner: ScreenRunner<GuidanceListModel>

  /// Makes a screen over a service; nothing happens before the first intent.
  ///
  /// - Parameters:
  ///   - service: The guidances.
  ///   - filter: Which are shown at first.
  ///   - scheduler: Where requests are started, one at a time.
  public init(
    service: any GuidanceService, filter: GuidanceFilter = .all,
    scheduler: any Scheduler = ImmediateScheduler()
  ) {
    runner = ScreenRunner(State(filter: filter), on: scheduler) { effect, send in
      let (answer, request): (Single<[Guidance], GuidanceError>, Int) =
        switch effect {
        case .fetch(let request): (service.guidances(), request)
        case .delete(let id, let request): (service.delete(id: id), request)
        case .restore(let id, let request): (service.restore(id: id), request)
        case .complete(let id, let request): (service.complete(id: id), request)
        case .delay(let id, let date, let request): (service.delay(id: id, to: date), request)
        }
      return answer.subscribeForAnswer(
        orElse: GuidanceError(.badResponse, "the request ended without an answer")
      ) { send(.answered($0, request: request)) }
    }
  }

  deinit { runner.close() }

  /// The screen comes into view, or is to be read again.
  public func appear() { runner.send(.appear) }

  /// Chooses which guidances are shown; nothing is asked.
  public func setFilter(_ filter: GuidanceFilter) { runner.send(.setFilter(filter)) }

  /// Asks whether to delete a guidance.
  public func requestDelete(id: Int64) { runner.send(.requestDelete(id: id)) }

  /// Deletes the guidance in question.
  public func confirm() { runner.send(.confirm) }

  /// Leaves the guidance in question.
  public func cancel() { runner.send(.cancel) }

  /// Brings a deleted guidance back.
  public func restore(id: Int64) { runner.send(.restore(id: id)) }

  /// Marks a guidance as held.
  public func complete(id: Int64) { runner.send(.complete(id: id)) }

  /// Puts a guidance off to a day.
  public func delay(id: Int64, to date: CalendarDay) { runner.send(.delay(id: id, date)) }

  /// Tries again what failed.
  public func retry() { runner.send(.retry) }

  /// Shows a list that came without being asked for.
  public func show(_ guidances: [Guidance]) { runner.send(.changed(guidances)) }

  /// Stops all work and finishes the flows; idempotent.
  public func close() { runner.close() }

  /// Every transition, from subscription on.
  public var transitions: AnyFlow<Transition<GuidanceListModel>, Never> { runner.transitions }

  /// The current state, then every later one.
  public var states: AnyFlow<State, Never> { runner.states }

  /// What is said beside the states.
  public var notices: AnyFlow<Notice, Never> { runner.notices }

  /// The state after the last event.
  public var state: State { runner.state }

  /// The first state in which nothing waits and no answer is waited for.
  public func settled() -> Single<State, Never> { runner.settled() }
}
