import BenchFigures
import CAllocations
import Freshet
import Synchronization

/// Counts what live subscriptions take from malloc, token and place in the subject included.
func memoryCases(_ runner: Runner) {
  let name = "memory/subject-map-filter-observer"
  guard runner.wants(name) else { return }
  let count = 100_000
  let cell = Cell()
  let subject = PublishSubject<Int, Never>()
  var tokens: [Disposable] = []
  tokens.reserveCapacity(count)
  let bytes = bytes_in_use()
  let allocations = allocations_of_this_thread()
  for _ in 0..<count {
    let token = subject.map { $0 &* 3 }.filter { $0 & 1 == 0 }
      .subscribe { cell.value.store($0, ordering: .relaxed) }
    tokens.append(token)
  }
  let allocationsEach = Double(allocations_of_this_thread() - allocations) / Double(count)
  let bytesEach = Double(bytes_in_use() - bytes) / Double(count)
  subject.send(2)
  precondition(cell.value.load(ordering: .relaxed) == 6 && tokens.count == count)
  runner.count(
    name,
    [
      ("live", Double(count)), ("bytes_each", bytesEach), ("reach_bytes", 256),
      ("allocations", allocationsEach), ("reach_allocations", 2),
    ],
    // The subject's own list grows now and then.
    reached: bytesEach <= 256 && allocationsEach <= 2.01,
    cells: [("flow_ns", "\(rounded(bytesEach)) B"), ("goal", "≤ 256 B, ≤ 2 blocks")])
}
