import Freshet
import FreshetCatalog
import FreshetStore

/// The search screen: results of one catalogue, page by page.
///
/// Typing is taken as a query when it pauses; a new query stops the request before it, and an
/// answer that comes all the same is dropped and reported as `staleIgnored`. Results of the query
/// before stay visible, marked stale, until the first page of the new one is there. A failure keeps
/// what is shown, and `retry()` goes on at the page that failed.
///
/// Intents go in by method calls from any thread; the flows are called on the thread that brought
/// the event, and finish when the model is closed or let go.
public final class SearchModel: Sendable {
  private let runner: ScreenRunner<SearchModel>

  /// Makes a screen over a catalogue; nothing happens before the first intent.
  ///
  /// - Parameters:
  ///   - catalog: The catalogue.
  ///   - rules: What is special about it; where they name no refusal, the catalogue's own counts.
  ///   - scheduler: Measures the pauses in typing.
  public init(
    catalog: any CatalogSearching, rules: Rules = Rules(), scheduler: any TimeScheduler
  ) {
    var rules = rules
    if rules.refusal == nil { rules.refusal = catalog.refusal.map(ScreenError.init) }
    runner = ScreenRunner(State(rules: rules), on: ImmediateScheduler()) { effect, send in
      switch effect {
      case .waitForPause(let text, let typing, let pause):
        Timer(after: pause, on: scheduler).subscribe { send(.typingPaused(text, typing: typing)) }
      case .ask(let page, let request):
        catalog.page(page).subscribeForAnswer(
          orElse: CatalogError(.connectionLost, "the request ended without an answer")
        ) { send(.answered($0, request: request)) }
      case .stopWaiting, .stopAsking: nil
      }
    }
  }

  deinit { runner.close() }

  /// The user types; a pause submits what is there.
  public func type(_ text: String) { runner.send(.type(text)) }

  /// Asks for a query at once.
  public func submit(_ query: String) { runner.send(.submit(query)) }

  /// The last row came into view: asks for the next page unless one is on its way.
  public func reachedEnd() { runner.send(.reachedEnd) }

  /// Asks again for the page that failed.
  public func retry() { runner.send(.retry) }

  /// Calls off what is on its way; what was shown before stays.
  public func cancel() { runner.send(.cancel) }

  /// Empties the screen.
  public func clear() { runner.send(.clear) }

  /// Opens a result: says ``Notice/showDetail(id:)``.
  public func select(id: String) { runner.send(.select(id: id)) }

  /// Stops all work and finishes the flows; idempotent.
  public func close() { runner.close() }

  /// Every transition, from subscription on.
  public var transitions: AnyFlow<Transition<SearchModel>, Never> { runner.transitions }

  /// The current state, then every later one.
  public var states: AnyFlow<State, Never> { runner.states }

  /// What is said beside the states.
  public var notices: AnyFlow<Notice, Never> { runner.notices }

  /// The state after the last event.
  public var state: State { runner.state }

  /// The first state in which nothing waits and no answer is waited for.
  public func settled() -> Single<State, Never> { runner.settled() }
}
