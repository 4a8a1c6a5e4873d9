import CFreshetThreads
import Synchronization

/// Lets one caller in at a time and never makes anybody wait.
///
/// Whoever finds the gate free is inside and delivers; whoever finds it taken
/// leaves its event in the backlog and goes. The one inside works off the
/// backlog before leaving, or hands it over to the next one who comes. So delivery is serial, in one order for everybody,
/// and never recursive: an event sent from inside a delivery is a late-comer
/// like any other.
///
/// This is not a lock: nothing blocks on it, so user code may run inside. The
/// caller that goes in is the one that leaves, on the same thread.
///
/// A gate belongs at first to the thread that made it. That thread goes in and out
/// with plain loads and stores. The first other thread that comes by takes the gate
/// away from it, once and for all; from then on going in and going out is an atomic
/// operation each. See `docs/decisions/streams-gate-belongs-to-a-thread.md`.
///
/// The backlog holds what arrives during one delivery. With every 1024th event in it
/// the sender is told that there is a crowd; its owner answers that with a pause, and
/// resumes when the backlog has been worked off. One that cannot pause, or is itself
/// the observer that is being told, decides how much it sends.
@frozen
@usableFromInline
struct Gate<Event: Sendable>: ~Copyable, Sendable {
  // 0: free. 1: somebody is inside. 2: somebody is inside and the backlog is not empty.
  // 3: nobody is inside, the backlog is not empty, and whoever comes by takes over.
  // While the gate belongs to a thread: 2 when the backlog is not empty, else 0.
  @usableFromInline let word: Atomic<UInt8>

  /// Written by the owner alone.
  @usableFromInline let ownerIsInside: Atomic<Bool>

  // The number of the thread that the gate belongs to, which is even; plus 1 once the gate
  // was taken from it. It changes under the lock.
  @usableFromInline let owner: Atomic<UInt>

  // The address of a `Backlog<Event>` with one reference, or 0; it is made when it is needed for the first time: most
  // gates never have one. Not a reference or a `Mutex` in place, because to destroy that the
  // type would have to be looked up by each hub that goes.
  @usableFromInline let place: Atomic<UInt>

  /// How it went for a caller that wanted to go in.
  @frozen
  @usableFromInline
  enum Entry {
    /// The caller is inside and handles its event itself.
    case inside
    /// The event is left for whoever is inside.
    case left
    /// The same, and there is a crowd: the source should be asked to pause.
    case leftMany
    /// The event is in the backlog, and the caller is inside to work that off.
    case tookOver
  }

  /// Makes a gate that belongs to the calling thread.
  @inlinable
  @inline(__always)
  init() {
    word = Atomic(0)
    ownerIsInside = Atomic(false)
    place = Atomic(0)
    owner = Atomic(freshet_has_thread_barrier() == 1 ? freshet_this_thread() : 1)
  }

  /// Releases the backlog; the owner of the gate calls it when it goes.
  @inlinable
  @inline(__always)
  borrowing func free() {
    guard let place = UnsafeRawPointer(bitPattern: place.load(ordering: .acquiring)) else { return }
    Unmanaged<Backlog<Event>>.fromOpaque(place).release()
  }

  /// Goes in if the gate is free.
  ///
  /// It may answer false for a gate that is free when it is to be taken from its
  /// owner first; `enter(orLeave:)` does that.
  @inlinable
  @inline(__always)
  borrowing func enter() -> Bool {
    let me = freshet_this_thread()
    let owner = owner.load(ordering: .acquiring)
    if owner == me { return enterAsOwner(me) }
    guard owner & 1 == 1 else { return false }
    return word.compareExchange(expected: 0, desired: 1, ordering: .acquiring).exchanged
  }

