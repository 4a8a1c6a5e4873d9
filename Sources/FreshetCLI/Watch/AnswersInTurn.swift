import Freshet
import FreshetCatalog
import Synchronization

/// A catalogue whose answers wait until its user takes them, each with what stood for the request.
///
/// So a screen over it is driven by one thread alone, and what an answer leads to can be told under
/// the name of the line that asked for it. Pages are asked for on the user's thread; answers come on
/// any.
final class AnswersInTurn: CatalogSearching {
  private struct State {
    var correlation: String?
    var waiting: [(correlation: String?, deliver: @Sendable () -> Void)] = []
  }

  private let catalog: any CatalogSearching
  private let didCome: @Sendable () -> Void
  private let state = Mutex(State())

  /// - Parameter didCome: Called when an answer waits, on the answer's thread.
  init(_ catalog: any CatalogSearching, didCome: @escaping @Sendable () -> Void) {
    self.catalog = catalog
    self.didCome = didCome
  }

  var refusal: CatalogError? { catalog.refusal }

  /// What stands for the requests that begin from here on.
  func begin(_ correlation: String?) { state.withLock { $0.correlation = correlation } }

  func page(_ request: SearchRequest) -> Single<SearchPage, CatalogError> {
    let correlation = state.withLock { $0.correlation }
    return Single { [self] resolver in
      catalog.page(request).subscribe(
        onValue: { [self] page in put(correlation) { resolver.succeed(page) } },
        onEnd: { [self] end in
          if case .failed(let error) = end { put(correlation) { resolver.fail(error) } }
        })
    }
  }

  private func put(_ correlation: String?, _ deliver: @escaping @Sendable () -> Void) {
    state.withLock { $0.waiting.append((correlation, deliver)) }
    didCome()
  }

  /// The next answer that waits; nothing comes of one whose request was stopped meanwhile.
  func next() -> (correlation: String?, deliver: @Sendable () -> Void)? {
    state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
  }
}
