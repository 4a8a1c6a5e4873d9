import Freshet
import FreshetCatalog
import FreshetStore

/// A long text that can be folded: a book's summary, a film's overview.
///
/// Folding is kept first and shown then; when it cannot be kept, the screen stays as it is and says
/// `notPersisted`. Configuring shows what is kept of the text and writes nothing.
public final class SummaryModel: Sendable {
  private let runner: ScreenRunner<SummaryModel>

  /// Makes a screen over a store's folds; nothing happens before it is configured.
  ///
  /// - Parameters:
  ///   - folds: Where folds are kept.
  ///   - scheduler: Where requests to the store are started, one at a time.
  public init(folds: FoldStore, scheduler: any Scheduler = ImmediateScheduler()) {
    runner = ScreenRunner(State(), on: scheduler, Self.perform(folds) { $0 })
  }

  deinit { runner.close() }

  /// Shows a text, as it was folded last.
  public func configure(key: String, text: String) { runner.send(.configure(key: key, text: text)) }

  /// Folds or unfolds.
  public func toggle() { runner.send(.toggle) }

  /// Folds, unless that is so.
  public func fold() { runner.send(.set(isFolded: true)) }

  /// Unfolds, unless that is so.
  public func unfold() { runner.send(.set(isFolded: false)) }

  /// Stops all work and finishes the flows; idempotent.
  public func close() { runner.close() }

  /// Every transition, from subscription on.
  public var transitions: AnyFlow<Transition<SummaryModel>, Never> { runner.transitions }

  /// The current state, then every later one.
  public var states: AnyFlow<State, Never> { runner.states }

  /// What is said beside the states.
  public var notices: AnyFlow<Notice, Never> { runner.notices }

  /// The state after the last event.
  public var state: State { runner.state }

  /// The first state in which nothing waits and no answer is waited for.
  public func settled() -> Single<State, Never> { runner.settled() }

  static func perform<OtherEvent: Sendable>(
    _ folds: FoldStore, _ wrap: @escaping @Sendable (Event) -> OtherEvent
  ) -> @Sendable (Effect, @escaping @Sendable (OtherEvent) -> Void) -> Disposable? {
    { effect, send in
      let missing = StoreError(.closed, "the store ended without an answer")
      switch effect {
      case .read(let key, let request):
        return folds.isFolded(key).subscribeForAnswer(orElse: missing) {
          send(wrap(.read($0, request: request)))
        }
      case .write(let key, let isFolded, let request):
        return folds.set(key, isFolded: isFolded).map { _ in isFolded }
          .subscribeForAnswer(orElse: missing) { send(wrap(.written($0, request: request))) }
      }
    }
  }
}

extension SummaryModel {
  /// What the screen shows.
  public struct State: ScreenState {
    /// Where the screen is.
    public enum Phase: ScreenPhase, Hashable {
      /// No text is to be shown.
      case idle
      /// It is being looked up how the text was folded last; it is shown whole.
      case configuring
      /// The text is shown, so much of it.
      case shown(TextFold)

      /// The phase's stable name: `short`, `folded` or `expanded` where a text is shown.
      public var name: String {
        switch self {
        case .idle: "idle"
        case .configuring: "configuring"
        case .shown(let fold): fold.name
        }
      }
    }

    /// Where the screen is.
    public var phase: Phase = .idle
    /// What the fold is kept under.
    public internal(set) var key = ""
    /// The whole text.
    public internal(set) var text = ""

    /// The request whose answer counts, and whether it is a write.
    var request = 0
    var isWriting = false
    /// Intents that wait for the write on its way.
    var pending: [Event] = []

    /// The state before the first intent.
    public init() {}

    /// How much is shown; a text that is being looked up is shown whole.
    public var fold: TextFold {
      if case .shown(let fold) = phase { fold } else { TextFold(of: text, isFolded: false) }
    }

    /// What is shown of the text.
    public var shownText: String { fold.shown(of: text) }

    /// Whether no answer is waited for.
    public var isSettled: Bool { phase != .configuring && !isWriting }

    /// The state as it stands in events.
    public var summary: JSONObject {
      [
        "key": .string(key), "button": JSONValue(text: fold.button),
        "characters": JSONValue(text.count), "shown": JSONValue(shownText.count),
      ]
    }
  }

