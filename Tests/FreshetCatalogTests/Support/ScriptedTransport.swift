import Freshet
import FreshetCatalog
import Synchronization

/// A transport without a network: answers from a closure, in virtual time where the test wants it.
final class ScriptedTransport: HTTPTransport {
  /// What comes of one request.
  enum Reply: Sendable {
    case answer(Int, [HTTPRequest.Header] = [], [UInt8] = [])
    case fail(CatalogError)
    /// Head and some of the body, then nothing more.
    case stall([UInt8])
    /// Nothing at all.
    case silence

    static func json(_ text: String, status: Int = 200) -> Reply {
      .answer(status, [], Array(text.utf8))
    }
  }

  private let state = Mutex<(requests: [HTTPRequest], open: Int, most: Int)>(([], 0, 0))
  private let reply: @Sendable (Int, HTTPRequest) -> Reply

  init(_ reply: @escaping @Sendable (Int, HTTPRequest) -> Reply) { self.reply = reply }

  convenience init(_ replies: [Reply]) {
    self.init { number, _ in replies[min(number, replies.count - 1)] }
  }

  var requests: [HTTPRequest] { state.withLock { $0.requests } }
  var openCount: Int { state.withLock { $0.open } }
  var mostAtOnce: Int { state.withLock { $0.most } }

  func exchange(_ request: HTTPRequest) -> AnyFlow<HTTPPart, CatalogError> {
    Create<HTTPPart, CatalogError> { [self] emitter in
      let number = state.withLock { state in
        state.requests.append(request)
        state.open += 1
        state.most = max(state.most, state.open)
        return state.requests.count - 1
      }
      switch reply(number, request) {
      case .answer(let status, let headers, let body):
        emitter.send(.head(HTTPHead(status: status, headers: headers)))
        if !body.isEmpty { emitter.send(.body(body)) }
        emitter.finish()
      case .fail(let error): emitter.fail(error)
      case .stall(let bytes):
        emitter.send(.head(HTTPHead(status: 200)))
        emitter.send(.body(bytes))
      case .silence: break
      }
      // The emitter stays open as long as its token does.
      return Disposable { [self] in
        withExtendedLifetime(emitter) { state.withLock { $0.open -= 1 } }
      }
    }.erased()
  }
}
