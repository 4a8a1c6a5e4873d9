import Synchronization

/// Counts from one, from any thread.
final class Counter: Sendable {
  private let count = Atomic<Int>(0)

  @discardableResult
  func next() -> Int {
    count.add(1, ordering: .relaxed).newValue
  }

  var value: Int { count.load(ordering: .relaxed) }
}
