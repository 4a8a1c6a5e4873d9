import Synchronization

/// Where a task waits until it is called, once per wait.
///
/// A call that comes first is not lost.
final class ResumeGate: Sendable {
  private struct State: Sendable {
    var isOpen = false
    var waiter: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())

  func open() {
    let waiter = state.withLock { state in
      let waiter = exchange(&state.waiter, for: nil)
      if waiter == nil { state.isOpen = true }
      return waiter
    }
    waiter?.resume()
  }

  func wait() async {
    await withCheckedContinuation { waiter in
      let isOpen = state.withLock { state in
        if exchange(&state.isOpen, for: false) { return true }
        state.waiter = waiter
        return false
      }
      if isOpen { waiter.resume() }
    }
  }
}
