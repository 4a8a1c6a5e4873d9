import Freshet
import Synchronization

/// One step of the work that every case does with its values.
///
/// It depends on the result of the step before, so no loop over it can be hoisted, folded
/// or vectorised.
@inline(__always)
func mix(_ sum: Int, _ value: Int) -> Int {
  (sum ^ value) &* 0x100_0000_01B3
}

/// Where a flow leaves its result.
final class Cell: Sendable {
  let value = Atomic<Int>(0)
}

/// Folds what comes and leaves the result in a cell at the end.
struct Sum: Observer {
  typealias Element = Int
  typealias Failure = Never
  let cell: Cell
  var sum = 0

  init(_ cell: Cell) {
    self.cell = cell
  }

  static var mayPause: Bool { false }

  mutating func start(_ subscription: Subscription) {}

  mutating func receive(_ value: Int) -> Answer {
    sum = mix(sum, value)
    return .more
  }

  mutating func end(_ end: End<Never>) {
    cell.value.store(sum, ordering: .relaxed)
  }
}

/// Runs a flow to its end and returns what came out of it.
@inline(__always)
func sum<F: Flow>(_ flow: F) -> Int where F.Element == Int, F.Failure == Never {
  let cell = Cell()
  flow.subscribe(Sum(cell))
  return cell.value.load(ordering: .relaxed)
}

/// Runs a flow of one value and returns that.
@inline(__always)
func only<F: Flow>(_ flow: F) -> Int where F.Element == Int, F.Failure == Never {
  let cell = Cell()
  _ = flow.subscribe { cell.value.store($0, ordering: .relaxed) }
  return cell.value.load(ordering: .relaxed)
}
