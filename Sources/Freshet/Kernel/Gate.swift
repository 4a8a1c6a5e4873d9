import Synchronization

/// Lets one caller in at a time and never makes anybody wait.
///
/// Whoever finds the gate free is inside and delivers; whoever finds it taken
/// leaves its event in the backlog and goes. The one inside works off the
/// backlog before leaving, or hands it over to the next one who comes. So delivery is serial, in one order for everybody,
/// and never recursive: an event sent from inside a delivery is a late-comer
/// like any other.
///
/// This is not a lock: nothing blocks on it, so user code may run inside.
///
/// The backlog holds what arrives during one delivery. A source that is sent to
/// from many threads, or from inside its own observers, decides by itself how
/// much that is.
@frozen
@usableFromInline
struct Gate<Event: Sendable>: ~Copyable, Sendable {
  // 0: free. 1: somebody is inside. 2: somebody is inside and the backlog is not empty.
  // 3: nobody is inside, the backlog is not empty, and whoever comes by takes over.
  @usableFromInline let word = Atomic<UInt8>(0)
  @usableFromInline let backlog = Mutex<Queue<Event>>(Queue())

  /// How it went for a caller that wanted to go in.
  @frozen
  @usableFromInline
  enum Entry {
    /// The caller is inside and handles its event itself.
    case inside
    /// The event is left for whoever is inside.
    case left
    /// The event is in the backlog, and the caller is inside to work that off.
    case tookOver
  }

  @inlinable
  @inline(__always)
  init() {}

  /// Goes in if the gate is free.
  @inlinable
  @inline(__always)
  borrowing func enter() -> Bool {
    word.compareExchange(expected: 0, desired: 1, ordering: .acquiring).exchanged
  }

  /// Goes in, or leaves the event for whoever is inside.
  @inlinable
  @inline(__always)
  borrowing func enter(orLeave event: @autoclosure () -> Event) -> Entry {
    enter() ? .inside : enterSlowly(event())
  }

  @usableFromInline
  borrowing func enterSlowly(_ event: Event) -> Entry {
    backlog.withLock { backlog in
      // Under the lock the word cannot go from 2 to 1, and it can go to 0 only from 1.
      while true {
        if word.compareExchange(expected: 0, desired: 1, ordering: .acquiring).exchanged {
          return .inside
        }
        if word.compareExchange(expected: 3, desired: 2, ordering: .acquiring).exchanged {
          backlog.append(event)
          return .tookOver
        }
        let (exchanged, original) = word.compareExchange(
          expected: 1, desired: 2, ordering: .acquiringAndReleasing)
        if exchanged || original == 2 {
          backlog.append(event)
          return .left
        }
      }
    }
  }

  /// Leaves, unless something has come in meanwhile.
  ///
  /// - Returns: False when the backlog must be worked off first: call ``takeBacklog()``.
  @inlinable
  @inline(__always)
  borrowing func leave() -> Bool {
    word.compareExchange(expected: 1, desired: 0, ordering: .releasing).exchanged
  }

  /// Leaves although the backlog is not empty, if another caller comes by to take over.
  ///
  /// Without it a caller that came in for one event, say to subscribe, would deliver
  /// for as long as others go on sending. Nobody waits: the caller looks around for
  /// about a microsecond and otherwise stays inside.
  ///
  /// - Returns: True when the caller is outside.
  @usableFromInline
  borrowing func handOver() -> Bool {
    guard word.compareExchange(expected: 2, desired: 3, ordering: .releasing).exchanged else {
      return false
    }
    for _ in 0..<500 where word.load(ordering: .relaxed) != 3 { return true }
    return !word.compareExchange(expected: 3, desired: 2, ordering: .acquiring).exchanged
  }

  /// Takes what has come in, in order, up to a limit.
  ///
  /// Only the one inside may call it.
  @usableFromInline
  borrowing func takeBacklog() -> [Event] {
    backlog.withLock { backlog in
      var taken: [Event] = []
      while taken.count < 256, let event = backlog.popFirst() { taken.append(event) }
      if backlog.isEmpty { word.store(1, ordering: .relaxed) }
      return taken
    }
  }
}
