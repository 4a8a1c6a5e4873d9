import Freshet
import FreshetCatalog
import FreshetModels
import FreshetStore
import Synchronization

/// Tells what a model goes through, as it happens, on whatever thread that is.
///
/// Its states are no commits, so nobody can read them again. Where a limit is set, states that come
/// while so many bytes wait are left out and counted; ``tellGap()`` then tells the gap and the state
/// after it. Without one, whoever drives the model waits for the reader.
final class ViewTeller: Sendable {
  private let output: Output
  private let view: View
  private let filter: RecordFilter
  /// As many bytes may wait before states are left out; nil: none are.
  private let limit: Int?
  private let didTell: @Sendable () -> Void
  private let state = Mutex(State())

  /// The state after a transition, as it is told after a gap.
  private struct Shown {
    let transition: ViewTransition
    let rows: @Sendable () -> [ViewStep.Row]
  }

  private struct State {
    var correlation: String?
    var lastNotice: (name: String, details: JSONObject)?
    /// The last transition, told or not.
    var shown: Shown?
    /// How many records were left out since the last that was told.
    var missed = 0
    var isMuted = false
  }

  /// - Parameters:
  ///   - limit: As many bytes may wait before states are left out; nil: none are.
  ///   - didTell: Called after each step, told or not, on the step's thread.
  init(
    _ output: Output, _ view: View, _ filter: RecordFilter = .all, limit: Int? = nil,
    didTell: @escaping @Sendable () -> Void = {}
  ) {
    self.output = output
    self.view = view
    self.filter = filter
    self.limit = limit
    self.didTell = didTell
  }

  /// Follows a model until the tokens are let go.
  ///
  /// - Parameter rows: What a state shows, for the snapshot after a gap.
  func follow<S: Screen>(
    _ transitions: AnyFlow<Transition<S>, Never>, _ notices: AnyFlow<S.Notice, Never>,
    rows: @escaping @Sendable (S.State) -> [ViewStep.Row] = { _ in [] }
  ) -> [Disposable] {
    [
      transitions.subscribe { [self] transition in
        let told = ViewTransition(view, transition)
        let shown = Shown(transition: told, rows: { rows(transition.state) })
        tell(shown, isWanted: filter.admits(told)) { batch, correlation in
          batch.emitTransition(told, correlation: correlation)
        }
      },
      notices.subscribe { [self] notice in
        state.withLock { $0.lastNotice = (notice.name, notice.details) }
        let isWanted = filter.admits(
          type: "view.notice", view: view.rawValue, id: nil,
          data: ViewTeller.data(of: notice))
        tell(nil, isWanted: isWanted) { [view] batch, correlation in
          batch.emitNotice(view, notice, correlation: correlation)
        }
      },
    ]
  }

  private static func data(of notice: some ScreenNotice) -> JSONObject {
    var data: JSONObject = ["notice": .string(notice.name)]
    for member in notice.details.members { data[member.key] = member.value }
    return data
  }

  private func tell(
    _ shown: Shown?, isWanted: Bool, _ emit: (inout Output.Batch, String?) -> Void
  ) {
    output.batch { batch in
      let waiting = batch.waitingBytes
      let (isTold, correlation) = state.withLock { state in
        if let shown { state.shown = shown }
        // After the first that is left out nothing makes sense before the gap is told.
        let isFull = limit.map { waiting >= $0 || state.missed > 0 } ?? false
        if isFull, isWanted { state.missed += 1 }
        return (isWanted && !isFull && !state.isMuted, state.correlation)
      }
      if isTold { emit(&batch, correlation) }
    }
    didTell()
  }

  /// Whether steps are not told: a dry run makes none that count.
  var isMuted: Bool {
    get { state.withLock { $0.isMuted } }
    set { state.withLock { $0.isMuted = newValue } }
  }

  /// Whether something was left out that ``tellGap()`` has not told yet.
  var hasGap: Bool { state.withLock { $0.missed > 0 } }

  /// Tells that states were left out and how many, and the state as it is then.
  func tellGap() {
    output.batch { batch in
      let (missed, shown) = state.withLock { state in
        defer { state.missed = 0 }
        return (state.missed, state.shown)
      }
      guard missed > 0 else { return }
      var head = EventHead("stream.gap")
      head.view = view.name
      batch.emit(head) { data in
        data.string("reason", "slow_reader")
        data.null("from")
        data.null("oldest")
        data.int("missed", missed)
      }
      if let shown { tell(shown, to: &batch) }
    }
  }

  private func tell(_ shown: Shown, to batch: inout Output.Batch) {
    let rows = shown.rows()
    var head = EventHead("snapshot.begin")
    head.view = view.name
    batch.emit(head) { $0.int("count", rows.count) }
    for (index, row) in rows.enumerated() where filter.admits(row, of: view) {
      var head = EventHead("snapshot.item")
      head.view = view.name
      head.id = row.id
      batch.emit(head, text: row.text) { data in
        data.int("index", index)
        data.body("item", row.body)
      }
    }
    let now = shown.transition.again(cause: "resync")
    if filter.admits(now) { batch.emitTransition(now) }
    head = EventHead("stream.bookmark")
    head.view = view.name
    batch.emit(head) { $0.bool("initial", true) }
  }

  /// From here on everything is told with the correlation id of a command; the last notice is
  /// forgotten.
  func begin(_ correlation: String?) {
    state.withLock { state in
      state.correlation = correlation
      state.lastNotice = nil
    }
  }

  /// The last notice since the command began.
  var lastNotice: (name: String, details: JSONObject)? { state.withLock { $0.lastNotice } }
}

extension Session {
  /// Waits until a model waits for nothing any more.
  /// - Throws: ``Stop/signal(_:)``, ``Stop/readerGone``.
  func settled<State: Sendable>(_ single: Single<State, Never>) throws(Stop) -> State {
    switch try Blocking.result(of: single, waiter) {
    case .success(let state): state
    }
  }
}

extension Problem {
  /// A screen's error as it stands in events.
  init(_ error: ScreenError) {
    self.init(code: error.code, message: error.message, retryable: error.isRetryable)
  }

  /// A guidance service's error as it stands in events.
  init(_ error: GuidanceError) { self.init(ScreenError(error)) }
}
