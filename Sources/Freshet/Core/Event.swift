/// One thing that an observer is told, as a value.
///
/// See ``Flow/materialize()``.
public enum Event<Element: Sendable, Failure: Error>: Sendable {
  /// A value came.
  case value(Element)

  /// The stream ended.
  case end(End<Failure>)
}

extension Event: Equatable where Element: Equatable, Failure: Equatable {}
extension Event: Hashable where Element: Hashable, Failure: Hashable {}