  @inlinable
  @inline(__always)
  borrowing func enterAsOwner(_ me: UInt) -> Bool {
    if ownerIsInside.load(ordering: .acquiring) { return false }
    ownerIsInside.store(true, ordering: .relaxed)
    // Store, then load: the fence keeps the compiler from exchanging them, and the barrier in
    // `take` the processor.
    atomicMemoryFence(ordering: .acquiringAndReleasing)
    if owner.load(ordering: .relaxed) == me { return true }
    return enterAsFormerOwner()
  }

  /// Goes in, or leaves the event for whoever is inside.
  @inlinable
  @inline(__always)
  borrowing func enter(orLeave event: @autoclosure () -> Event) -> Entry {
    enter() ? .inside : enterSlowly(event())
  }

  /// Leaves, unless something has come in meanwhile.
  ///
  /// - Returns: False when the backlog must be worked off first: call ``takeBacklog()``.
  @inlinable
  @inline(__always)
  borrowing func leave() -> Bool {
    let me = freshet_this_thread()
    let owner = owner.load(ordering: .relaxed)
    if owner == me {
      if word.load(ordering: .relaxed) != 0 { return false }
      ownerIsInside.store(false, ordering: .releasing)
      atomicMemoryFence(ordering: .acquiringAndReleasing)  // See `enterAsOwner`.
      return self.owner.load(ordering: .relaxed) == me || leaveAsFormerOwner()
    }
    if owner == me | 1, ownerIsInside.load(ordering: .relaxed) { return leaveAsFormerOwner() }
    return word.compareExchange(expected: 1, desired: 0, ordering: .releasing).exchanged
  }

  /// Leaves although the backlog is not empty, if another caller comes by to take over.
  ///
  /// Without it a caller that came in for one event, say to subscribe, would deliver
  /// for as long as others go on sending. Nobody waits: the caller looks around for
  /// about a microsecond and otherwise stays inside.
  ///
  /// - Returns: True when the caller is outside.
  @inlinable
  borrowing func handOver() -> Bool {
    // An owner is alone with its gate: there is nobody to take over.
    guard owner.load(ordering: .relaxed) & 1 == 1, !isOwedNotice else { return false }
    guard word.compareExchange(expected: 2, desired: 3, ordering: .releasing).exchanged else {
      return false
    }
    for _ in 0..<500 where word.load(ordering: .relaxed) != 3 { return true }
    return !word.compareExchange(expected: 3, desired: 2, ordering: .acquiring).exchanged
  }

  /// Takes what has come in, in order, up to a limit.
  ///
  /// Only the one inside may call it.
  @inlinable
  borrowing func takeBacklog() -> [Event] {
    backlog.state.withLock { backlog in
      let isOwner = owner.load(ordering: .relaxed) == freshet_this_thread()
      if !isOwner, isOwedNotice {
        backlog.owesNotice = false
        ownerIsInside.store(false, ordering: .relaxed)
      }
      var taken: [Event] = []
      while taken.count < 256, let event = backlog.events.popFirst() { taken.append(event) }
      if backlog.events.isEmpty { word.store(isOwner ? 0 : 1, ordering: .relaxed) }
      return taken
    }
  }
}

// MARK: The slow ways

extension Gate {
  @inlinable
  borrowing func enterSlowly(_ event: Event) -> Entry {
    backlog.state.withLock { backlog in
      let owner = owner.load(ordering: .relaxed)
      if owner == freshet_this_thread() {
        // The owner comes from inside its own delivery.
        backlog.events.append(event)
        word.store(2, ordering: .relaxed)
        return backlog.isCrowded ? .leftMany : .left
      }
      if owner & 1 == 0, take(from: owner, &backlog) { return .inside }
      return enterShared(event, &backlog)
    }
  }

