import Dispatch
import Freshet
import Synchronization

/// Waits on the calling thread for a flow's one value.
///
/// The command's main thread has nothing else to do meanwhile; a signal is served by the two
/// seconds it is granted.
enum Blocking {
  /// The first value of a flow.
  /// - Throws: the flow's failure. A flow that ends without a value is a bug of its maker.
  static func value<Value: Sendable, Failure: Error>(
    of flow: some Flow<Value, Failure>
  ) throws(Failure) -> Value {
    let box = Box<Value, Failure>()
    let token = flow.subscribe(
      onValue: { box.take(.success($0)) },
      onEnd: { end in
        if case .failed(let failure) = end { box.take(.failure(failure)) } else { box.finish() }
      })
    let result = box.wait()
    token.dispose()
    guard let result else { preconditionFailure("a store operation ended without an answer") }
    return try result.get()
  }

  private final class Box<Value: Sendable, Failure: Error>: Sendable {
    private let result = Mutex<Result<Value, Failure>?>(nil)
    private let isDone = DispatchSemaphore(value: 0)

    func take(_ answer: Result<Value, Failure>) {
      result.withLock { if $0 == nil { $0 = answer } }
      isDone.signal()
    }

    func finish() { isDone.signal() }

    func wait() -> Result<Value, Failure>? {
      isDone.wait()
      return result.withLock { $0 }
    }
  }
}
