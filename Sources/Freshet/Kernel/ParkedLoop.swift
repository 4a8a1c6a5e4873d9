import Synchronization

/// A pulling loop that can be left in the middle and entered again.
@usableFromInline
protocol PausableLoop: SendableMetatype {
  /// Tells the observer which subscription serves it.
  mutating func start(_ subscription: Subscription)

  /// Delivers until the observer pauses (`.pause`) or nothing is left (`.stop`).
  mutating func run(_ subscription: Subscription) -> Answer
}

/// The subscription of a source that can pause: the place where its loop waits.
///
/// `resume()` may come from any thread, even before the loop has parked: then
/// the running thread finds the request and goes on by itself, so that a
/// resume is never lost and never runs the loop twice.
// @unchecked: `loop` is touched only by the thread that moved `phase` to `running`,
// or by the one that moved it to `closed`. `ParkedLoopTests` (resume races) would notice.
@usableFromInline
final class ParkedLoop<Loop: PausableLoop>: Subscription, @unchecked Sendable {
  @usableFromInline
  enum Phase {
    @usableFromInline static var parked: UInt8 { 0 }
    @usableFromInline static var running: UInt8 { 1 }
    @usableFromInline static var runningAndAsked: UInt8 { 2 }
    @usableFromInline static var closed: UInt8 { 3 }
  }

  @usableFromInline let phase = Atomic<UInt8>(1)
  @exclusivity(unchecked) @usableFromInline var loop: Loop?

  // Made where the loop's types are known: a method reached through the class's
  // table would run unspecialised, ten times slower.
  @usableFromInline let run: @Sendable (ParkedLoop<Loop>) -> Void

  @inlinable
  @inline(__always)
  init(_ loop: Loop) {
    self.loop = loop
    self.run = { $0.runLoop() }
  }

  /// Starts the observer and runs the loop for the first time.
  @inlinable
  @inline(__always)
  func begin() {
    loop?.start(self)
    run(self)
  }

  /// Runs the loop; the caller has made the phase `running`.
  @inlinable
  func runLoop() {
    while var current = loop.take() {
      let answer = current.run(self)
      guard answer == .pause, !isDisposed else {
        finish()
        return
      }
      loop = current
      let (exchanged, original) = phase.compareExchange(
        expected: Phase.running, desired: Phase.parked, ordering: .acquiringAndReleasing)
      if exchanged {
        // A dispose that came while the phase was `running` left the release to us.
        if isDisposed { closeIfParked() }
        return
      }
      guard original == Phase.runningAndAsked else { return }
      phase.store(Phase.running, ordering: .releasing)
    }
  }

  @inlinable
  func finish() {
    phase.store(Phase.closed, ordering: .releasing)
    _ = markEnded()
  }

  @inlinable
  func closeIfParked() {
    let (exchanged, _) = phase.compareExchange(
      expected: Phase.parked, desired: Phase.closed, ordering: .acquiringAndReleasing)
    if exchanged { loop = nil }
  }

  @usableFromInline
  override func onDispose() {
    closeIfParked()
  }

  @usableFromInline
  override func resume() {
    while true {
      let current = phase.load(ordering: .acquiring)
      switch current {
      case Phase.parked:
        if phase.compareExchange(
          expected: Phase.parked, desired: Phase.running, ordering: .acquiringAndReleasing
        ).exchanged {
          run(self)
          return
        }
      case Phase.running:
        if phase.compareExchange(
          expected: Phase.running, desired: Phase.runningAndAsked,
          ordering: .acquiringAndReleasing
        ).exchanged {
          return
        }
      default:
        return
      }
    }
  }
}
