import Synchronization

extension Flow {
  /// Follows whichever of two flows says something first, and lets the other go.
  ///
  ///     a        ---1--2--|
  ///     b        --8--9--|
  ///     result   --8--9--|     a.race(with: b)
  ///
  /// An end counts as saying something.
  ///
  /// - Complexity: O(1) per value.
  @inlinable
  public func race<Other: Flow>(with other: Other) -> some Flow<Element, Failure>
  where Other.Element == Element, Other.Failure == Failure {
    Race(sources: [erased(), other.erased()])
  }
}

extension Sequence where Self: Sendable, Element: Flow {
  /// Follows whichever flow of this sequence says something first, and lets the others go.
  ///
  /// They are subscribed to in order; one that says something at once leaves the rest
  /// without a subscription. Of no flows at all the result never says anything.
  ///
  /// - Complexity: O(1) per value.
  @inlinable
  public func raced() -> some Flow<Element.Element, Element.Failure> {
    Race(sources: self)
  }
}

/// The flow behind `race(with:)` and `raced()`.
@frozen
@usableFromInline
struct Race<Sources: Sequence & Sendable>: Flow where Sources.Element: Flow {
  @usableFromInline typealias Element = Sources.Element.Element
  @usableFromInline typealias Failure = Sources.Element.Failure
  @usableFromInline let sources: Sources

  @inlinable
  init(sources: Sources) {
    self.sources = sources
  }

  @inlinable
  @inline(__always)
  @discardableResult
  func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Element, O.Failure == Failure {
    let sources = Array(sources)
    guard !sources.isEmpty else { return NeverFlow().subscribe(observer) }
    let kernel = Kernel(
      rule: RaceRule<Element, Failure>(count: sources.count), observer: observer,
      sources: sources.count)
    kernel.begin()
    // Set before the kernel hears of it, so that it is seen here when the call returns.
    let spoke = Spoken()
    for (index, source) in sources.enumerated() where !spoke.isTrue {
      // A port that was closed because another source has won takes no source any more.
      kernel.open(
        source, at: Port(index),
        value: {
          spoke.note()
          return .value($0)
        },
        end: {
          spoke.note()
          return .end($0)
        })
    }
    return kernel
  }
}

/// Whether any source has said something.
@usableFromInline
final class Spoken: Sendable {
  private let flag = Atomic<Bool>(false)

  @usableFromInline
  init() {}

  @usableFromInline
  var isTrue: Bool { flag.load(ordering: .relaxed) }

  @usableFromInline
  func note() {
    if !isTrue { flag.store(true, ordering: .relaxed) }
  }
}

/// Closes all ports but the one that speaks first.
@frozen
@usableFromInline
struct RaceRule<Element: Sendable, Failure: Error>: Rule {
  @usableFromInline typealias Output = Element
  @usableFromInline typealias Inner = NoInner

  @usableFromInline
  enum Input: Sendable {
    case value(Element)
    case end(End<Failure>)
  }

  @usableFromInline let count: Int
  @usableFromInline var hasWinner = false

  @inlinable
  init(count: Int) {
    self.count = count
  }

  @inlinable
  mutating func advance(_ input: Input, from port: Port, into out: inout Outbox<Self>) {
    if !hasWinner {
      hasWinner = true
      for index in 0..<count where Port(index) != port { out.dispose(Port(index)) }
    }
    switch input {
    case .value(let value): out.emit(value)
    case .end(let end): out.end(end)
    }
  }
}
