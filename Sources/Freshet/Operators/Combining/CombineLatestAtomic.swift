extension Flow {
  /// Combines the latest value of two flows, once for everything that one event causes.
  ///
  ///     source   1-----2-----|
  ///     ten      source.map { $0 * 10 }
  ///     result   {1,10}-----{2,20}-----|     source.combineLatestAtomic(with: ten)
  ///
  /// ``combineLatest(with:)`` would send `(2, 10)` in between, a pair that never was. Here
  /// the pair is sent when everybody has the source's event: it never mixes old and new.
  /// An event that reaches only one of the two sends one pair as well.
  ///
  /// *Which events count as one:* everything that one `send` into a subject, or one value
  /// of a shared flow, causes before it returns: through synchronous operators, `merge`,
  /// `switchMap` and the like, through `share` and `publish`, and through further operators
  /// of this kind, those nearest to the source first.
  ///
  /// *Limits.* What arrives later, over `observe(on:)`, `delay` or `values`, is an event of
  /// its own. So is each value of a cold source: two subscriptions to it are two sources.
  /// When several threads send at the same time the results of overlapping events may be
  /// sent as one, with the latest of all; while such events follow one another without any
  /// gap, every 1000th of them sends what there is.
  ///
  /// Finishes and fails as ``combineLatest(with:)`` does. When the last source finishes, a
  /// pair that waits is sent first; a failure drops it.
  ///
  /// - Complexity: O(1) per value; two more gate entries per event and place.
  public func combineLatestAtomic<Other: Flow>(
    with other: Other
  ) -> some Flow<(Element, Other.Element), Failure> where Other.Failure == Failure {
    Freshet.combineLatestAtomic(erased(), other.erased()) { ($0, $1) }
  }

  /// Combines the latest value of two flows with a function, once per event.
  ///
  /// See ``combineLatestAtomic(with:)``.
  public func combineLatestAtomic<Other: Flow, Result: Sendable>(
    with other: Other, _ combine: @escaping @Sendable (Element, Other.Element) -> Result
  ) -> some Flow<Result, Failure> where Other.Failure == Failure {
    Freshet.combineLatestAtomic(erased(), other.erased(), by: combine)
  }
}

/// Combines the latest value of any number of flows, once for everything that one event causes.
///
///     source   1-----2-----|
///     result   p-----q-----|     combineLatestAtomic(source, ten, thousand) { … }   p=1,10,1000 q=2,20,2000
///
/// See ``Flow/combineLatestAtomic(with:)`` for what that means and its limits.
///
/// - Complexity: O(n) per result in the number of flows.
public func combineLatestAtomic<each Value: Sendable, Failure: Error, Result: Sendable>(
  _ sources: repeat AnyFlow<each Value, Failure>,
  by combine: @escaping @Sendable (repeat each Value) -> Result
) -> some Flow<Result, Failure> {
  manyBoxed(repeat each sources).combinedLatestAtomic().map { spread($0, over: combine) }
}

extension Sequence where Self: Sendable, Element: Flow {
  /// Combines the latest value of all flows of this sequence, once per event.
  ///
  ///     source   1-----2-----|
  ///     result   p-----q-----|     [source, source.map { $0 * 10 }].combinedLatestAtomic()   p=[1,10] q=[2,20]
  ///
  /// See ``Flow/combineLatestAtomic(with:)`` for what counts as one event. Of no flows at all
  /// the result is one empty list.
  ///
  /// - Complexity: O(n) per result, for the list that is sent.
  public func combinedLatestAtomic() -> some Flow<[Element.Element], Element.Failure> {
    CombineLatestAtomic(sources: self)
  }
}

/// The flow behind `combineLatestAtomic` and `combinedLatestAtomic()`.
struct CombineLatestAtomic<Sources: Sequence & Sendable>: Flow where Sources.Element: Flow {
  typealias Element = [Sources.Element.Element]
  typealias Failure = Sources.Element.Failure
  let sources: Sources

  @discardableResult
  func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    let sources = Array(sources)
    guard !sources.isEmpty else {
      return Just(Element()).promoteFailure(to: Failure.self).subscribe(observer)
    }
    typealias R = CombineLatestAtomicRule<Sources.Element.Element, Failure>
    let kernel = Kernel(
      rule: R(count: sources.count), observer: observer, sources: sources.count + 1)
    // Beside the sources there is a port for the turns.
    let turns = Port(sources.count)
    let member = TurnMember(owner: kernel) { owner, holds in
      let kernel = unsafeDowncast(owner, to: Kernel<R, O>.self)
      kernel.performFromTable(kernel, .input(holds ? .hold : .letGo, turns, closes: false))
    }
    kernel.begin()
    // It goes up to the sources as they come; the kernel itself adds one to the level.
    kernel.pass(.join(member, above: -1))
    for (index, source) in sources.enumerated() {
      kernel.open(source, at: Port(index), value: { .value($0) }, end: { .end($0) })
    }
    return kernel
  }
}

/// Keeps the latest of each source; sends when nobody holds it.
struct CombineLatestAtomicRule<Element: Sendable, Failure: Error>: Rule {
  typealias Output = [Element]
  typealias Inner = NoInner

  enum Input: Sendable {
    case value(Element)
    case end(End<Failure>)
    /// An event begins to be delivered.
    case hold
    /// Everybody has the event.
    case letGo
  }

  /// How many events in a row may end while another is under way.
  static var patience: Int { 1000 }

  var latest: [Element?]
  var missing: Int
  var running: Int
  var holds = 0
  var isWaiting = false
  var postponed = 0

  init(count: Int) {
    latest = Array(repeating: nil, count: count)
    missing = count
    running = count
  }

  static var sendsOncePerEvent: Bool { true }

  mutating func advance(_ input: Input, from port: Port, into out: inout Outbox<Self>) {
    switch input {
    case .value(let value):
      let index = Int(port.index)
      if latest[index] == nil { missing -= 1 }
      latest[index] = value
      guard missing == 0 else { return }
      isWaiting = true
      if holds == 0 { send(&out) }
    case .hold:
      holds += 1
    case .letGo:
      holds -= 1
      guard isWaiting else { return }
      postponed += 1
      if holds == 0 || postponed >= Self.patience { send(&out) }
    case .end(.finished):
      running -= 1
      guard running == 0 || latest[Int(port.index)] == nil else { return }
      if isWaiting { send(&out) }
      out.end(.finished)
    case .end(.failed(let failure)):
      out.end(.failed(failure))
    }
  }

  private mutating func send(_ out: inout Outbox<Self>) {
    isWaiting = false
    postponed = 0
    out.emit(latest.compactMap { $0 })
  }
}
