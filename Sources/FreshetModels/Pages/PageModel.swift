import Freshet
import FreshetCatalog
import FreshetStore

/// The web page of a row's link: on its way, there, or not to be had.
///
/// A link that is missing or is none fails at once, and nothing is loaded. Opened for another link
/// it stops the one before, and shows nothing of it any more.
public final class PageModel: Sendable {
  private let runner: ScreenRunner<PageModel>

  /// Makes an empty screen.
  ///
  /// - Parameters:
  ///   - pages: Loads pages.
  ///   - scheduler: Where requests are started, one at a time.
  public init(pages: any PageLoading, scheduler: any Scheduler = ImmediateScheduler()) {
    runner = ScreenRunner(State(), on: scheduler) { effect, send in
      guard case .load(let link, let request) = effect else { return nil }
      return pages.page(link).subscribeForAnswer(
        orElse: CatalogError(.connectionLost, "the page ended without an answer")
      ) { send(.answered($0, request: request)) }
    }
  }

  deinit { runner.close() }

  /// Opens a link; nil for a row that has none.
  public func open(_ link: String?) { runner.send(.open(link)) }

  /// Loads again what failed.
  public func retry() { runner.send(.retry) }

  /// Leaves the page.
  public func leave() { runner.send(.leave) }

  /// Stops the request and finishes the flows; idempotent.
  public func close() { runner.close() }

  /// Every transition, from subscription on.
  public var transitions: AnyFlow<Transition<PageModel>, Never> { runner.transitions }

  /// The current state, then every later one.
  public var states: AnyFlow<State, Never> { runner.states }

  /// What is said beside the states.
  public var notices: AnyFlow<Notice, Never> { runner.notices }

  /// The state after the last event.
  public var state: State { runner.state }

  /// The first state in which nothing waits and no answer is waited for.
  public func settled() -> Single<State, Never> { runner.settled() }
}

extension PageModel {
  /// What the screen shows.
  public struct State: ScreenState {
    /// Where the page is.
    public enum Phase: ScreenPhase, Hashable {
      /// No page is open.
      case idle
      /// It is on its way.
      case loading
      /// It is there.
      case loaded
      /// It could not be had.
      case failed(ScreenError)

      /// The phase's stable name, as it stands in events.
      public var name: String {
        switch self {
        case .idle: "idle"
        case .loading: "loading"
        case .loaded: "loaded"
        case .failed: "failed"
        }
      }
    }

    /// Where the page is.
    public var phase: Phase = .idle
    /// The link that is open.
    public internal(set) var link: String?
    /// The page, once it is there.
    public internal(set) var page: WebPage?
    var request = 0

    /// A screen on which nothing is open.
    public init() {}

    /// Whether no answer is waited for.
    public var isSettled: Bool { phase != .loading }

    /// The state as it stands in events.
    public var summary: JSONObject {
      var object: JSONObject = [
        "link": JSONValue(text: link), "title": JSONValue(text: page?.title), "error": nil,
      ]
      if case .failed(let error) = phase { object["error"] = .object(error.summary) }
      return object
    }
  }

  /// What happens to the screen.
  public enum Event: Sendable {
    /// The user opens a link.
    case open(String?)
    /// The user asks again for what failed.
    case retry
    /// The user leaves the page.
    case leave
    /// The page came, or could not be had.
    case answered(Result<WebPage, CatalogError>, request: Int)
  }

  /// What the screen wants done.
  public enum Effect: ScreenEffect {
    /// Load a page.
    case load(String, request: Int)
    /// Stop loading.
    case stop

    /// One page at a time.
    public var slot: String { "page" }
    /// Whether it only stops.
    public var isStop: Bool { self == .stop }
  }

  /// What made a transition.
  public enum Cause: String, Sendable, Hashable, CaseIterable {
    /// The user opened a link.
    case open
    /// The page came.
    case loaded
    /// The page could not be had.
    case failure
    /// The user asked again.
    case retry
    /// The user left.
    case leave
  }

  /// What the screen says beside its states.
  public enum Notice: String, ScreenNotice {
    /// The page of before was dropped.
    case staleIgnored
    /// The page is on its way already.
    case alreadyLoading
    /// There is nothing to retry, or to leave.
    case nothingToDo
  }

  /// Why a row without a link shows no page.
  public static let noLink = ScreenError(
    code: "no_link", message: "there is no link to a page here")
}

extension PageModel: Screen {
  /// What an event does to a state; see the table in `docs/view-models.md`.
  ///
  /// Pure. O(length of the link).
  public static func reduce(_ state: State, _ event: Event) -> Step<PageModel> {
    var step = Step<PageModel>(state: state)
    step.take(event)
    return step
  }
}

extension Step<PageModel> {
  fileprivate mutating func take(_ event: PageModel.Event) {
    switch event {
    case .open(let link):
      if link == state.link, state.phase == .loading { return say(.alreadyLoading) }
      open(link)
    case .retry:
      guard case .failed = state.phase, let link = state.link else { return say(.nothingToDo) }
      load(link, .retry)
    case .leave:
      if state.phase == .idle { return say(.nothingToDo) }
      forget()
      state.link = nil
      move(to: .idle, .leave)
    case .answered(let result, let request):
      guard request == state.request, state.phase == .loading else { return say(.staleIgnored) }
      switch result {
      case .success(let page):
        state.page = page
        move(to: .loaded, .loaded)
      case .failure(let error): move(to: .failed(ScreenError(error)), .failure)
      }
    }
  }

  private mutating func open(_ link: String?) {
    let words = link?.trimmingWhiteSpace ?? ""
    // What is no address is no link either; who loads one says what is wrong with it.
    guard (try? WebAddress(parsing: words)) != nil else {
      forget()
      state.link = nil
      return move(to: .failed(PageModel.noLink), .open)
    }
    load(words, .open)
  }

  private mutating func load(_ link: String, _ cause: PageModel.Cause) {
    state.link = link
    state.page = nil
    state.request += 1
    want(.load(link, request: state.request))
    move(to: .loading, cause)
  }

  /// Nothing that is on its way counts any more.
  private mutating func forget() {
    state.page = nil
    state.request += 1
    want(.stop)
  }
}
