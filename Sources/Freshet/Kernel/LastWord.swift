extension Flow {
  /// Subscribes an observer that gets a word of the operator's own when the source ends.
  ///
  /// An observer that has paused gets that word when it resumes; the kernel keeps
  /// it. One that never pauses needs no kernel.
  ///
  /// - Parameters:
  ///   - value: Turns each value into what the observer takes.
  ///   - lastly: Turns the end into a last value, if there is to be one, and an end.
  @inlinable
  @inline(__always)
  func subscribe<O: Observer>(
    _ observer: O, value: @escaping @Sendable (Element) -> O.Element,
    lastly: @escaping @Sendable (End<Failure>) -> LastWord<O.Element, O.Failure>
  ) -> Subscription {
    guard O.mayPause else {
      let handle = RelaySubscription()
      subscribe(
        LastWordObserver(downstream: observer, value: value, lastly: lastly, handle: handle))
      return handle
    }
    let kernel = Kernel(
      rule: LastWordRule<O.Element, O.Failure>(), observer: observer, sources: 1)
    kernel.begin()
    kernel.open(self, at: Port(0), value: { .value(value($0)) }, end: { .end(lastly($0)) })
    return kernel
  }
}

/// How an operator ends a stream in its own words.
@frozen
@usableFromInline
struct LastWord<Element: Sendable, Failure: Error>: Sendable {
  @usableFromInline let value: Element?
  @usableFromInline let end: End<Failure>

  @inlinable
  init(_ value: Element?, _ end: End<Failure>) {
    self.value = value
    self.end = end
  }
}

/// Passes on; the last value and the end come together.
@frozen
@usableFromInline
struct LastWordRule<Output: Sendable, Failure: Error>: Rule {
  @usableFromInline typealias Inner = NoInner

  @usableFromInline
  enum Input: Sendable {
    case value(Output)
    case end(LastWord<Output, Failure>)
  }

  @inlinable
  init() {}

  @inlinable
  @inline(__always)
  mutating func advance(_ input: Input, from port: Port, into out: inout Outbox<Self>) {
    switch input {
    case .value(let value):
      out.emit(value)
    case .end(let last):
      if let value = last.value { out.emit(value) }
      out.end(last.end)
    }
  }
}

/// The same for an observer that never pauses.
@frozen
@usableFromInline
struct LastWordObserver<Element: Sendable, Failure: Error, Downstream: Observer>: Observer {
  @usableFromInline var downstream: Downstream
  @usableFromInline let value: @Sendable (Element) -> Downstream.Element
  @usableFromInline let lastly:
    @Sendable (End<Failure>) -> LastWord<Downstream.Element, Downstream.Failure>
  @usableFromInline let handle: RelaySubscription
  @usableFromInline var hasEnded = false

  @inlinable
  @inline(__always)
  init(
    downstream: Downstream,
    value: @escaping @Sendable (Element) -> Downstream.Element,
    lastly: @escaping @Sendable (End<Failure>) -> LastWord<Downstream.Element, Downstream.Failure>,
    handle: RelaySubscription
  ) {
    self.downstream = downstream
    self.value = value
    self.lastly = lastly
    self.handle = handle
  }

  @inlinable static var mayPause: Bool { Downstream.mayPause }

  @inlinable
  @inline(__always)
  mutating func start(_ subscription: Subscription) {
    if handle.attach(subscription) { downstream.start(handle) }
  }

  @inlinable
  @inline(__always)
  mutating func receive(_ value: Element) -> Answer {
    guard !hasEnded else { return .stop }
    let answer = downstream.receive(self.value(value))
    if answer == .stop { handle.dispose() }
    return answer
  }

  @inlinable
  @inline(__always)
  mutating func end(_ end: End<Failure>) {
    guard !hasEnded, !handle.isDisposed else { return }
    hasEnded = true
    let last = lastly(end)
    if let value = last.value, downstream.receive(value) == .stop { handle.dispose() }
    if handle.markEnded() { downstream.end(last.end) }
  }
}
