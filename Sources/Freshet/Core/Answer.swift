/// What an observer answers to each value: the whole of flow control.
///
/// It works like XON/XOFF on a serial line, or like the result of a stream's
/// `write` together with its `drain` event, and needs no arithmetic.
public enum Answer: Sendable, Hashable {
  /// Send the next value whenever you like.
  case more

  /// Send nothing until `Subscription.resume()` is called.
  ///
  /// A cold source stops pulling. A hot source cannot stop; it goes on
  /// delivering, and the observer that paused applies its overflow policy.
  case pause

  /// Send nothing any more, and release the observer. No end follows.
  case stop
}
