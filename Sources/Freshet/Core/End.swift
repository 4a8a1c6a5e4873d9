/// How a stream ended: it had nothing more to say, or it failed.
public enum End<Failure: Error>: Sendable {
  /// The source delivered everything it had.
  case finished

  /// The source could not go on; no value follows.
  case failed(Failure)

  /// Replaces the failure, leaving a normal finish alone.
  ///
  /// - Complexity: O(1).
  @inlinable
  public func mapFailure<Other: Error>(_ transform: (Failure) -> Other) -> End<Other> {
    switch self {
    case .finished: .finished
    case .failed(let failure): .failed(transform(failure))
    }
  }
}

extension End: Equatable where Failure: Equatable {}
extension End: Hashable where Failure: Hashable {}
