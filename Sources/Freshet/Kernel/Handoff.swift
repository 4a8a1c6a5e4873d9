import Synchronization

/// Carries one stream over to a scheduler, one job at a time.
// @unchecked: `observer`, `batch` and `isPaused` belong to the one job that `isScheduled`
// stands for. `HandoffTests` and the thread sanitizer would notice.
@usableFromInline
final class Handoff<O: Observer>: Subscription, @unchecked Sendable {
  @usableFromInline
  struct State: ~Copyable, Sendable {
    @usableFromInline var mailbox: Mailbox<O.Element, O.Failure>
    @usableFromInline var isScheduled = true  // Until the observer has been started.
    @usableFromInline var mustWake = false
    @usableFromInline var isWaitingForResume = false

    /// Values that the parked job had taken wait for the resume.
    @usableFromInline var hasRest = false
    @usableFromInline var source: Subscription?

    @inlinable
    init(mailbox: consuming Mailbox<O.Element, O.Failure>) {
      self.mailbox = mailbox
    }
  }

  // Three groups, in this order, each on cache lines of its own: what both sides only look at, with
  // the handle's flag above; what both change; what the job changes. Were the flag beside the lock,
  // each look at it by the job would take the line from the source, which locks for every value.
  @usableFromInline let scheduler: any Scheduler
  @usableFromInline let drainFromTable: @Sendable (Handoff<O>) -> Void
  @usableFromInline let gapBeforeState: CacheLine
  @usableFromInline let state: Mutex<State>
  @usableFromInline let gapAfterState: CacheLine
  @exclusivity(unchecked) @usableFromInline var observer: O?
  @exclusivity(unchecked) @usableFromInline var batch: Conveyor<O.Element>

  @inlinable
  init(
    observer: O, scheduler: any Scheduler, mailbox: consuming Mailbox<O.Element, O.Failure>
  ) {
    self.observer = observer
    self.scheduler = scheduler
    self.state = Mutex(State(mailbox: mailbox))
    self.drainFromTable = { $0.drain() }
    gapBeforeState = CacheLine()
    gapAfterState = CacheLine()
    batch = Conveyor()
  }

  /// Starts the observer; false when it has disposed of the subscription at once.
  @inlinable
  func begin() -> Bool {
    observer?.start(self)
    state.withLock { $0.isScheduled = false }
    guard isDisposed else { return true }
    wake()
    return false
  }

  @inlinable
  func put(_ value: O.Element) -> Answer {
    var dropped: O.Element?
    let (answer, mustSchedule) = state.withLock { state -> (Answer, Bool) in
      let answer = state.mailbox.put(value, dropped: &dropped)
      return (answer, state.claimJob())
    }
    _ = dropped
    if mustSchedule { schedule() }
    return isDisposed ? .stop : answer
  }

  @inlinable
  func put(end: End<O.Failure>) {
    let mustSchedule = state.withLock { state in
      state.mailbox.put(end: end)
      // An end waits for values only, not for the observer's pause.
      if state.isWaitingForResume, !state.hasRest, state.mailbox.queue.isEmpty {
        state.isWaitingForResume = false
      }
      return state.claimJob()
    }
    if mustSchedule { schedule() }
  }

  @usableFromInline
  func attach(_ source: Subscription) {
    let isFirst = state.withLock { state in
      guard state.source == nil else { return false }
      state.source = source
      return true
    }
    if !isFirst || isDisposed { source.dispose() }
  }

  @inlinable
  func schedule() {
    scheduler.schedule { [self] in drainFromTable(self) }
  }

  /// The job: delivers until nothing is left or the observer pauses.
  @inlinable
  func drain() {
    while true {
      while !isDisposed, let value = batch.popFirst() {
        switch observer?.receive(value) ?? .stop {
        case .more: continue
        case .stop: dispose()
        case .pause:
          if park() {
            // A dispose that came while the job was ours has left the release to us.
            if isDisposed { wake() }
            return
          }
        }
      }
      if isDisposed {
        letGo()
        return
      }
      batch.trim()
      let (resumed, ending, isOver) = state.withLock {
        state -> (Subscription?, End<O.Failure>?, Bool) in
        if !state.mailbox.queue.isEmpty {
          // `batch` is empty; its storage goes back to the source's side.
          swap(&batch, &state.mailbox.queue)
          return (nil, nil, false)
        }
        if let ending = state.mailbox.ending { return (nil, ending, true) }
        // All that was taken has been delivered: only now is there room again.
        if state.mailbox.takeResume() { return (state.source, nil, false) }
        state.isScheduled = false
        return (nil, nil, true)
      }
      resumed?.resume()
      if let ending {
        let isFirst = markEnded()
        var observer = exchange(&self.observer, for: nil)
        letGo()
        if isFirst { observer?.end(ending) }
      }
      if isOver {
        // A dispose that came while the job was ours has left the release to us.
        if isDisposed { wake() }
        return
      }
    }
  }

