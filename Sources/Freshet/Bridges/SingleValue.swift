extension Single {
  /// Does the work and waits for its answer.
  ///
  /// - Throws: The single's failure; `CancellationError` when the task was
  ///   cancelled, which also disposes of the work, and says nothing about how far the work
  ///   had come: a commit that was under way may have been made; ``NoValueError`` when the work
  ///   went away without an answer.
  public func value() async throws -> Element {
    if let value = try await firstValue() { return value }
    try Task.checkCancellation()
    throw NoValueError()
  }
}

extension Promise {
  /// Waits until the promise is decided.
  ///
  /// - Throws: The promise's failure; `CancellationError` when the task was
  ///   cancelled; ``NoValueError`` when the promise was let go undecided.
  public func value() async throws -> Element {
    if let value = try await firstValue() { return value }
    try Task.checkCancellation()
    throw NoValueError()
  }
}

/// A stream that should have had a value finished without one.
public struct NoValueError: Error, Hashable, CustomStringConvertible {
  /// Makes the error.
  public init() {}

  /// The error in words.
  public var description: String { "the stream finished without a value" }
}
