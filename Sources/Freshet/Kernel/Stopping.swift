extension Optional where Wrapped == Subscription {
  /// Lets go of a source that is to be stopped by an operator.
  ///
  /// - Returns: True when this call stopped it: the operator may send its own end.
  @inlinable
  mutating func stop() -> Bool {
    guard let subscription = take() else { return false }
    return subscription.endEarly()
  }
}
