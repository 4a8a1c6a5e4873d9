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

/// The subject behind one part.
@usableFromInline
final class SplitPart<Value: Sendable, Failure: Error>: Sendable {
  @usableFromInline let subject: PublishSubject<Value, Failure>
  private let handle: SplitHandle

  /// Whether anybody has subscribed.
  private let taken = Atomic<Bool>(false)

  @usableFromInline
  init(handle: SplitHandle) {
    self.handle = handle
    subject = PublishSubject(onResume: { handle.resumePart() })
  }

  @usableFromInline
  var isTaken: Bool { taken.load(ordering: .sequentiallyConsistent) }

  @inlinable
  func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Value, O.Failure == Failure {
    let subscription = subject.subscribe(observer)
    noteTaken()
    return subscription
  }

  @usableFromInline
  func noteTaken() {
    if !taken.exchange(true, ordering: .sequentiallyConsistent) { handle.partWasTaken() }
  }
}

/// Hands parts down, and values into parts.
///
/// Parts are hot, so nothing may overtake. A pause of a part's observer pauses the
/// source. A pause of the observer that gets the parts does so only when there is
/// another part to hand over, or something for a part that it has not subscribed to
/// yet: the parts that it follows go on.
@frozen
@usableFromInline
struct SplitOutlet<Value: Sendable, Downstream: Observer>: Observer {
  @usableFromInline
  typealias Element = SplitStep<Downstream.Element, Value, Downstream.Failure>
  @usableFromInline typealias Failure = Downstream.Failure
  @usableFromInline var downstream: Downstream
  @usableFromInline let handle: SplitHandle

  /// What waits for the observer of the parts.
  @usableFromInline var held = Queue<Element>()

  @inlinable
  init(downstream: Downstream, handle: SplitHandle) {
    self.downstream = downstream
    self.handle = handle
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
    while let next = held.first, !mustWait(next) {
      _ = held.popFirst()
      if perform(next) == .stop { return .stop }
    }
    return held.isEmpty ? .more : .pause
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
    if handle.isDisposed { return .stop }
    switch step {
    case .open(let part):
      handle.beginDelivery()
      let answer = downstream.receive(part)
      handle.endDelivery(answer)
      guard answer == .stop else { return .more }
      handle.dispose()
      return .stop
    case .value(let value, let part):
      return part.subject.send(value)
    case .close(.finished, let part):
      part.subject.finish()
    case .close(.failed(let failure), let part):
      part.subject.fail(failure)
    case .poke:
      break
    }
    return .more
  }

  @inlinable
  mutating func end(_ end: End<Failure>) {
    while let step = held.popFirst() { _ = perform(step) }
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
  }

  private let phase = Atomic<UInt8>(0)
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
  func beginDelivery() {
    phase.store(Phase.delivering, ordering: .releasing)
  }

  @usableFromInline
  func endDelivery(_ answer: Answer) {
    let next = answer == .pause ? Phase.paused : Phase.open
    let (isDone, _) = phase.compareExchange(
      expected: Phase.delivering, desired: next, ordering: .sequentiallyConsistent)
    if !isDone { phase.store(Phase.open, ordering: .releasing) }
  }

  // MARK: The observers' side

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
    let links = links.withLock { exchange(&$0, for: Links()) }
    links.kernel?.dispose()
  }
}
