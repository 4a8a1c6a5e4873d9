import Synchronization

/// Runs one rule for one observer: the only place where operators meet threads.
///
/// Inputs come through a gate, so the rule and the observer see one at a time,
/// in one order; user code runs inside the gate but never under a lock. The
/// grammar, dispose, pause and resume are kept here, once for all operators.
///
/// Subscribing to a source and resuming one may run that source's loop to its
/// end. They are done after leaving the gate, and one after the other: a source
/// that ends at once and causes the next to be subscribed to does not deepen
/// the stack (contract rule 5).
// @unchecked: `rule`, `observer`, `outbox`, `timer`, `waiting`, `isPaused`, `isWorking` and
// `joined` belong to whoever is inside `gate`. `KernelStressTests` under the thread sanitizer would notice.
@usableFromInline
final class Kernel<R: Rule, O: Observer>: Subscription, @unchecked Sendable
where O.Element == R.Output, O.Failure == R.Failure {
  @usableFromInline
  enum Event: Sendable {
    case input(R.Input, Port, closes: Bool)
    case attach(Subscription, Port)
    case wake
    case resume
    case dispose
    case nextTask
    /// A source that met a crowd was asked to pause.
    case crowded(Port)
    case upward(Upward)
  }

  // Initialised in `init`, where the types are known; see `Hub`.
  @usableFromInline let gate: Gate<Event>
  // Not an optional: to look inside one of those costs a retain and a release per value.
  @usableFromInline let scheduler: any TimeScheduler
  @exclusivity(unchecked) @usableFromInline var rule: R?
  @exclusivity(unchecked) @usableFromInline var observer: O?
  @exclusivity(unchecked) @usableFromInline var outbox: Outbox<R>
  @exclusivity(unchecked) @usableFromInline var timer: Disposable?
  @exclusivity(unchecked) @usableFromInline var waiting: [R.Output]
  @exclusivity(unchecked) @usableFromInline var isPaused: Bool
  @exclusivity(unchecked) @usableFromInline var isWorking: Bool

  /// Who below is told when a source delivers.
  @exclusivity(unchecked) @usableFromInline var joined: [Upward]

  // Made where all types are known; see `Slot.receive`.
  @usableFromInline let performFromTable: @Sendable (Kernel<R, O>, Event) -> Void

  @inlinable
  init(rule: R, observer: O, sources: Int, scheduler: (any TimeScheduler)? = nil) {
    gate = Gate()
    outbox = Outbox()
    timer = nil
    waiting = []
    isPaused = false
    isWorking = false
    joined = []
    self.rule = rule
    self.observer = observer
    self.scheduler = scheduler ?? NoTime()
    self.performFromTable = { $0.perform($1) }
    super.init()
    for _ in 0..<sources { _ = outbox.ports.open() }
  }

  deinit {
    gate.free()
  }

  // MARK: Going in

  /// Subscribes to one of the sources that the operator was made with.
  @inlinable
  @inline(__always)
  func open<Source: Flow>(
    _ source: Source, at port: Port,
    value: @escaping @Sendable (Source.Element) -> R.Input,
    end: @escaping @Sendable (End<Source.Failure>) -> R.Input
  ) {
    if isDisposed { return }
    source.subscribe(Inlet(kernel: self, port: port, value: value, end: end))
  }

  /// Tells the observer who serves it.
  ///
  /// The operator subscribes to its sources after this.
  @inlinable
  func begin() {
    guard gate.enter() else { return }
    observer?.start(self)
    leave()
  }

  /// Takes an input from a source and answers it.
  @inlinable
  @inline(__always)
  func receive(_ input: R.Input, from port: Port) -> Answer {
    if isDisposed { return .stop }
    switch gate.enter(orLeave: .input(input, port, closes: false)) {
    case .inside: break
    case .left: return .more
    case .leftMany:
      perform(.crowded(port))
      return .pause
    case .tookOver:
      leave()
      return isDisposed ? .stop : .more
    }
    let answer = advance(input, from: port)
    leave()
    return isDisposed ? .stop : answer
  }

  /// Takes the handle of a source.
  @inlinable
  @inline(__always)
  func attach(_ subscription: Subscription, to port: Port) {
    guard gate.enter() else {
      perform(.attach(subscription, port))
      return
    }
    connect(subscription, to: port)
    leave()
  }

  /// Takes the last input of a source.
  @inlinable
  @inline(__always)
  func close(with input: R.Input, from port: Port) {
    guard gate.enter() else {
      perform(.input(input, port, closes: true))
      return
    }
    // The port stays open while the rule looks at the end, so that the rule may name it.
    if outbox.ports.isOpen(port) {
      _ = advance(input, from: port)
      outbox.ports.close(port)
    }
    leave()
  }

  @inlinable
  func perform(_ event: Event) {
    switch gate.enter(orLeave: event) {
    case .inside: handle(event)
    case .left, .leftMany: return
    case .tookOver: break
    }
    leave()
  }

  /// Leaves the gate, works off what came in meanwhile, and does the tasks on sources.
  @inlinable
  @inline(__always)
  func leave() {
    if outbox.tasks.isEmpty, !mayResume, gate.leave() { return }
    leaveSlowly()
  }

  /// Whether a source waits to be resumed.
  @inlinable
  @inline(__always)
  var mayResume: Bool {
    (O.mayPause || R.mayPause) && outbox.ports.resumable > 0 && !isPaused
  }

  /// Takes the next task on sources, if nobody does one.
  ///
  /// New sources come before those that were paused: a source whose values cause
  /// subscriptions is not resumed before those have been made.
  @inlinable
  func takeTask() -> Outbox<R>.Task? {
    guard !isWorking else { return nil }
    if let task = outbox.tasks.popFirst() {
      isWorking = true
      return task
    }
    // Not only where answers may be pauses: a crowd asks every source to pause.
    guard outbox.ports.resumable > 0, !isPaused, let subscription = outbox.ports.takeResumable()
    else { return nil }
    isWorking = true
    return .resume(subscription)
  }

  @inlinable
  func leaveSlowly() {
    while true {
      // Tasks are done by one caller at a time, outside the gate.
      var task = takeTask()
      var handled = 0
      while !gate.leave() {
        if handled >= 256 {
          handled = 0
          if gate.handOver() { break }
        }
        let events = gate.takeBacklog()
        handled += events.count
        for event in events { handle(event) }
        if task == nil { task = takeTask() }
      }
      guard let task else { return }
      work(task)
      switch gate.enter(orLeave: .nextTask) {
      case .inside: isWorking = false
      case .left, .leftMany: return
      case .tookOver: break
      }
    }
  }

  @inlinable
  func handle(_ event: Event) {
    switch event {
    case .input(let input, let port, let closes):
      guard outbox.ports.isOpen(port) else { return }
      let wasPaused = outbox.ports.isPaused(port)
      // The port stays open while the rule looks at the end, so that the rule may name it.
      let answer = advance(input, from: port)
      if closes { outbox.ports.close(port) }
      // The source was already answered; a pause it did not hear of needs no resume.
      if answer == .pause, !wasPaused { outbox.ports.unpause(port) }
    case .attach(let subscription, let port):
      connect(subscription, to: port)
    case .wake:
      timer = nil
      guard rule != nil else { return }
      if R.needsTime { outbox.now = scheduler.now }
      if O.mayPause { outbox.isObserverPaused = isPaused }
      rule?.wake(into: &outbox)
      flush()
    case .resume:
      resumeDelivery()
    case .dispose:
      letGo()
    case .nextTask:
      isWorking = false
    case .crowded(let port):
      outbox.ports.pause(port, isHeld: false)
    case .upward(let message):
      passOn(message)
    }
  }

  // MARK: Inside the gate

  @inlinable
  func connect(_ subscription: Subscription, to port: Port) {
    guard rule != nil, outbox.ports.attach(subscription, to: port) else {
      subscription.dispose()
      return
    }
    if !joined.isEmpty { announce(to: subscription) }
  }

  /// Tells a source that has come who below is to be told of its events.
  @usableFromInline
  func announce(to subscription: Subscription) {
    for message in joined { subscription.pass(message) }
  }

  @inlinable
  @inline(__always)
  func advance(_ input: R.Input, from port: Port) -> Answer {
    guard rule != nil, outbox.ports.isOpen(port) else { return .stop }
    if R.needsTime { outbox.now = scheduler.now }
    rule!.advance(input, from: port, into: &outbox)
    flush()
    guard O.mayPause || R.mayPause else { return .more }
    // Subscriptions that this and earlier inputs have caused come before the next input.
    let isBehind = isWorking && !outbox.tasks.isEmpty
    guard isPaused || outbox.wantsPause || isBehind else { return .more }
    outbox.ports.pause(port, isHeld: exchange(&outbox.wantsPause, for: false))
    return .pause
  }

  /// Does what the rule has put into the outbox.
  @inlinable
  @inline(__always)
  func flush() {
    if let value = outbox.value {
      outbox.value = nil
      deliver(value)
      if !outbox.moreValues.isEmpty { flushMoreValues() }
    }
    if outbox.closing.isEmpty, outbox.ending == nil, outbox.timer == nil {
      return
    }
    flushRest()
  }

  @inlinable
  func flushMoreValues() {
    let values = exchange(&outbox.moreValues, for: [])
    for value in values { deliver(value) }
  }

  @inlinable
  func flushRest() {
    for subscription in exchange(&outbox.closing, for: []) { subscription.dispose() }
    if let moment = exchange(&outbox.timer, for: nil), !isDisposed {
      timer = scheduler.schedule(after: moment - scheduler.now) { [self] in
        performFromTable(self, .wake)  // The cycle ends when the timer comes due or is let go.
      }
    }
    guard outbox.ending != nil else { return }
    if waiting.isEmpty { finish() } else { letGoOfSources() }
  }

  @inlinable
  @inline(__always)
  func deliver(_ value: R.Output) {
    if isDisposed { return }
    if O.mayPause, isPaused {
      waiting.append(value)
      return
    }
    switch observer?.receive(value) ?? .stop {
    case .more: break
    case .pause: isPaused = true
    case .stop: dispose()
    }
  }

  /// The observer wants more: first what waits, then the sources.
  @inlinable
  func resumeDelivery() {
    guard isPaused else { return }
    isPaused = false
    if !waiting.isEmpty {
      let values = exchange(&waiting, for: [])
      for value in values { deliver(value) }
    }
    guard !isDisposed else { return }
    if outbox.ending != nil {
      // An end waits for values only, not for the observer's pause.
      if waiting.isEmpty { finish() }
      return
    }
    guard R.watchesPauses, !isPaused, rule != nil else { return }
    if R.needsTime { outbox.now = scheduler.now }
    outbox.isObserverPaused = false
    rule?.resumed(into: &outbox)
    flush()
  }

  @inlinable
  func finish() {
    guard let ending = exchange(&outbox.ending, for: nil) else { return }
    let isFirst = markEnded()
    var observer = exchange(&self.observer, for: nil)
    letGo()
    if isFirst { observer?.end(ending) }
  }

  /// Releases the rule, the observer, the timer and all sources.
  @inlinable
  func letGo() {
    observer = nil
    waiting = []
    letGoOfSources()
  }

  /// Releases what feeds the stream; what waits for the observer stays.
  @inlinable
  func letGoOfSources() {
    rule = nil
    timer = nil
    joined = []
    let ending = outbox.ending
    let places = exchange(&outbox, for: Outbox()).ports.places
    outbox.ending = ending
    // The last first: a flow that has come out of another goes before that one.
    for place in places.reversed() { place.subscription?.dispose() }
  }

  /// Passes something on to the sources, now and when they come.
  @usableFromInline
  func passOn(_ message: Upward) {
    guard rule != nil else { return }
    let next: Upward
    switch message {
    case .join(let member, let above):
      next = .join(member, above: above + (R.sendsOncePerEvent ? 1 : 0))
      joined.append(next)
    case .inspect(let visitor, let below):
      guard
        let node = visitor.visit(
          self, GraphVisitor.operatorName(of: R.self), waiting: waiting.count, isPaused: isPaused,
          below: below)
      else { return }
      next = .inspect(visitor, below: node)
    }
    for place in outbox.ports.places { place.subscription?.pass(next) }
  }

  // MARK: Outside the gate

  @inlinable
  func work(_ task: Outbox<R>.Task) {
    switch task {
    case .subscribe(let inner, let port):
      guard !isDisposed else { return }
      inner.subscribe(InnerInlet(kernel: self, port: port))
    case .resume(let subscription):
      subscription.resume()
    }
  }

  // MARK: Subscription

  @usableFromInline
  override func onDispose() {
    performFromTable(self, .dispose)
  }

  @usableFromInline
  override func resume() {
    performFromTable(self, .resume)
  }

  @usableFromInline
  override func pass(_ message: Upward) {
    performFromTable(self, .upward(message))
  }
}

/// The scheduler of a rule that needs no time.
@frozen
@usableFromInline
struct NoTime: TimeScheduler {
  @inlinable
  init() {}

  @inlinable var now: Moment { .zero }

  @inlinable
  func schedule(_ work: @escaping @Sendable () -> Void) {
    preconditionFailure("a rule that needs no time has asked for a job")
  }

  @inlinable
  func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> Disposable {
    preconditionFailure("a rule that needs no time has asked for a timer")
  }
}
