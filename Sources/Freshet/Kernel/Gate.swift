import Synchronization

/// Lets one caller in at a time and never makes anybody wait.
///
/// Whoever finds the gate free is inside and delivers; whoever finds it taken
/// leaves its event in the backlog and goes. The one inside works off the
/// backlog before leaving. So delivery is serial, in one order for everybody,
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
  @usableFromInline let word = Atomic<UInt8>(0)
  @usableFromInline let backlog = Mutex<[Event]>([])

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
  ///
  /// - Returns: True when the caller is inside and must handle the event itself.
  @inlinable
  @inline(__always)
  borrowing func enter(orLeave event: @autoclosure () -> Event) -> Bool {
    enter() || enterSlowly(event())
  }

  @usableFromInline
  borrowing func enterSlowly(_ event: Event) -> Bool {
    backlog.withLock { backlog in
      // Under the lock the word cannot go from 2 to 1, and it can go to 0 only from 1.
      while true {
        if word.compareExchange(expected: 0, desired: 1, ordering: .acquiring).exchanged {
          return true
        }
        let (exchanged, original) = word.compareExchange(
          expected: 1, desired: 2, ordering: .acquiringAndReleasing)
        if exchanged || original == 2 {
          backlog.append(event)
          return false
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

  /// Takes everything that has come in, in order.
  ///
  /// Only the one inside may call it.
  @usableFromInline
  borrowing func takeBacklog() -> [Event] {
    backlog.withLock { backlog in
      word.store(1, ordering: .relaxed)
      return exchange(&backlog, for: [])
    }
  }
}
