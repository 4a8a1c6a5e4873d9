extension Sequence where Self: Sendable, Element: Flow {
  /// Combines the latest value of all flows of this sequence whenever one of them sends.
  ///
  ///     a        1-----2-----|
  ///     b        ---8-----9----|
  ///     result   ---p--q--r----|     [a, b].combinedLatest()   p=[1,8] q=[2,8] r=[2,9]
  ///
  /// Nothing is sent before all have sent. Of no flows at all the result is one
  /// empty list. Otherwise it finishes as ``Flow/combineLatest(with:)`` does.
  ///
  /// - Complexity: O(n) per value, for the list that is sent.
  @inlinable
  public func combinedLatest() -> some Flow<[Element.Element], Element.Failure> {
    CombineLatestMany(sources: self, matchesByIndex: false, capacity: .max)
  }

  /// Lists the n-th values of all flows of this sequence.
  ///
  ///     a        1-----2-----|
  ///     b        ---8-----9----|
  ///     result   ---p-----q--|     [a, b].zipped()   p=[1,8] q=[2,9]
  ///
  /// Of no flows at all the result is one empty list. Otherwise it finishes as
  /// ``Flow/zip(with:capacity:)`` does.
  ///
  /// - Parameter capacity: How many values of a faster flow may wait before it is paused.
  /// - Complexity: O(1) per value, and O(n) per list that is sent.
  @inlinable
  public func zipped(capacity: Int = 64) -> some Flow<[Element.Element], Element.Failure> {
    precondition(capacity > 0, "zip needs room for at least one value")
    return CombineLatestMany(sources: self, matchesByIndex: true, capacity: capacity)
  }
}

/// The flow behind `combinedLatest()` and `zipped(capacity:)`.
@frozen
@usableFromInline
struct CombineLatestMany<Sources: Sequence & Sendable>: Flow where Sources.Element: Flow {
  @usableFromInline typealias Element = [Sources.Element.Element]
  @usableFromInline typealias Failure = Sources.Element.Failure
  @usableFromInline let sources: Sources
  @usableFromInline let matchesByIndex: Bool
  @usableFromInline let capacity: Int

  @inlinable
  init(sources: Sources, matchesByIndex: Bool, capacity: Int) {
    self.sources = sources
    self.matchesByIndex = matchesByIndex
    self.capacity = capacity
  }

  @inlinable
  @inline(__always)
  @discardableResult
  func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    let sources = Array(sources)
    guard !sources.isEmpty else {
      return Just(Element()).promoteFailure(to: Failure.self).subscribe(observer)
    }
    if matchesByIndex {
      return run(
        sources,
        ZipManyRule<Sources.Element.Element, Failure>(
          count: sources.count, capacity: capacity), observer,
        value: { .value($0) }, end: { .end($0) })
    }
    return run(
      sources,
      CombineLatestManyRule<Sources.Element.Element, Failure>(
        count: sources.count), observer, value: { .value($0) }, end: { .end($0) })
  }

  @inlinable
  func run<R: Rule, O: Observer>(
    _ sources: [Sources.Element], _ rule: R, _ observer: O,
    value: @escaping @Sendable (Sources.Element.Element) -> R.Input,
    end: @escaping @Sendable (End<Failure>) -> R.Input
  ) -> Subscription where R.Output == O.Element, R.Failure == O.Failure {
    let kernel = Kernel(rule: rule, observer: observer, sources: sources.count)
    kernel.begin()
    for (index, source) in sources.enumerated() {
      kernel.open(source, at: Port(index), value: value, end: end)
    }
    return kernel
  }
}

/// Keeps the latest of each source.
@frozen
@usableFromInline
struct CombineLatestManyRule<Element: Sendable, Failure: Error>: Rule {
  @usableFromInline typealias Output = [Element]
  @usableFromInline typealias Inner = NoInner

  @usableFromInline
  enum Input: Sendable {
    case value(Element)
    case end(End<Failure>)
  }

  @usableFromInline var latest: [Element?]
  @usableFromInline var missing: Int
  @usableFromInline var running: Int

  @inlinable
  init(count: Int) {
    latest = Array(repeating: nil, count: count)
    missing = count
    running = count
  }

  @inlinable
  mutating func advance(_ input: Input, from port: Port, into out: inout Outbox<Self>) {
    let index = Int(port.index)
    switch input {
    case .value(let value):
      if latest[index] == nil { missing -= 1 }
      latest[index] = value
      if missing == 0 { out.emit(latest.compactMap { $0 }) }
    case .end(.finished):
      running -= 1
      if running == 0 || latest[index] == nil { out.end(.finished) }
    case .end(.failed(let failure)):
      out.end(.failed(failure))
    }
  }
}

/// Keeps what is ahead of the slowest source.
@frozen
@usableFromInline
struct ZipManyRule<Element: Sendable, Failure: Error>: Rule {
  @usableFromInline typealias Output = [Element]
  @usableFromInline typealias Inner = NoInner

  @usableFromInline
  enum Input: Sendable {
    case value(Element)
    case end(End<Failure>)
  }

  @usableFromInline let capacity: Int
  @usableFromInline var queues: [Queue<Element>]
  @usableFromInline var hasFinished: [Bool]
  @usableFromInline var missing: Int

  @inlinable
  init(count: Int, capacity: Int) {
    self.capacity = capacity
    queues = Array(repeating: Queue(), count: count)
    hasFinished = Array(repeating: false, count: count)
    missing = count
  }

  @inlinable static var mayPause: Bool { true }

  @inlinable
  mutating func advance(_ input: Input, from port: Port, into out: inout Outbox<Self>) {
    let index = Int(port.index)
    switch input {
    case .value(let value):
      if queues[index].isEmpty { missing -= 1 }
      queues[index].append(value)
      guard missing == 0 else {
        if queues[index].count >= capacity { out.pause() }
        return
      }
      var row: [Element] = []
      row.reserveCapacity(queues.count)
      for place in queues.indices {
        if let value = queues[place].popFirst() { row.append(value) }
        guard queues[place].isEmpty else { continue }
        missing += 1
        if hasFinished[place] { out.end(.finished) } else { out.resume(Port(place)) }
      }
      out.emit(row)
    case .end(.finished):
      hasFinished[index] = true
      if queues[index].isEmpty { out.end(.finished) }
    case .end(.failed(let failure)):
      out.end(.failed(failure))
    }
  }
}