  @inlinable
  borrowing func enterShared(_ event: Event, _ backlog: inout Backlog<Event>.State) -> Entry {
    // Under the lock the word cannot go from 2 to 1, and it can go to 0 only from 1.
    while true {
      if word.compareExchange(expected: 0, desired: 1, ordering: .acquiring).exchanged {
        return .inside
      }
      if word.compareExchange(expected: 3, desired: 2, ordering: .acquiring).exchanged {
        backlog.events.append(event)
        return .tookOver
      }
      let (exchanged, original) = word.compareExchange(
        expected: 1, desired: 2, ordering: .acquiringAndReleasing)
      if exchanged || original == 2 {
        backlog.events.append(event)
        return backlog.isCrowded ? .leftMany : .left
      }
    }
  }

  /// Takes the gate from its owner: from now on it belongs to nobody.
  ///
  /// - Returns: Whether the caller is inside; otherwise the owner is.
  @inlinable
  borrowing func take(from owner: UInt, _ backlog: inout Backlog<Event>.State) -> Bool {
    // First of all: once others see that the gate is nobody's they go in when the word is 0,
    // and we do not know yet who is inside. Under the lock nobody else changes the word.
    if word.load(ordering: .relaxed) == 0 { word.store(1, ordering: .relaxed) }
    self.owner.store(owner | 1, ordering: .releasing)
    // After this either the owner's next look at `owner` sees the change, or we see that it
    // is inside.
    let result = freshet_thread_barrier()
    precondition(result == 0, "the system has taken back the barrier that it had granted")
    guard ownerIsInside.load(ordering: .acquiring) else { return true }
    backlog.owesNotice = true
    return false
  }

  /// Goes on where the owner finds that the gate was taken from it while it went in.
  @inlinable
  borrowing func enterAsFormerOwner() -> Bool {
    backlog.state.withLock { backlog in
      ownerIsInside.store(false, ordering: .releasing)
      return exchange(&backlog.owesNotice, for: false)
    }
  }

  /// Goes on where the owner finds that the gate was taken from it while it was inside.
  @inlinable
  borrowing func leaveAsFormerOwner() -> Bool {
    backlog.state.withLock { backlog in
      ownerIsInside.store(false, ordering: .releasing)
      // Otherwise whoever took it saw that we had left already.
      guard exchange(&backlog.owesNotice, for: false) else { return true }
      return word.compareExchange(expected: 1, desired: 0, ordering: .releasing).exchanged
    }
  }

  /// Whether the caller, who is inside, went in as the owner and has yet to notice that it
  /// is not any more.
  @inlinable
  var isOwedNotice: Bool {
    owner.load(ordering: .relaxed) == freshet_this_thread() | 1
      && ownerIsInside.load(ordering: .relaxed)
  }

  @inlinable
  var backlog: Backlog<Event> {
    if let place = UnsafeRawPointer(bitPattern: place.load(ordering: .acquiring)) {
      return Unmanaged<Backlog<Event>>.fromOpaque(place).takeUnretainedValue()
    }
    let new = Unmanaged.passRetained(Backlog<Event>())
    let (exchanged, original) = place.compareExchange(
      expected: 0, desired: UInt(bitPattern: new.toOpaque()), ordering: .acquiringAndReleasing)
    guard !exchanged, let place = UnsafeRawPointer(bitPattern: original) else {
      return new.takeUnretainedValue()
    }
    new.release()
    return Unmanaged<Backlog<Event>>.fromOpaque(place).takeUnretainedValue()
  }
}

/// What waits outside a gate, and what is changed only under its lock.
@usableFromInline
final class Backlog<Event: Sendable>: Sendable {
  @frozen
  @usableFromInline
  struct State: Sendable {
    @usableFromInline var events: Queue<Event>

    /// The owner was inside when the gate was taken from it, and has yet to notice.
    @usableFromInline var owesNotice: Bool

    @inlinable
    init() {
      events = Queue()
      owesNotice = false
    }

    /// With every 1024th event that waits its sender is told that there is a crowd.
    @inlinable var isCrowded: Bool { events.count & 1023 == 0 }
  }

  @usableFromInline let state: Mutex<State>

  @inlinable
  init() {
    state = Mutex(State())
  }
}
