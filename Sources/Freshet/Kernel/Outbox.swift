/// What a rule wants to happen, in order: values go down, then ports are opened,
/// closed, paused or resumed, then the stream ends.
@frozen
@usableFromInline
struct Outbox<R: Rule>: Sendable {
  /// Work on sources.
  ///
  /// `subscribe` and `resume` may run a source's loop, so the
  /// kernel does them after it has left the gate.
  @usableFromInline
  enum Task: Sendable {
    case subscribe(R.Inner, Port)
    case resume(Subscription)
  }

  @usableFromInline var value: R.Output?
  @usableFromInline var moreValues: [R.Output] = []
  /// Not yet done.
  ///
  /// The kernel takes them from here, one at a time.
  @usableFromInline var tasks = Queue<Task>()
  @usableFromInline var ending: End<R.Failure>?
  @usableFromInline var timer: Moment?
  @usableFromInline var closing: [Subscription] = []
  @usableFromInline var wantsPause = false

  /// Whether the observer has asked for a pause.
  ///
  /// What is emitted now waits for it.
  @usableFromInline var isObserverPaused = false

  /// The time of this input; meaningful only for a rule that needs time.
  @usableFromInline var now = Moment.zero

  /// The sources, by port.
  @usableFromInline var ports = Ports()

  @inlinable
  init() {}

  /// Sends a value down.
  @inlinable
  @inline(__always)
  mutating func emit(_ output: R.Output) {
    if value == nil, moreValues.isEmpty {
      value = output
    } else {
      moreValues.append(output)
    }
  }

  /// Ends the stream, after the values.
  ///
  /// All sources are let go.
  @inlinable
  mutating func end(_ end: End<R.Failure>) {
    if ending == nil { ending = end }
  }

  /// Asks for an inner flow to be subscribed to; its inputs come from the returned port.
  @inlinable
  mutating func subscribe(_ inner: R.Inner) -> Port {
    let port = ports.open()
    tasks.append(.subscribe(inner, port))
    return port
  }

  /// Lets a source go.
  ///
  /// Inputs still under way from it are dropped.
  @inlinable
  mutating func dispose(_ port: Port) {
    if let subscription = ports.close(port) { closing.append(subscription) }
  }

  /// Answers the present input with a pause.
  @inlinable
  mutating func pause() {
    wantsPause = true
  }

  /// Wants more from a source that was paused.
  ///
  /// Does nothing for one that was not. The kernel resumes it when the observer does
  /// not pause either.
  @inlinable
  mutating func resume(_ port: Port) {
    ports.letGo(port)
  }

  /// Calls `Rule.wake(into:)` at a moment.
  ///
  /// There is one timer; a rule that wants
  /// a later moment lets it come due and sets it again.
  @inlinable
  mutating func wake(at moment: Moment) {
    timer = moment
  }
}

/// The sources of a kernel, by port, in places that are used again.
@frozen
@usableFromInline
struct Ports: Sendable {
  @frozen
  @usableFromInline
  struct Place: Sendable {
    @usableFromInline var generation: UInt32 = 0
    @usableFromInline var isOpen = true
    /// Its source was told to pause and has not been resumed.
    @usableFromInline var isPaused = false
    /// The rule wants it to stay paused.
    @usableFromInline var isHeld = false
    @usableFromInline var subscription: Subscription?

    @inlinable
    init() {}
  }

  @usableFromInline var places: [Place] = []
  @usableFromInline var free: [UInt32] = []

  /// How many are paused and not held by the rule.
  @usableFromInline var resumable = 0

  /// Where the search for the next one to resume goes on, so that each gets its turn.
  @usableFromInline var cursor = 0

  @inlinable
  init() {}

  @inlinable
  mutating func open() -> Port {
    if let index = free.popLast() {
      let place = Int(index)
      places[place].isOpen = true
      places[place].isPaused = false
      places[place].isHeld = false
      return Port(index: index, generation: places[place].generation)
    }
    places.append(Place())
    return Port(index: UInt32(places.count - 1), generation: 0)
  }

  @inlinable
  func isOpen(_ port: Port) -> Bool {
    let index = Int(port.index)
    return index < places.count && places[index].generation == port.generation
      && places[index].isOpen
  }

  /// Connects a port with its source; false when the port was closed meanwhile.
  @inlinable
  mutating func attach(_ subscription: Subscription, to port: Port) -> Bool {
    guard isOpen(port), places[Int(port.index)].subscription == nil else { return false }
    places[Int(port.index)].subscription = subscription
    return true
  }

  /// Closes a port and hands out its source, for the caller to dispose of.
  @inlinable
  @discardableResult
  mutating func close(_ port: Port) -> Subscription? {
    guard isOpen(port) else { return nil }
    unpause(port)
    let index = Int(port.index)
    let subscription = exchange(&places[index].subscription, for: nil)
    places[index].isOpen = false
    places[index].generation &+= 1
    free.append(port.index)
    return subscription
  }

  @inlinable
  func isPaused(_ port: Port) -> Bool {
    isOpen(port) && places[Int(port.index)].isPaused
  }

  /// Takes note that a source is being told to pause, until the rule lets it go when held.
  @inlinable
  mutating func pause(_ port: Port, isHeld: Bool) {
    guard isOpen(port) else { return }
    let index = Int(port.index)
    if places[index].isPaused, !places[index].isHeld { resumable -= 1 }
    places[index].isPaused = true
    if isHeld { places[index].isHeld = true }
    if !places[index].isHeld { resumable += 1 }
  }

  /// Takes note that a source was not told to pause after all.
  @inlinable
  mutating func unpause(_ port: Port) {
    guard isOpen(port) else { return }
    let index = Int(port.index)
    if places[index].isPaused, !places[index].isHeld { resumable -= 1 }
    places[index].isPaused = false
    places[index].isHeld = false
  }

  /// Ends the hold of the rule on a source.
  @inlinable
  mutating func letGo(_ port: Port) {
    guard isOpen(port), places[Int(port.index)].isHeld else { return }
    places[Int(port.index)].isHeld = false
    if places[Int(port.index)].isPaused { resumable += 1 }
  }

  /// Ends the pause of one source that is not held, for the caller to resume.
  @inlinable
  mutating func takeResumable() -> Subscription? {
    while resumable > 0 {
      if cursor >= places.count { cursor = 0 }
      let index = cursor
      cursor += 1
      guard places[index].isOpen, places[index].isPaused, !places[index].isHeld else { continue }
      places[index].isPaused = false
      resumable -= 1
      if let subscription = places[index].subscription { return subscription }
    }
    return nil
  }
}
