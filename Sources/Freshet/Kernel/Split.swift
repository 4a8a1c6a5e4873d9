import Synchronization

/// Something to do with the parts that a flow is split into; done by the outlet, in order.
@frozen
@usableFromInline
enum SplitStep<Part: Sendable, Value: Sendable, Failure: Error>: Sendable {
  case open(Part)
  case value(Value, SplitPart<Value, Failure>)
  case close(End<Failure>, SplitPart<Value, Failure>)
  /// Do what has waited.
  case poke
}

/// The hub behind one part.
@usableFromInline
final class SplitPart<Value: Sendable, Failure: Error>: Sendable {
  @usableFromInline let hub: Hub<Value, Failure, Unread<Value>>
  @usableFromInline let unread: Unread<Value>
  @usableFromInline let place: SplitPlace

  @usableFromInline
  init(handle: SplitHandle) {
    let place = SplitPlace(handle: handle)
    let unread = Unread<Value>()
    self.place = place
    self.unread = unread
    hub = Hub(
      memory: unread, onResume: { handle.resumePart() }, onLeave: { place.leave() },
      onUpward: { handle.passUp($0) })
  }

  deinit {
    hub.abandon()
  }

  @usableFromInline
  var isTaken: Bool { place.isTaken }

  @inlinable
  func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Value, O.Failure == Failure {
    place.join()
    let subscription = hub.subscribe(observer)
    place.take()
    return subscription
  }

  /// Ends the part for everybody.
  @inlinable
  func end(_ end: End<Failure>) {
    hub.send(end: end)
    place.close()
  }
}

/// What a part keeps for its first observer, when it was told to.
@usableFromInline
final class Unread<Value: Sendable>: HubMemory {
  @usableFromInline typealias Element = Value
  private let kept = Mutex<[Value]?>(nil)

  init() {}

  @usableFromInline static var outlivesEnd: Bool { true }

  /// Keeps what comes from now on for an observer that is yet to come.
  @usableFromInline
  func begin() {
    kept.withLock { kept in
      if kept == nil { kept = [] }
    }
  }

  @usableFromInline
  func remember(_ value: Value) {
    kept.withLock { $0?.append(value) }
  }

  @usableFromInline
  func replay(_ body: (Value) -> Void) {
    let values = kept.withLock { exchange(&$0, for: nil) }
    for value in values ?? [] { body(value) }
  }
}

/// Who follows one part.
@usableFromInline
final class SplitPlace: Sendable {
  private struct State: Sendable {
    var observers = 0
    var isClosed = false
  }

  private let handle: SplitHandle
  private let state = Mutex(State())

  /// Whether anybody has subscribed.
  private let taken = Atomic<Bool>(false)

  init(handle: SplitHandle) {
    self.handle = handle
  }

  @usableFromInline
  var isTaken: Bool { taken.load(ordering: .sequentiallyConsistent) }

  /// Counts an observer in, before it subscribes.
  @usableFromInline
  func join() {
    let counts = state.withLock { state in
      if !state.isClosed { state.observers += 1 }
      return !state.isClosed
    }
    if counts { handle.count(1) }
  }

  /// Takes note that somebody has subscribed.
  @usableFromInline
  func take() {
    if !taken.exchange(true, ordering: .sequentiallyConsistent) { handle.partWasTaken() }
  }

  func leave() {
    let counts = state.withLock { state in
      if !state.isClosed { state.observers -= 1 }
      return !state.isClosed
    }
    if counts { handle.count(-1) }
  }

  @usableFromInline
  func close() {
    let observers = state.withLock { state in
      state.isClosed = true
      return exchange(&state.observers, for: 0)
    }
    if observers > 0 { handle.count(-observers) }
  }
}

/// Hands parts down, and values into parts.
///
/// Parts are hot, so nothing may overtake. A pause of a part's observer pauses the
/// source. A pause of the observer that gets the parts does so only when there is
/// another part to hand over, or something for a part that it has not subscribed to
/// yet, and `capacity` such steps wait: the parts that it follows go on.
///
/// When the observer of the parts is gone, those that are followed go on; the source is
/// let go with the last of their observers.
@frozen
@usableFromInline
struct SplitOutlet<Value: Sendable, Downstream: Observer>: Observer {
  @usableFromInline
  typealias Element = SplitStep<Downstream.Element, Value, Downstream.Failure>
  @usableFromInline typealias Failure = Downstream.Failure
  @usableFromInline var downstream: Downstream
  @usableFromInline let handle: SplitHandle
  @usableFromInline let capacity: Int

  /// What waits for the observer of the parts.
  @usableFromInline var held = Queue<Element>()

  @inlinable
  init(downstream: Downstream, handle: SplitHandle, capacity: Int = 1) {
    self.downstream = downstream
    self.handle = handle
    self.capacity = capacity
  }

  @inlinable static var mayPause: Bool { true }

  @inlinable
  mutating func start(_ subscription: Subscription) {
    handle.attach(subscription)
    downstream.start(handle)
  }

  @inlinable
  mutating func receive(_ step: Element) -> Answer {
    if held.isEmpty, !mustWait(step) { return perform(step) }
    held.append(step)
    var answer = Answer.more
    while let next = held.first, !mustWait(next) {
      _ = held.popFirst()
      switch perform(next) {
      case .more: break
      case .pause: answer = .pause
      case .stop: return .stop
      }
    }
    return held.count < capacity ? answer : .pause
  }

