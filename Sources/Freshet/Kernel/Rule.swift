/// The rule behind an operator with several sources, or with time.
///
/// A rule is a pure value: no lock, no clock, no calling out. It gets one input
/// at a time and writes what should happen into an outbox; the kernel does it.
/// So a rule can be tested by trying all orders of its inputs, without threads.
@usableFromInline
protocol Rule: Sendable {
  /// What comes in: the values and ends of all sources, told apart as the rule likes.
  associatedtype Input: Sendable

  /// What goes out.
  associatedtype Output: Sendable

  /// How the result may fail.
  associatedtype Failure: Error

  /// A flow the rule may ask the kernel to subscribe to.
  associatedtype Inner: Flow

  /// Whether the rule itself pauses a source, besides passing on its observer's pauses.
  static var mayPause: Bool { get }

  /// Whether inputs carry the time. Without it `Outbox.now` is not to be used.
  static var needsTime: Bool { get }

  /// Whether it wants to know when its observer goes on after a pause.
  static var watchesPauses: Bool { get }

  /// Whether it sends at most one result for everything that one event of a source causes.
  static var sendsOncePerEvent: Bool { get }

  /// Takes one input. `port` says which source it came from.
  mutating func advance(
    _ input: Input, from port: Port, into out: inout Outbox<Self>)

  /// Takes a timer that has come due.
  mutating func wake(into out: inout Outbox<Self>)

  /// The observer goes on after a pause; what had waited has been delivered.
  mutating func resumed(into out: inout Outbox<Self>)

  /// Turns an inner flow's value into an input.
  static func input(value: Inner.Element) -> Input

  /// Turns an inner flow's end into an input.
  static func input(end: End<Inner.Failure>) -> Input
}

extension Rule {
  @inlinable static var mayPause: Bool { false }
  @inlinable static var needsTime: Bool { false }
  @inlinable static var watchesPauses: Bool { false }
  @inlinable static var sendsOncePerEvent: Bool { false }
  @inlinable mutating func resumed(into out: inout Outbox<Self>) {}
  @inlinable mutating func wake(into out: inout Outbox<Self>) {}
}

/// Stands in for the inner flow of a rule that has none.
@frozen
@usableFromInline
enum NoInner: Flow {
  @usableFromInline typealias Element = Never
  @usableFromInline typealias Failure = Never

  @inlinable
  func subscribe<O: Observer>(_ observer: O) -> Subscription
  where O.Element == Never, O.Failure == Never {
    switch self {}
  }
}

extension Rule where Inner == NoInner {
  @inlinable static func input(value: Never) -> Input {}
  @inlinable static func input(end: End<Never>) -> Input {
    preconditionFailure("a rule without inner flows has no inner end")
  }
}

/// Names one source of a rule.
///
/// A port that was closed is never reused.
@frozen
@usableFromInline
struct Port: Hashable, Sendable {
  @usableFromInline let index: UInt32
  @usableFromInline let generation: UInt32

  @inlinable
  @inline(__always)
  init(index: UInt32, generation: UInt32) {
    self.index = index
    self.generation = generation
  }

  /// The n-th of the sources that the operator was made with.
  @inlinable
  @inline(__always)
  init(_ index: Int) {
    self.init(index: UInt32(index), generation: 0)
  }
}
