import Synchronization

/// Runs a single's work once and delivers its answer once.
// @unchecked: `observer` belongs to `begin` until it has set `isReady`, then to whoever sets
// `isTaken`; `token` in the same way with `hasToken`. `SingleValueTests` and the thread sanitizer
// would notice.
@usableFromInline
final class SingleSubscription<O: Observer>: Subscription, @unchecked Sendable {
  /// What has happened, one bit each.
  @usableFromInline
  enum Phase {
    /// The observer was started and is in its place.
    @usableFromInline static var isReady: UInt8 { 1 }
    /// The work has answered, or the subscription was disposed of.
    @usableFromInline static var isTaken: UInt8 { 2 }
    /// The work's token is in its place.
    @usableFromInline static var hasToken: UInt8 { 4 }
  }

  @usableFromInline let phase: Atomic<UInt8>
  @exclusivity(unchecked) @usableFromInline var observer: O?
  @exclusivity(unchecked) @usableFromInline var token: Disposable?

  @inlinable
  @inline(__always)
  override init() {
    phase = Atomic(0)
    observer = nil
    token = nil
    super.init()
  }

  @inlinable
  func begin(
    _ observer: O, _ work: @Sendable (Single<O.Element, O.Failure>.Resolver) -> Disposable?
  ) {
    // The observer is not in its place while it starts, so that a dispose does not meet it.
    var observer = observer
    observer.start(self)
    guard !isDisposed else { return }
    self.observer = observer
    guard note(Phase.isReady) & Phase.isTaken == 0 else {
      self.observer = nil  // Disposed of on another thread, which has left the release to us.
      return
    }
    let resolver = Single<O.Element, O.Failure>.Resolver(self) { subscription, answer in
      unsafeDowncast(subscription, to: SingleSubscription<O>.self).answer(answer)
    }
    guard let token = work(resolver) else { return }
    self.token = token
    guard note(Phase.hasToken) & Phase.isTaken == 0 else {
      self.token = nil  // It is over already.
      token.dispose()
      return
    }
  }

  /// Sets a bit and returns those that were set before.
  @inlinable
  @inline(__always)
  func note(_ bit: UInt8) -> UInt8 {
    phase.bitwiseOr(bit, ordering: .acquiringAndReleasing).oldValue
  }

  @inlinable
  func answer(_ known: Known<O.Element, O.Failure>) {
    let before = note(Phase.isTaken)
    guard before & Phase.isTaken == 0, var observer = exchange(&self.observer, for: nil) else {
      return
    }
    if !isDisposed {
      switch known {
      case .value(let value):
        if observer.receive(value) == .stop {
          markEnded()
        } else if markEnded() {
          observer.end(.finished)
        }
      case .end(let end):
        if markEnded() { observer.end(end) }
      }
    }
    if before & Phase.hasToken != 0 { exchange(&token, for: nil)?.dispose() }
  }

  @usableFromInline
  override func onDispose() {
    let before = note(Phase.isTaken)
    guard before & Phase.isTaken == 0 else { return }
    if before & Phase.isReady != 0 { observer = nil }
    if before & Phase.hasToken != 0 { exchange(&token, for: nil)?.dispose() }
  }
}