  /// What happens to the screen.
  public enum Event: Sendable {
    /// A text is to be shown.
    case configure(key: String, text: String)
    /// The user taps the button.
    case toggle
    /// The user wants it folded or not.
    case set(isFolded: Bool)
    /// The store says whether it is folded.
    case read(Result<Bool, StoreError>, request: Int)
    /// The store has kept it.
    case written(Result<Bool, StoreError>, request: Int)
    /// Somebody else folded or unfolded the text.
    case changed(isFolded: Bool)
  }

  /// What the screen wants done.
  public enum Effect: ScreenEffect {
    /// Look up whether a text is folded.
    case read(key: String, request: Int)
    /// Keep whether it is folded.
    case write(key: String, isFolded: Bool, request: Int)

    /// One request at a time.
    public var slot: String { "fold" }
  }

  /// What made a transition.
  public enum Cause: String, Sendable, Hashable, CaseIterable {
    /// A text is to be shown.
    case configure
    /// The store said how it was folded last.
    case read
    /// It was folded by the user, and that is kept.
    case fold
    /// It was unfolded by the user, and that is kept.
    case unfold
    /// Somebody else folded or unfolded it.
    case externalChange
  }

  /// What the screen says beside its states.
  public enum Notice: ScreenNotice {
    /// A short text is not folded, and nothing is stored.
    case nothingToFold
    /// It is so already.
    case unchanged
    /// It could not be kept, so it is shown as before.
    case notPersisted(ScreenError)
    /// It could not be looked up, so the text is shown whole.
    case notRead(ScreenError)
    /// An answer that is no longer asked for was dropped.
    case staleIgnored

    /// The notice's stable name.
    public var name: String {
      switch self {
      case .nothingToFold: "nothingToFold"
      case .unchanged: "unchanged"
      case .notPersisted: "notPersisted"
      case .notRead: "notRead"
      case .staleIgnored: "staleIgnored"
      }
    }

    /// Why.
    public var details: JSONObject {
      switch self {
      case .notPersisted(let error), .notRead(let error): ["error": .object(error.summary)]
      case .nothingToFold, .unchanged, .staleIgnored: JSONObject()
      }
    }
  }
}

extension SummaryModel: Screen {
  /// What an event does to a state; see the table in `docs/view-models.md`.
  ///
  /// Pure. O(characters up to the fold).
  public static func reduce(_ state: State, _ event: Event) -> Step<SummaryModel> {
    var step = Step<SummaryModel>(state: state)
    step.take(event)
    return step
  }
}

extension Step<SummaryModel> {
  fileprivate mutating func take(_ event: SummaryModel.Event) {
    switch event {
    case .configure(let key, let text):
      state.key = key
      state.text = text
      state.isWriting = false
      state.pending = []
      state.request += 1
      want(.read(key: key, request: state.request))
      move(to: .configuring, .configure)
    case .toggle, .set: intent(event)
    case .read(let result, let request):
      guard request == state.request, state.phase == .configuring else { return say(.staleIgnored) }
      switch result {
      case .success(let isFolded): show(isFolded: isFolded, .read)
      case .failure(let error):
        show(isFolded: false, .read)
        say(.notRead(ScreenError(error)))
      }
      takePending()
    case .written(let result, let request):
      guard request == state.request, state.isWriting else { return say(.staleIgnored) }
      state.isWriting = false
      switch result {
      case .success(let isFolded): show(isFolded: isFolded, isFolded ? .fold : .unfold)
      case .failure(let error): say(.notPersisted(ScreenError(error)))
      }
      takePending()
    case .changed(let isFolded):
      // While a write is on its way its own answer tells.
      guard case .shown(let fold) = state.phase, !state.isWriting else { return }
      if fold != TextFold(of: state.text, isFolded: isFolded) {
        show(isFolded: isFolded, .externalChange)
      }
    }
  }

  private mutating func intent(_ event: SummaryModel.Event) {
    guard !state.isWriting, state.phase != .configuring else { return state.pending.append(event) }
    guard case .shown(let fold) = state.phase, fold != .short else { return say(.nothingToFold) }
    var wanted = fold == .expanded
    if case .set(let isFolded) = event { wanted = isFolded }
    if wanted == (fold == .folded) { return say(.unchanged) }
    state.request += 1
    state.isWriting = true
    want(.write(key: state.key, isFolded: wanted, request: state.request))
  }

  private mutating func show(isFolded: Bool, _ cause: SummaryModel.Cause) {
    move(to: .shown(TextFold(of: state.text, isFolded: isFolded)), cause)
  }

  /// Gives what waited its turn; what must wait again does so in its order.
  private mutating func takePending() {
    let waiting = state.pending
    state.pending = []
    for event in waiting { take(event) }
  }
}
