import Freshet
import FreshetCatalog
import FreshetModels
import FreshetStore
import Synchronization

/// Tells what a model goes through, as it happens, on whatever thread that is.
final class ViewTeller: Sendable {
  private let output: Output
  private let view: View
  private let state = Mutex(State())

  private struct State {
    var correlation: String?
    var lastNotice: (name: String, details: JSONObject)?
  }

  init(_ output: Output, _ view: View) {
    self.output = output
    self.view = view
  }

  /// Follows a model until the tokens are let go.
  func follow<S: Screen>(
    _ transitions: AnyFlow<Transition<S>, Never>, _ notices: AnyFlow<S.Notice, Never>
  ) -> [Disposable] {
    [
      transitions.subscribe { [self] transition in
        let correlation = state.withLock { $0.correlation }
        output.batch {
          $0.emitTransition(ViewTransition(view, transition), correlation: correlation)
        }
      },
      notices.subscribe { [self] notice in
        let correlation = state.withLock { state in
          state.lastNotice = (notice.name, notice.details)
          return state.correlation
        }
        output.batch { $0.emitNotice(view, notice, correlation: correlation) }
      },
    ]
  }

  /// From here on everything is told with the correlation id of a command; the last notice is
  /// forgotten.
  func begin(_ correlation: String?) {
    state.withLock { $0 = State(correlation: correlation) }
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
