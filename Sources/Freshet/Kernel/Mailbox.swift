/// The state of a bounded buffer between a source and a slower reader.
///
/// A pure value; its owner keeps it in a mutex and acts on the answers outside.
@frozen
@usableFromInline
struct Mailbox<Element: Sendable, Failure: Error>: ~Copyable, Sendable {
  @usableFromInline let capacity: Int
  @usableFromInline let overflow: Overflow<Failure>
  @usableFromInline var queue: Conveyor<Element>
  @usableFromInline var ending: End<Failure>?
  @usableFromInline var isSourcePaused: Bool

  @inlinable
  init(capacity: Int, overflow: Overflow<Failure>) {
    self.capacity = capacity
    self.overflow = overflow
    queue = Conveyor()
    ending = nil
    isSourcePaused = false
  }

  /// Takes a value from the source.
  ///
  /// - Parameter dropped: Where a value that had to go is left, to be released by the
  ///   caller outside its lock: that may run foreign code.
  @inlinable
  @inline(__always)
  mutating func put(_ value: Element, dropped: inout Element?) -> Answer {
    guard ending == nil else { return .stop }
    if queue.count < capacity {
      queue.append(value)
      guard queue.count == capacity, case .suspend = overflow else { return .more }
      isSourcePaused = true
      return .pause
    }
    switch overflow {
    case .suspend:
      queue.append(value)
      isSourcePaused = true
      return .pause
    case .unbounded:
      queue.append(value)
      return .more
    case .dropOldest:
      dropped = queue.popFirst()
      queue.append(value)
      return .more
    case .dropNewest:
      return .more
    case .fail(let failure):
      ending = .failed(failure)
      return .stop
    }
  }

  /// Takes the end from the source; values that wait come first.
  @inlinable
  mutating func put(end: End<Failure>) {
    if ending == nil { ending = end }
  }

  /// Whether the source is to be resumed now that the reader has caught up.
  @inlinable
  mutating func takeResume() -> Bool {
    guard isSourcePaused, queue.count <= capacity / 4 else { return false }
    isSourcePaused = false
    return true
  }
}
