import Freshet
import FreshetCatalog
import FreshetStore

/// The screen with the books of a series, one of them shown.
///
/// What was loaded and chosen is kept where there is a place for it, so that it is there after a
/// restart; what cannot be kept is shown all the same, and said.
public final class BooksModel: Sendable {
  private let runner: ScreenRunner<BooksModel>

  /// Makes a screen; nothing happens before the first intent.
  ///
  /// - Parameters:
  ///   - source: Where the books are read from, with each load.
  ///   - store: Where they are kept.
  ///   - keepsBooks: Whether what was read is kept; false when it was read from there.
  ///   - scheduler: Where requests are started, one at a time.
  public init(
    source: Single<BookSeries, BookFileError>, store: SeriesStore, keepsBooks: Bool,
    scheduler: any Scheduler = ImmediateScheduler()
  ) {
    let missing = BookFileError(.missingFile, "the books ended without an answer")
    runner = ScreenRunner(State(keepsBooks: keepsBooks), on: scheduler) { effect, send in
      switch effect {
      case .read(let request):
        source.subscribeForAnswer(orElse: missing) { send(.read($0, request: request)) }
      case .keep(let series):
        store.replace(with: series).subscribeForAnswer(orElse: missing) { send(.kept($0)) }
      case .keepChoice(let key):
        store.select(key).subscribeForAnswer(orElse: missing) { send(.kept($0)) }
      }
    }
  }

  deinit { runner.close() }

  /// Reads the books.
  public func load() { runner.send(.load) }

  /// Chooses a book by its place, from 0.
  public func select(_ index: Int) { runner.send(.select(index)) }

  /// Stops all work and finishes the flows; idempotent.
  public func close() { runner.close() }

  /// Every transition, from subscription on.
  public var transitions: AnyFlow<Transition<BooksModel>, Never> { runner.transitions }

  /// The current state, then every later one.
  public var states: AnyFlow<State, Never> { runner.states }

  /// What is said beside the states.
  public var notices: AnyFlow<Notice, Never> { runner.notices }

  /// The state after the last event.
  public var state: State { runner.state }

  /// The first state in which nothing waits and no answer is waited for.
  public func settled() -> Single<State, Never> { runner.settled() }
}

extension BooksModel: Screen {
  /// What an event does to a state; see the table in `docs/view-models.md`.
  ///
  /// Pure. O(n) for n books where a list came.
  public static func reduce(_ state: State, _ event: Event) -> Step<BooksModel> {
    var step = Step<BooksModel>(state: state)
    step.take(event)
    return step
  }
}

extension Step<BooksModel> {
  fileprivate mutating func take(_ event: BooksModel.Event) {
    switch event {
    case .load:
      state.request += 1
      want(.read(request: state.request))
      move(to: .loading, .load)
    case .select(let index): select(index)
    case .read(let result, let request):
      guard request == state.request, state.phase == .loading else { return say(.staleIgnored) }
      switch result {
      case .success(let series):
        show(series, .read)
        guard state.keepsBooks else { return }
        state.keeping += 1
        want(.keep(series))
      case .failure(let error): move(to: .failed(ScreenError(error)), .failure)
      }
    case .kept(let result):
      state.keeping -= 1
      switch result {
      case .success: say(.kept)
      case .failure(let error): say(.notPersisted(ScreenError(error)))
      }
    case .changed(let series):
      // What is being read will tell.
      guard state.phase != .loading, state.phase != .idle else { return say(.staleIgnored) }
      show(series, .externalChange)
    }
  }

  private mutating func select(_ index: Int) {
    guard state.books.rows.indices.contains(index) else { return say(.invalidIndex(index)) }
    if index == state.selected { return say(.alreadySelected) }
    state.selected = index
    state.keeping += 1
    want(.keepChoice(state.books.rows[index].key))
    move(to: state.phase, .select)
  }

  private mutating func show(_ series: BookSeries, _ cause: BooksModel.Cause) {
    let before = state.books
    state.books = IdentifiedList(series.books)
    state.selected = series.selected
    move(
      to: series.books.isEmpty ? .empty : .loaded, cause,
      ListDiff(from: before, to: state.books))
  }
}