  /// Stops the job until the observer resumes; false when it has resumed already.
  @inlinable
  func park() -> Bool {
    let hasRest = !batch.isEmpty
    return state.withLock { state in
      guard !state.mustWake else {
        state.mustWake = false
        return false
      }
      state.hasRest = hasRest
      if !hasRest, state.mailbox.ending != nil, state.mailbox.queue.isEmpty { return false }
      state.isWaitingForResume = true
      state.isScheduled = false
      return true
    }
  }

  /// Releases everything.
  ///
  /// Only the job may call it.
  @inlinable
  func letGo() {
    observer = nil
    batch = Conveyor()
    let source = state.withLock { state in
      state.isScheduled = true  // No job any more.
      swap(&batch, &state.mailbox.queue)  // To be released outside the lock.
      return exchange(&state.source, for: nil)
    }
    batch = Conveyor()
    source?.dispose()
  }

  /// Takes the job, if nobody has it, to release everything.
  @usableFromInline
  func wake() {
    let isOurs = state.withLock { state in
      guard !state.isScheduled else { return false }
      state.isScheduled = true
      return true
    }
    if isOurs { letGo() }
  }

  @usableFromInline
  override func onDispose() {
    let source = state.withLock { exchange(&$0.source, for: nil) }
    source?.dispose()
    wake()
  }

  /// Events that arrive later belong to no turn of the source: only graphs go further up.
  @usableFromInline
  override func pass(_ message: Upward) {
    guard case .inspect(let visitor, let below) = message else { return }
    let (source, waiting, isPaused) = state.withLock { state in
      (state.source, state.mailbox.queue.count, state.isWaitingForResume)
    }
    let node = visitor.visit(
      self, "observe(on:)", waiting: waiting, isPaused: isPaused, below: below)
    if let node { source?.pass(.inspect(visitor, below: node)) }
  }

  @usableFromInline
  override func resume() {
    let mustSchedule = state.withLock { state in
      guard state.isWaitingForResume else {
        state.mustWake = true
        return false
      }
      state.isWaitingForResume = false
      state.isScheduled = true
      return true
    }
    if mustSchedule { schedule() }
  }
}

extension Handoff.State {
  /// Takes the job, if there is something to do and nobody has it.
  @inlinable
  mutating func claimJob() -> Bool {
    guard !isScheduled, !isWaitingForResume else { return false }
    isScheduled = true
    return true
  }
}

/// Room that keeps two neighbours in an object off each other's cache lines.
@frozen
@usableFromInline
struct CacheLine: Sendable {
  @usableFromInline
  let room: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64)

  @inlinable
  init() {
    room = (0, 0, 0, 0, 0, 0, 0, 0)
  }
}

/// The observer that brings the source's events to a handoff.
@frozen
@usableFromInline
struct HandoffInlet<O: Observer>: Observer {
  @usableFromInline typealias Element = O.Element
  @usableFromInline typealias Failure = O.Failure
  @usableFromInline let handoff: Handoff<O>

  @inlinable
  init(handoff: Handoff<O>) {
    self.handoff = handoff
  }

  @inlinable static var mayPause: Bool { true }

  @inlinable
  mutating func start(_ subscription: Subscription) {
    handoff.attach(subscription)
  }

  @inlinable
  @inline(__always)
  mutating func receive(_ value: Element) -> Answer {
    if handoff.isDisposed { return .stop }
    return handoff.put(value)
  }

  @inlinable
  mutating func end(_ end: End<Failure>) {
    if !handoff.isDisposed { handoff.put(end: end) }
  }
}
