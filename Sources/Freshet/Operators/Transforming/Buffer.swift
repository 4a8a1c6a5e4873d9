extension Flow {
  /// Collects values into lists of a given length.
  ///
  ///     source   1--2--3--4--5--|
  ///     result   ---p-----q-----(r|)     buffer(count: 2)   p=[1,2] q=[3,4] r=[5]
  ///
  /// What is left when the source finishes is sent first, even if it is
  /// shorter; a failure drops it.
  ///
  /// - Parameters:
  ///   - count: How long a list is. Positive.
  ///   - step: How many values after the last list's first the next list begins;
  ///     less than `count` makes lists overlap, more leaves values out.
  /// - Complexity: O(1) per value and O(`count`) per list.
  @inlinable
  public func buffer(count: Int, every step: Int? = nil) -> some Flow<[Element], Failure> {
    let step = step ?? count
    precondition(count > 0 && step > 0, "buffer(count:every:) needs positive numbers")
    return BufferByCount(source: self, count: count, step: step)
  }
}

/// The flow behind `buffer(count:every:)`.
@frozen
@usableFromInline
struct BufferByCount<Source: Flow>: Flow {
  @usableFromInline typealias Element = [Source.Element]
  @usableFromInline typealias Failure = Source.Failure
  @usableFromInline let source: Source
  @usableFromInline let count: Int
  @usableFromInline let step: Int

  @inlinable
  init(source: Source, count: Int, step: Int) {
    self.source = source
    self.count = count
    self.step = step
  }

  @inlinable
  @inline(__always)
  @discardableResult
  func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    let kernel = Kernel(
      rule: BufferByCountRule<Source.Element, Failure>(count: count, step: step),
      observer: observer, sources: 1)
    kernel.begin()
    kernel.open(source, at: Port(0), value: { .value($0) }, end: { .end($0) })
    return kernel
  }
}

/// Collects; `skipped` values are left out until the next list begins.
@frozen
@usableFromInline
struct BufferByCountRule<Value: Sendable, Failure: Error>: Rule {
  @usableFromInline typealias Output = [Value]
  @usableFromInline typealias Inner = NoInner

  @usableFromInline
  enum Input: Sendable {
    case value(Value)
    case end(End<Failure>)
  }

  @usableFromInline let count: Int
  @usableFromInline let step: Int
  @usableFromInline var list: [Value] = []
  @usableFromInline var toSkip = 0

  /// Whether the list holds something that no list sent before had.
  @usableFromInline var hasNews = false

  @inlinable
  init(count: Int, step: Int) {
    self.count = count
    self.step = step
  }

  @inlinable
  mutating func advance(_ input: Input, from port: Port, into out: inout Outbox<Self>) {
    switch input {
    case .value(let value):
      guard toSkip == 0 else {
        toSkip -= 1
        return
      }
      list.append(value)
      hasNews = true
      guard list.count == count else { return }
      out.emit(list)
      hasNews = false
      if step >= count {
        list = []
        toSkip = step - count
      } else {
        list.removeFirst(step)
      }
    case .end(let end):
      if case .finished = end, hasNews { out.emit(list) }
      list = []
      out.end(end)
    }
  }
}
