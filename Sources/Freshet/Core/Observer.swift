/// The receiving end of a flow.
///
/// An observer is normally a struct that wraps its downstream by value and
/// keeps its state in plain `var`s: the stream contract guarantees that
/// `receive` and `end` are called one at a time and never from inside one
/// another, so no lock is needed.
///
///     start  value*  (finished | failed)?
///
/// Most programs never write one; they call ``Flow/subscribe(onValue:onEnd:)``.
public protocol Observer<Element, Failure>: Sendable {
  /// The type of value it accepts.
  associatedtype Element: Sendable

  /// The type of failure it accepts; `Never` when the source cannot fail.
  associatedtype Failure: Error

  /// Whether `receive` ever answers `.pause`.
  ///
  /// A source picks, while compiling, a loop without parking code when this is
  /// false. An operator passes on its downstream's.
  static var mayPause: Bool { get }

  /// Takes the handle of the source, once, before anything else.
  mutating func start(_ subscription: Subscription)

  /// Takes one value and answers how to go on.
  mutating func receive(_ value: Element) -> Answer

  /// Takes the end of the stream. Nothing follows it.
  mutating func end(_ end: End<Failure>)
}
