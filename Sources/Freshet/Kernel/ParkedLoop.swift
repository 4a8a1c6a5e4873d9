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
// @unchecked: `place` is touched only by the thread that moved `phase` to `running`,
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
  /// Where the loop waits; made when it parks for the first time.
  ///
  /// It holds a loop exactly while the phase is `parked`. Not a `Loop?`: to destroy one of those
  /// the type would have to be looked up by each subscription that ends, and few park.
  @exclusivity(unchecked) @usableFromInline var place: UnsafeMutablePointer<Loop>?

  // Made where the loop's types are known: a method reached through the class's
  // table would run unspecialised, ten times slower.
  @usableFromInline let run: @Sendable (ParkedLoop<Loop>, _ goesOn: Bool) -> Void

  @inlinable
  @inline(__always)
  override init() {
    place = nil
    run = { parked, goesOn in
      if goesOn { parked.goOn() } else { parked.letGo() }
    }
    super.init()
  }

  deinit {
    // Parked, and let go without a dispose.
    if place != nil { letGo() }
  }

  /// Starts the observer and runs the loop for the first time.
  @inlinable
  @inline(__always)
  func begin(_ loop: Loop) {
    var loop = loop
    loop.start(self)
    drive(loop)
  }

  /// Runs the parked loop; the caller has made the phase `running`.
  @inlinable
  func goOn() {
    guard let place else { return }
    drive(place.move())
  }

  /// Runs the loop until it is over or parks; the phase is `running`.
  @inlinable
  @inline(__always)
  func drive(_ loop: Loop) {
    var loop = loop
    while true {
      let answer = loop.run(self)
      guard answer == .pause, !isDisposed else {
        finish()
        return
      }
      let place = placeForLoop()
      place.initialize(to: loop)
      let (exchanged, original) = phase.compareExchange(
        expected: Phase.running, desired: Phase.parked, ordering: .acquiringAndReleasing)
      if exchanged {
        // A dispose that came while the phase was `running` left the release to us.
        if isDisposed { closeIfParked() }
        return
      }
      loop = place.move()
      guard original == Phase.runningAndAsked else {
        finish()
        return
      }
      phase.store(Phase.running, ordering: .releasing)
    }
  }

  @inlinable
  func placeForLoop() -> UnsafeMutablePointer<Loop> {
    if let place { return place }
    let new = UnsafeMutablePointer<Loop>.allocate(capacity: 1)
    place = new
    return new
  }

  @inlinable
  func finish() {
    place?.deallocate()
    place = nil
    phase.store(Phase.closed, ordering: .releasing)
    _ = markEnded()
  }

  @usableFromInline
  func closeIfParked() {
    let (exchanged, _) = phase.compareExchange(
      expected: Phase.parked, desired: Phase.closed, ordering: .acquiringAndReleasing)
    if exchanged { run(self, false) }
  }

  /// Releases the parked loop.
  @inlinable
  func letGo() {
    guard let place = exchange(&place, for: nil) else { return }
    place.deinitialize(count: 1)
    place.deallocate()
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
          run(self, true)
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
