/// The last values of a stream, up to a limit, oldest first.
@frozen
@usableFromInline
struct Ring<Element: Sendable>: Sendable {
  @usableFromInline let limit: Int
  @usableFromInline var storage: [Element] = []
  @usableFromInline var oldest = 0

  @inlinable
  init(limit: Int) {
    self.limit = limit
  }

  /// Takes a value in and hands out the one for which there is no more room.
  ///
  /// - Complexity: O(1), amortised.
  @inlinable
  mutating func push(_ value: Element) -> Element? {
    if storage.count < limit {
      storage.append(value)
      return nil
    }
    guard limit > 0 else { return value }
    let out = exchange(&storage[oldest], for: value)
    oldest = oldest + 1 == limit ? 0 : oldest + 1
    return out
  }

  /// Everything inside, oldest first.
  ///
  /// - Complexity: O(n).
  @inlinable
  var inOrder: [Element] {
    oldest == 0 ? storage : Array(storage[oldest...] + storage[..<oldest])
  }
}
