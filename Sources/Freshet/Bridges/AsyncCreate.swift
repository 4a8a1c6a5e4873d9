extension Create {
  /// Makes a flow that an asynchronous function feeds, in a task per subscription.
  ///
  ///     result   --1--2--|     Create(async: { out in for line in … { await out.send(line) } })
  ///
  /// The flow finishes when the function returns and fails with what it throws. A pause of the
  /// observer suspends `send`, so a function that waits for it never runs ahead. Disposing of
  /// the subscription cancels the task; what it throws or sends after that is not delivered.
  ///
  /// - Parameters:
  ///   - priority: The task's priority.
  ///   - body: The function.
  public init(
    priority: TaskPriority? = nil,
    async body: @escaping @Sendable (AsyncEmitter<Element, Failure>) async throws(Failure) -> Void
  ) {
    self.init { emitter in
      let gate = ResumeGate()
      emitter.onResume { gate.open() }
      let task = Task(priority: priority) {
        do throws(Failure) {
          try await body(AsyncEmitter(emitter: emitter, gate: gate))
          if !Task.isCancelled { emitter.finish() }
        } catch {
          if !Task.isCancelled { emitter.fail(error) }
        }
      }
      return Disposable {
        task.cancel()
        gate.open()
      }
    }
  }
}

/// The way for an asynchronous function to feed a ``Create`` flow.
public struct AsyncEmitter<Element: Sendable, Failure: Error>: Sendable {
  private let emitter: Emitter<Element, Failure>
  private let gate: ResumeGate

  init(emitter: Emitter<Element, Failure>, gate: ResumeGate) {
    self.emitter = emitter
    self.gate = gate
  }

  /// Whether anybody still listens.
  public var isDisposed: Bool { emitter.isDisposed }

  /// Sends a value, and waits when the observer asks for a pause.
  ///
  /// One task sends at a time.
  ///
  /// - Returns: False when nobody listens any more; then the function should return.
  @discardableResult
  public func send(_ value: Element) async -> Bool {
    switch emitter.send(value) {
    case .more: return true
    case .stop: return false
    case .pause:
      await gate.wait()
      return !emitter.isDisposed
    }
  }
}
