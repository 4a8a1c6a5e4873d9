import Dispatch
import Freshet
import Synchronization

/// A result that another thread may bring.
private final class Answer<Value: Sendable, Failure: Error>: Sendable {
  private let result = Mutex<Result<Value, Failure>?>(nil)
  private let signal = DispatchSemaphore(value: 0)

  func set(_ new: Result<Value, Failure>) {
    result.withLock { $0 = $0 ?? new }
    signal.signal()
  }

  var value: Result<Value, Failure>? { result.withLock { $0 } }

  func wait() { signal.wait() }
}

extension Flow {
  /// Subscribes, and blocks this thread until the first value or the failure; nil when the flow
  /// finishes without either.
  package func wait() -> Result<Element, Failure>? {
    PendingAnswer(self).wait()
  }
}

extension Answer {
  fileprivate func wake() { signal.signal() }
}

/// A flow that has been subscribed to, and whose answer is waited for later.
package final class PendingAnswer<Value: Sendable, Failure: Error>: Sendable {
  private let answer = Answer<Value, Failure>()
  private let token = Mutex<Disposable?>(nil)

  package init<F: Flow>(_ flow: F) where F.Element == Value, F.Failure == Failure {
    let answer = answer
    let disposable = flow.subscribe(
      onValue: { answer.set(.success($0)) },
      onEnd: { end in
        if case .failed(let error) = end { return answer.set(.failure(error)) }
        answer.wake()
      })
    token.withLock { $0 = disposable }
  }

  /// Nil when the flow finished without a value.
  package func wait() -> Result<Value, Failure>? {
    answer.wait()
    return answer.value
  }
}
