import Synchronization

/// One step of the work that every library does with its values; it depends on the step before.
@inline(__always)
func mix(_ sum: Int, _ value: Int) -> Int {
  (sum ^ value) &* 0x100_0000_01B3
}

/// Where values are folded; plain loads and stores, in a form that any closure may capture.
final class Cell: Sendable {
  private let sum = Atomic<Int>(0)

  var value: Int { sum.load(ordering: .relaxed) }

  @inline(__always)
  func fold(_ value: Int) {
    sum.store(mix(sum.load(ordering: .relaxed), value), ordering: .relaxed)
  }

  @inline(__always)
  func store(_ value: Int) {
    sum.store(value, ordering: .relaxed)
  }
}
