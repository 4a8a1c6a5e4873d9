import Synchronization

/// Runs work at once, but never inside other work: what is scheduled meanwhile comes next.
///
/// It keeps recursion flat. Work scheduled from several threads at once is run by
/// the thread that found the scheduler idle.
public final class TrampolineScheduler: Scheduler {
  private struct State: Sendable {
    var queue = Queue<@Sendable () -> Void>()
    var isRunning = false
  }

  private let state = Mutex(State())

  /// Makes an idle scheduler.
  public init() {}

  /// Runs work now, or after the work that is running.
  ///
  /// From inside other work, or while another thread runs some, it returns at once and the work
  /// is run by whoever is running.
  public func schedule(_ work: @escaping @Sendable () -> Void) {
    let isOurs = state.withLock { state in
      state.queue.append(work)
      return !exchange(&state.isRunning, for: true)
    }
    guard isOurs else { return }
    while true {
      let next = state.withLock { state in
        let next = state.queue.popFirst()
        if next == nil { state.isRunning = false }
        return next
      }
      guard let next else { return }
      next()
    }
  }
}
