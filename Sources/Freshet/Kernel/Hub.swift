/// The place where one stream of events fans out to many observers.
///
/// Every subject and every shared flow is a hub with another idea of what a new
/// observer is told first. The list of observers, the end and whatever the
/// owner keeps beside them belong to whoever is inside the gate, so the hot
/// path takes no lock: going in, one call per observer, going out.
///
/// - Order: observers are called in the order they subscribed. One that
///   subscribes during a delivery starts with the next event.
/// - Complexity: sending is O(n) in the number of observers; subscribing and
///   disposing are O(1), amortised.
// @unchecked: `slots`, `memory`, `hasEnded`, `failure`, `owesResume`, `mustResume`, `pausedCount`,
// `turns` and `hasTurns` are touched only by the one inside `gate`. `SubjectStressTests` under the
// thread sanitizer would notice.
@usableFromInline
final class Hub<Element: Sendable, Failure: Error, Memory: HubMemory>: @unchecked Sendable
where Memory.Element == Element {
  @usableFromInline
  enum Event: Sendable {
    case value(Element)
    case end(End<Failure>)
    case add(Slot<Element, Failure>)
    case remove(Slot<Element, Failure>)
    case resume(Slot<Element, Failure>)
    case abandon
    /// A sender that met a crowd was asked to pause.
    case crowded
    case upward(Upward, Slot<Element, Failure>)
  }

  // Initialised in `init`, where the types are known; an initial value written here would be made
  // by code for any types, which looks them up.
  @usableFromInline let gate: Gate<Event>
  @exclusivity(unchecked) @usableFromInline var slots: SlotList<Element, Failure>
  @exclusivity(unchecked) @usableFromInline var pausedCount: Int
  @exclusivity(unchecked) @usableFromInline var owesResume: Bool
  @exclusivity(unchecked) @usableFromInline var mustResume: Bool
  @exclusivity(unchecked) @usableFromInline var memory: Memory
  @exclusivity(unchecked) @usableFromInline var hasEnded: Bool
  // Not an `End?`: to destroy one of those the type would have to be looked up by each hub that
  // goes, and few fail.
  @exclusivity(unchecked) @usableFromInline var failure: UnsafeMutablePointer<Failure>?

  /// Who below is told of each event, besides being delivered to.
  @exclusivity(unchecked) @usableFromInline var turns: Turns?
  @exclusivity(unchecked) @usableFromInline var hasTurns: Bool

  /// Called, outside the gate, when the last paused observer wants to go on.
  ///
  /// It may run the source's loop: inside the gate that would fill the backlog.
  @usableFromInline let onResume: (@Sendable () -> Void)?

  /// Called, outside any lock, for each observer that left before the end.
  @usableFromInline let onLeave: (@Sendable () -> Void)?

  /// Passes something on to the hub's own source, if it has one.
  @usableFromInline let onUpward: (@Sendable (Upward) -> Void)?

  @inlinable
  init(
    memory: Memory,
    onResume: (@Sendable () -> Void)? = nil,
    onLeave: (@Sendable () -> Void)? = nil,
    onUpward: (@Sendable (Upward) -> Void)? = nil
  ) {
    gate = Gate()
    slots = SlotList()
    pausedCount = 0
    owesResume = false
    mustResume = false
    hasEnded = false
    failure = nil
    turns = nil
    hasTurns = false
    self.memory = memory
    self.onResume = onResume
    self.onLeave = onLeave
    self.onUpward = onUpward
  }

  deinit {
    gate.free()
    // Asked first: here a call of a method of `SlotList` would look up its type.
    if slots.first != nil { slots.releaseAll() }
    if let failure {
      failure.deinitialize(count: 1)
      failure.deallocate()
    }
  }

  /// How the stream has ended; nil while it has not.
  @inlinable
  @inline(__always)
  var ending: End<Failure>? {
    guard hasEnded else { return nil }
    return if let failure { .failed(failure.pointee) } else { .finished }
  }

  /// Sends a value to everybody.
  ///
  /// - Returns: `.pause` when an observer wants a pause, as far as this sender can know.
  @inlinable
  @discardableResult
  func send(_ value: Element) -> Answer {
    switch gate.enter(orLeave: .value(value)) {
    case .inside: break
    case .left: return .more
    case .leftMany:
      perform(.crowded)
      return .pause
    case .tookOver:
      workOffBacklog()
      return .more
    }
    deliver(value)
    let answer: Answer = pausedCount == 0 ? .more : .pause
    if answer == .pause { owesResume = true }
    if !gate.leave() { workOffBacklog() }
    return answer
  }

  /// Sends a value if nobody is inside; false means that it was not sent.
  @inlinable
  func trySend(_ value: Element) -> Bool {
    guard gate.enter() else { return false }
    deliver(value)
    if !gate.leave() { workOffBacklog() }
    return true
  }

  /// Lets go of all observers without telling them anything: nobody can send any more.
  @inlinable
  func abandon() {
    perform(.abandon)
  }

  /// Ends the stream for everybody, now and later.
  @inlinable
  func send(end: End<Failure>) {
    guard gate.enter() else {
      perform(.end(end))
      return
    }
    finish(end)
    goOut()
  }

  /// Sends a value and finishes the stream.
  @inlinable
  func send(last value: Element) {
    guard gate.enter() else {
      send(value)
      send(end: .finished)
      return
    }
    deliver(value)
    finish(.finished)
    goOut()
  }

  /// Connects an observer.
  @inlinable
  func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    let slot = BoxSlot<O, Memory>(hub: self)
    var observer = observer
    observer.start(slot)
    guard !slot.isDisposed else { return slot }
    slot.observer = observer
    guard gate.enter() else {
      perform(.add(slot))
      return slot
    }
    add(slot)
    goOut()
    return slot
  }

  /// Disconnects an observer.
  @inlinable
  func leave(_ slot: Slot<Element, Failure>) {
    guard gate.enter() else {
      perform(.remove(slot))
      return
    }
    remove(slot)
    goOut()
  }

  @inlinable
  func perform(_ event: Event) {
    switch gate.enter(orLeave: event) {
    case .inside: handle(event)
    case .left, .leftMany: return
    case .tookOver: break
    }
    goOut()
  }

  @inlinable
  @inline(__always)
  func goOut() {
    if mustResume || !gate.leave() { workOffBacklog() }
  }

  @inlinable
  func workOffBacklog() {
    var handled = 0
    var resumes = false
    while true {
      if exchange(&mustResume, for: false) { resumes = true }
      if gate.leave() { break }
      if handled >= 256 {
        handled = 0
        if gate.handOver() { break }
      }
      let events = gate.takeBacklog()
      handled += events.count
      for event in events { handle(event) }
    }
    if resumes { onResume?() }
  }

  @inlinable
  func handle(_ event: Event) {
    switch event {
    case .value(let value): deliver(value)
    case .end(let end): finish(end)
    case .add(let slot): add(slot)
    case .remove(let slot): remove(slot)
    case .resume(let slot): resume(slot)
    case .abandon: abandonAll()
    case .crowded:
      if pausedCount == 0 { mustResume = true } else { owesResume = true }
    case .upward(let message, let slot): pass(message, from: slot)
    }
  }

  /// Tells those who are to be told around a delivery.
  @usableFromInline
  func deliverInTurn(_ value: Element) {
    let members = turns?.inOrder() ?? []
    for member in members { member.hold() }
    hasTurns = false  // For this delivery: see `deliver`.
    deliver(value)
    hasTurns = turns?.isEmpty == false
    // One that has joined meanwhile may have to speak before others.
    for member in members { member.letGo() }
  }

  @usableFromInline
  func pass(_ message: Upward, from slot: Slot<Element, Failure>) {
    guard !slot.isDisposed else { return }
    switch message {
    case .join(let member, let above):
      guard !hasEnded else { return }
      member.raise(to: above)
      if turns == nil { turns = Turns() }
      turns?.join(member, above: above, at: slot)
      hasTurns = true
      onUpward?(message)
    case .inspect(let visitor, let below):
      var observers = 0
      slots.forEach { if !$0.isDisposed { observers += 1 } }
      let node = visitor.visit(
        self, Memory.name, observers: observers, isPaused: pausedCount > 0, below: below)
      if let node { onUpward?(.inspect(visitor, below: node)) }
    }
  }

  @usableFromInline
  func leaveTurns(_ slot: Slot<Element, Failure>) {
    turns?.leave(slot)
    hasTurns = turns?.isEmpty == false
  }

  @usableFromInline
  func forgetTurns() {
    turns = nil
    hasTurns = false
  }

  @inlinable
  @inline(__always)
  func deliver(_ value: Element) {
    guard !hasEnded else { return }
    if hasTurns {
      deliverInTurn(value)
      return
    }
    // Asked first, because a mutating access to a memory of no size counts, for the thread
    // sanitizer, as one to the whole object.
    if Memory.remembers { memory.remember(value) }
    // Nothing can change the list while we are inside the gate, so it is walked in place.
    slots.forEach { offer(value, to: $0) }
  }

  @inlinable
  @inline(__always)
  func offer(_ value: Element, to slot: Slot<Element, Failure>) {
    guard !slot.isDisposed else { return }
    let answer = slot.receive(slot, value)
    if answer == .more { return }
    note(answer, of: slot)
  }

  @inlinable
  func note(_ answer: Answer, of slot: Slot<Element, Failure>) {
    switch answer {
    case .more: break
    case .stop: slot.dispose()
    case .pause:
      guard !slot.isPaused else { break }
      slot.isPaused = true
      pausedCount += 1
    }
  }

  @inlinable
  func finish(_ end: End<Failure>) {
    guard !hasEnded else { return }
    hasEnded = true
    if case .failed(let reason) = end {
      let place = UnsafeMutablePointer<Failure>.allocate(capacity: 1)
      place.initialize(to: reason)
      failure = place
    }
    if hasTurns { forgetTurns() }
    pausedCount = 0
    // Nothing can change the list while we are inside the gate. Nobody is let go before all
    // have been told.
    slots.forEach { slot in
      if slot.markEnded() { slot.perform(slot, .finish) }
    }
    releaseAll()
  }

  /// Lets go of everybody without a word.
  @inlinable
  func abandonAll() {
    if hasTurns { forgetTurns() }
    slots.forEach { _ = $0.markEnded() }
    releaseAll()
  }

  @inlinable
  func releaseAll() {
    slots.forEach { $0.perform($0, .release) }
    slots.releaseAll()
  }

  @inlinable
  func add(_ slot: Slot<Element, Failure>) {
    slot.isAdded = true
    guard !slot.isDisposed else {
      slot.perform(slot, .release)
      return
    }
    slots.append(slot)
    if Memory.remembers, !hasEnded || Memory.outlivesEnd {
      memory.replay { value in
        guard !slot.isDisposed else { return }
        note(slot.receive(slot, value), of: slot)
      }
    }
    if hasEnded {
      slots.remove(slot)
      if slot.markEnded() { slot.perform(slot, .finish) }
      slot.perform(slot, .release)
    }
  }

  @inlinable
  func remove(_ slot: Slot<Element, Failure>) {
    // One that is not in yet still belongs to the thread that subscribes; `add` releases it.
    if slot.isAdded { slot.perform(slot, .release) }
    if slot.isPaused { resume(slot) }
    slots.remove(slot)
    if hasTurns { leaveTurns(slot) }
    onLeave?()
  }

  @inlinable
  func resume(_ slot: Slot<Element, Failure>) {
    guard slot.isPaused else { return }
    slot.isPaused = false
    pausedCount -= 1
    guard pausedCount == 0, owesResume else { return }
    owesResume = false
    mustResume = true
  }
}

/// What a hub remembers of its stream for those who come later.
@usableFromInline
protocol HubMemory: Sendable {
  associatedtype Element: Sendable

  /// Whether there is anything to remember.
  static var remembers: Bool { get }

  /// Whether a late observer is told the remembered values even after the end.
  static var outlivesEnd: Bool { get }

  /// What a graph calls a hub with this memory.
  static var name: String { get }

  /// Takes note of a value that is about to be delivered.
  mutating func remember(_ value: Element)

  /// Tells the remembered values, oldest first.
  func replay(_ body: (Element) -> Void)
}

extension HubMemory {
  @inlinable static var remembers: Bool { true }
  @inlinable static var name: String { "subject" }
}

/// Remembers nothing.
@frozen
@usableFromInline
struct NoMemory<Element: Sendable>: HubMemory {
  @inlinable init() {}
  @inlinable static var remembers: Bool { false }
  @inlinable static var outlivesEnd: Bool { false }
  @inlinable @inline(__always) mutating func remember(_ value: Element) {}
  @inlinable func replay(_ body: (Element) -> Void) {}
}
