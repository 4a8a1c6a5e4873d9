import Synchronization

/// The buffer between a flow and a task that awaits its values.
final class Reader<Element: Sendable, Failure: Error>: Sendable {
  typealias Outcome = Result<Element, Failure>
  private typealias Waiter = CheckedContinuation<Outcome?, Never>

  private struct State: ~Copyable, Sendable {
    var mailbox: Mailbox<Element, Failure>
    var source: Subscription?
    var waiter: Waiter?
    var isOver = false

    init(mailbox: consuming Mailbox<Element, Failure>) {
      self.mailbox = mailbox
    }

    /// Takes the next value, or the failure once the values are gone.
    mutating func takeOutcome() -> Outcome? {
      if let value = mailbox.queue.popFirst() { return .success(value) }
      guard let ending = mailbox.ending, !isOver else { return nil }
      isOver = true
      if case .failed(let failure) = ending { return .failure(failure) }
      return nil
    }
  }

  private let state: Mutex<State>

  init(mailbox: consuming Mailbox<Element, Failure>) {
    state = Mutex(State(mailbox: mailbox))
  }

  // MARK: The reading side

  func next(isolation: isolated (any Actor)?) async -> Outcome? {
    await withTaskCancellationHandler(
      operation: {
        await withCheckedContinuation(isolation: isolation) { wait($0) }
      },
      onCancel: { cancel() },
      isolation: isolation)
  }

  private func wait(_ waiter: Waiter) {
    let isCancelled = Task.isCancelled
    let (outcome, isReady, resumed) = state.withLock { state -> (Outcome?, Bool, Subscription?) in
      let outcome = isCancelled ? nil : state.takeOutcome()
      let resumed = state.mailbox.takeResume() ? state.source : nil
      if outcome != nil || state.isOver || isCancelled { return (outcome, true, resumed) }
      precondition(state.waiter == nil, "one iterator is used by two tasks at once")
      state.waiter = waiter
      return (nil, false, resumed)
    }
    if isReady { waiter.resume(returning: outcome) }
    resumed?.resume()
  }

  func cancel() {
    var waiting = Conveyor<Element>()
    let (source, waiter) = state.withLock { state -> (Subscription?, Waiter?) in
      state.isOver = true
      swap(&waiting, &state.mailbox.queue)  // To be released outside the lock.
      return (exchange(&state.source, for: nil), exchange(&state.waiter, for: nil))
    }
    source?.dispose()
    waiter?.resume(returning: nil)
  }

  // MARK: The source's side

  func attach(_ source: Subscription) {
    let isWanted = state.withLock { state in
      guard !state.isOver, state.source == nil else { return false }
      state.source = source
      return true
    }
    if !isWanted { source.dispose() }
  }

  func put(_ value: Element) -> Answer {
    var dropped: Element?
    let (answer, waiter) = state.withLock { state -> (Answer, Waiter?) in
      guard !state.isOver else { return (.stop, nil) }
      if let waiter = exchange(&state.waiter, for: nil) { return (.more, waiter) }
      return (state.mailbox.put(value, dropped: &dropped), nil)
    }
    _ = dropped
    waiter?.resume(returning: .success(value))
    return answer
  }

  func put(end: End<Failure>) {
    let (outcome, waiter, source) = state.withLock {
      state -> (Outcome?, Waiter?, Subscription?) in
      let source = exchange(&state.source, for: nil)
      state.mailbox.put(end: end)
      guard let waiter = exchange(&state.waiter, for: nil) else { return (nil, nil, source) }
      return (state.takeOutcome(), waiter, source)
    }
    _ = source
    waiter?.resume(returning: outcome)
  }
}

/// The observer that brings a flow's events to a reader.
struct ReaderInlet<Element: Sendable, Failure: Error>: Observer {
  let reader: Reader<Element, Failure>

  static var mayPause: Bool { true }

  mutating func start(_ subscription: Subscription) {
    reader.attach(subscription)
  }

  mutating func receive(_ value: Element) -> Answer {
    reader.put(value)
  }

  mutating func end(_ end: End<Failure>) {
    reader.put(end: end)
  }
}
