import Dispatch
import Freshet
import Synchronization

/// Waits on the calling thread for a flow's one value.
///
/// The command's main thread has nothing else to do meanwhile. What has begun may end: after a
/// signal an answer is waited for a second longer, which leaves time for the last records.
enum Blocking {
  /// The first value of a flow.
  /// - Throws: why the wait ended before there was an answer: a signal, a reader that is gone. A
  ///   flow that ends without a value is a bug of its maker.
  static func result<Value: Sendable, Failure: Error>(
    of flow: some Flow<Value, Failure>, _ waiter: Waiter
  ) throws(Stop) -> Result<Value, Failure> {
    let box = Box<Value, Failure>(waiter)
    let token = flow.subscribe(
      onValue: { box.take(.success($0)) },
      onEnd: { end in
        if case .failed(let failure) = end { box.take(.failure(failure)) } else { box.finish() }
      })
    defer { token.dispose() }
    guard let result = try box.wait() else {
      preconditionFailure("a store operation ended without an answer")
    }
    return result
  }

  /// Does work that blocks on a thread of its own, waiting for it.
  ///
  /// - Throws: ``Stop/timeout`` after the deadline, and as ``result(of:_:)``; the work then goes on
  ///   by itself.
  static func result<Failure: Error>(
    until deadline: ContinuousClock.Instant?, _ waiter: Waiter,
    of work: @escaping @Sendable () throws(Failure) -> Void
  ) throws(Stop) -> Result<Void, Failure> {
    let box = Box<Void, Failure>(waiter)
    DispatchQueue.global().async {
      box.take(Result { () throws(Failure) in try work() })
    }
    guard let result = try box.wait(until: deadline, grace: 0) else { throw .timeout }
    return result
  }

  /// Does work on a thread of its own with a waiting place of its own, which is told to end when this
  /// thread is.
  ///
  /// - Throws: what the work throws; why the wait ended, when the work does not end within a second
  ///   of that: it then goes on by itself until the process ends.
  static func result<Value: Sendable>(
    _ waiter: Waiter, beside work: @escaping @Sendable (Waiter) throws(Stop) -> Value
  ) throws(Stop) -> Value {
    let job = try Waiter.makeForJob()
    let box = Box<Value, Stop>(waiter)
    DispatchQueue(label: "freshet.work").async {
      box.take(Result { () throws(Stop) in try work(job) })
    }
    guard let result = try box.wait(whenStopped: { job.stop($0) }) else {
      preconditionFailure("work ended without an answer")
    }
    return try result.get()
  }

  private final class Box<Value: Sendable, Failure: Error>: Sendable {
    private struct State {
      var result: Result<Value, Failure>?
      var isDone = false
    }

    private let state = Mutex(State())
    private let done = DispatchSemaphore(value: 0)
    private let waiter: Waiter

    init(_ waiter: Waiter) { self.waiter = waiter }

    func take(_ answer: Result<Value, Failure>) { end(answer) }

    func finish() { end(nil) }

    private func end(_ answer: Result<Value, Failure>?) {
      state.withLock { state in
        if state.result == nil { state.result = answer }
        state.isDone = true
      }
      done.signal()
      waiter.wake()
    }

    /// The answer, nil after the deadline or when there is none.
    func wait(
      until deadline: ContinuousClock.Instant? = nil, grace seconds: Double = 1,
      whenStopped: (Stop) -> Void = { _ in }
    ) throws(Stop) -> Result<Value, Failure>? {
      let clock = ContinuousClock()
      while true {
        let now = state.withLock { $0 }
        if now.isDone { return now.result }
        do {
          let remaining = deadline.map { clock.now.duration(to: $0) }
          if try waiter.wait(timeout: remaining).isTimeout { return nil }
        } catch {
          whenStopped(error)
          guard seconds > 0, done.wait(timeout: .now() + seconds) == .success else { throw error }
        }
      }
    }
  }
}