  @inlinable
  func mustWait(_ step: Element) -> Bool {
    guard handle.isPaused else { return false }
    return switch step {
    case .open: true
    case .value(_, let part), .close(_, let part): !part.isTaken
    case .poke: false
    }
  }

  @inlinable
  mutating func perform(_ step: Element) -> Answer {
    if handle.isOver { return .stop }
    switch step {
    case .open(let part):
      // A part for which nobody asks any more is dropped.
      guard !handle.isDisposed else { return .more }
      handle.beginDelivery()
      let answer = downstream.receive(part)
      handle.endDelivery(answer)
      if answer == .stop { handle.dispose() }
      return handle.isOver ? .stop : .more
    case .value(let value, let part):
      return part.hub.send(value)
    case .close(let end, let part):
      part.end(end)
    case .poke:
      break
    }
    return .more
  }

  @inlinable
  mutating func end(_ end: End<Failure>) {
    // What is for parts that the observer has yet to subscribe to is kept for it there.
    while let step = held.popFirst() {
      if case .value(_, let part) = step, !part.isTaken { part.unread.begin() }
      _ = perform(step)
    }
    if handle.markEnded() { downstream.end(end) }
    handle.letGo()
  }
}

/// The handle that the observer of the parts gets: it tells its pauses from theirs.
// @unchecked is inherited; what is added here is atomic or in a mutex.
@usableFromInline
final class SplitHandle: Subscription, @unchecked Sendable {
  private enum Phase {
    static var open: UInt8 { 0 }
    static var delivering: UInt8 { 1 }
    static var deliveringAndResumed: UInt8 { 2 }
    static var paused: UInt8 { 3 }
  }

  private struct Links: Sendable {
    var kernel: Subscription?
    var poke: (@Sendable () -> Void)?
    /// How many follow parts.
    var observers = 0
  }

  private let phase = Atomic<UInt8>(0)

  /// Whether nobody is left: neither the observer of the parts nor one of a part.
  private let over = Atomic<Bool>(false)
  private let links = Mutex(Links())

  @usableFromInline
  override init() {}

  /// Sets what sends a `.poke` through the kernel.
  @usableFromInline
  func onPoke(_ poke: @escaping @Sendable () -> Void) {
    links.withLock { $0.poke = poke }
  }

  @usableFromInline
  func attach(_ kernel: Subscription) {
    links.withLock { $0.kernel = kernel }
  }

  /// Ends the cycle of kernel, outlet and handle.
  @usableFromInline
  func letGo() {
    let links = links.withLock { exchange(&$0, for: Links()) }
    _ = links  // Released outside the lock.
  }

  // MARK: The outlet's side

  @usableFromInline
  var isPaused: Bool { phase.load(ordering: .sequentiallyConsistent) == Phase.paused }

  @usableFromInline
  var isOver: Bool { over.load(ordering: .acquiring) }

  @usableFromInline
  func beginDelivery() {
    phase.store(Phase.delivering, ordering: .releasing)
  }

  @usableFromInline
  func endDelivery(_ answer: Answer) {
    let next = answer == .pause ? Phase.paused : Phase.open
    let (isDone, _) = phase.compareExchange(
      expected: Phase.delivering, desired: next, ordering: .sequentiallyConsistent)
    // A dispose that came while the part was handed over has opened it for good.
    if !isDone || isDisposed { phase.store(Phase.open, ordering: .releasing) }
  }

  // MARK: The observers' side

  /// Counts the observers of parts.
  fileprivate func count(_ change: Int) {
    let last = links.withLock { links -> Links? in
      links.observers += change
      guard links.observers == 0, change < 0, isDisposed else { return nil }
      return exchange(&links, for: Links())
    }
    if let last { stop(last) }
  }

  private func stop(_ links: Links) {
    over.store(true, ordering: .releasing)
    links.kernel?.dispose()
  }

  /// The observer of a part wants to go on.
  @usableFromInline
  func resumePart() {
    links.withLock { $0.kernel }?.resume()
  }

  /// Somebody has subscribed to a part: what waits for that may go on.
  fileprivate func partWasTaken() {
    if isPaused { proceed() }
  }

  private func proceed() {
    let links = links.withLock { $0 }
    links.kernel?.resume()
    links.poke?()
  }

  @usableFromInline
  override func resume() {
    let isDelivering = phase.compareExchange(
      expected: Phase.delivering, desired: Phase.deliveringAndResumed,
      ordering: .acquiringAndReleasing
    ).exchanged
    if isDelivering { return }
    let wasPaused = phase.compareExchange(
      expected: Phase.paused, desired: Phase.open, ordering: .acquiringAndReleasing
    ).exchanged
    if wasPaused { proceed() }
  }

  @usableFromInline
  override func onDispose() {
    // Nobody waits for parts any more.
    phase.store(Phase.open, ordering: .sequentiallyConsistent)
    let last = links.withLock { links in
      links.observers == 0 ? exchange(&links, for: Links()) : nil
    }
    if let last { stop(last) } else { proceed() }
  }

  @usableFromInline
  override func pass(_ message: Upward) {
    passUp(message)
  }

  fileprivate func passUp(_ message: Upward) {
    links.withLock { $0.kernel }?.pass(message)
  }
}
