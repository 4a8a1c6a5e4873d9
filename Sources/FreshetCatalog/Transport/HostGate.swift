import Freshet
import Synchronization

/// Lets so many requests at a time through to each server; the others wait in order.
final class HostGate: Sendable {
  /// The right to talk to a server; it goes back with its release, at the latest with its last
  /// reference.
  final class Permit: Sendable {
    private let gate: HostGate
    private let host: String
    private let isReleased = Atomic<Bool>(false)

    fileprivate init(_ gate: HostGate, _ host: String) {
      self.gate = gate
      self.host = host
    }

    func release() {
      if !isReleased.exchange(true, ordering: .acquiringAndReleasing) { gate.leave(host) }
    }

    deinit { release() }
  }

  private struct Host {
    var running = 0
    var nextNumber = 0
    var waiting: [(number: Int, admit: @Sendable () -> Void)] = []
    var closedUntil: Moment?
    /// Looks again when the time is over.
    var timer: Disposable?
  }

  private let limit: Int
  private let scheduler: any TimeScheduler
  private let hosts = Mutex<[String: Host]>([:])

  init(limit: Int, scheduler: any TimeScheduler) {
    precondition(limit > 0, "a gate must let at least one request through")
    self.limit = limit
    self.scheduler = scheduler
  }

  /// A permit for a server, as soon as one is free; disposing gives up the place in the queue.
  func permit(for host: String) -> Single<Permit, CatalogError> {
    Single { [self] resolver in
      let number = enqueue(host) { [self] in resolver.succeed(Permit(self, host)) }
      admit(host)
      return Disposable { [self] in withdraw(host, number) }
    }
  }

  /// Lets nobody new through to a server for a while, because it asks for that.
  func close(_ host: String, for time: Duration) {
    let until = scheduler.now + time
    hosts.withLock { hosts in
      let before = hosts[host]?.closedUntil ?? until
      hosts[host, default: Host()].closedUntil = max(before, until)
    }
    let timer = scheduler.schedule(after: time) { [weak self] in self?.admit(host) }
    // The one before is let go outside the lock.
    _ = hosts.withLock { hosts -> Disposable? in
      // Without a host the timer has come due already.
      guard var entry = hosts[host] else { return nil }
      defer { hosts[host] = entry }
      let before = entry.timer
      entry.timer = timer
      return before
    }
  }

  private func enqueue(_ host: String, _ admit: @escaping @Sendable () -> Void) -> Int {
    hosts.withLock { hosts in
      var entry = hosts[host] ?? Host()
      defer { hosts[host] = entry }
      entry.nextNumber += 1
      entry.waiting.append((entry.nextNumber, admit))
      return entry.nextNumber
    }
  }

  private func withdraw(_ host: String, _ number: Int) {
    // What was withdrawn is released outside the lock.
    _ = hosts.withLock { hosts -> [(number: Int, admit: @Sendable () -> Void)] in
      let withdrawn = hosts[host]?.waiting.filter { $0.number == number } ?? []
      hosts[host]?.waiting.removeAll { $0.number == number }
      return withdrawn
    }
  }

  private func leave(_ host: String) {
    hosts.withLock { $0[host]?.running -= 1 }
    admit(host)
  }

  private func admit(_ host: String) {
    let now = scheduler.now
    while true {
      let next = hosts.withLock { hosts -> (@Sendable () -> Void)? in
        guard var entry = hosts[host] else { return nil }
        if let until = entry.closedUntil {
          if now < until { return nil }
          entry.closedUntil = nil
        }
        guard entry.running < limit, !entry.waiting.isEmpty else {
          hosts[host] = entry.running == 0 && entry.waiting.isEmpty ? nil : entry
          return nil
        }
        entry.running += 1
        let first = entry.waiting.removeFirst()
        hosts[host] = entry
        return first.admit
      }
      guard let next else { return }
      next()
    }
  }
}
