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
  @usableFromInline var tasks: [Task] = []
  @usableFromInline var ending: End<R.Failure>?
  @usableFromInline var timer: Moment?
  @usableFromInline var closing: [Subscription] = []
  @usableFromInline var wantsPause = false

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
  /// Does nothing for one that was not.
  @inlinable
  mutating func resume(_ port: Port) {
    if let subscription = ports.unpause(port) { tasks.append(.resume(subscription)) }
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
    @usableFromInline var isPaused = false
    @usableFromInline var subscription: Subscription?

    @inlinable
    init() {}
  }

  @usableFromInline var places: [Place] = []
  @usableFromInline var free: [UInt32] = []

  @inlinable
  init() {}

  @inlinable
  mutating func open() -> Port {
    if let index = free.popLast() {
      let place = Int(index)
      places[place].isOpen = true
      places[place].isPaused = false
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
    let index = Int(port.index)
    let subscription = exchange(&places[index].subscription, for: nil)
    places[index].isOpen = false
    places[index].generation &+= 1
    free.append(port.index)
    return subscription
  }

  @inlinable
  mutating func setPaused(_ isPaused: Bool, _ port: Port) {
    if isOpen(port) { places[Int(port.index)].isPaused = isPaused }
  }

  /// Ends the pause of one source, which the caller must resume; nil when it is not paused.
  @inlinable
  mutating func unpause(_ port: Port) -> Subscription? {
    guard isOpen(port), places[Int(port.index)].isPaused else { return nil }
    places[Int(port.index)].isPaused = false
    return places[Int(port.index)].subscription
  }

  /// Ends the pause of all sources, which the caller must resume.
  @inlinable
  mutating func unpauseAll() -> [Subscription] {
    var resumed: [Subscription] = []
    for index in places.indices where places[index].isOpen && places[index].isPaused {
      places[index].isPaused = false
      if let subscription = places[index].subscription { resumed.append(subscription) }
    }
    return resumed
  }
}
