import Freshet
import Synchronization

/// The stream cases: pipelines that were compiled whole, each beside the same work by hand.
enum StreamCases {
  static let all: [BenchCase] = [
    .loops(
      "map-filter-reduce", "range, map, filter, reduce", events: 10_000_000,
      floor: { handChain($0) }, work: { flowChain($0) }),
    .loops(
      "ten-maps", "range, ten maps, reduce", events: 10_000_000,
      floor: { handTenMaps($0) }, work: { flowTenMaps($0) }),
    .loops(
      "subject", "a publish subject with one observer", floor: { handSubject($0, observers: 1) },
      work: { flowSubject($0, observers: 1) }),
    .loops(
      "subject-100", "a publish subject with a hundred observers", events: 100_000,
      floor: { handSubject($0, observers: 100) }, work: { flowSubject($0, observers: 100) }),
    .loops("merge", "two ranges merged", floor: { handChain($0) }, work: { flowMerge($0) }),
    .loops(
      "flat-map", "each value becomes a flow of one", floor: nil,
      work: { count in
        sum((0..<count).flow.flatMap { Just($0 &+ 1) })
      }),
    .loops(
      "switch-map", "each value becomes a flow of one, the newest counts", floor: nil,
      work: { count in
        sum((0..<count).flow.switchMap { Just($0 &+ 1) })
      }),
    .loops(
      "subscribe", "subscribe to a subject and dispose", floor: nil,
      work: { count in
        let subject = PublishSubject<Int, Never>()
        for _ in 0..<count { subject.subscribe { _ in }.dispose() }
        return count
      }),
  ]

  /// Depends on the result before it, so that no loop over it can be folded or vectorised.
  @inline(__always)
  private static func mix(_ sum: Int, _ value: Int) -> Int {
    (sum ^ value) &* 0x100_0000_01B3
  }

  // Where the flow is made and where it is subscribed to must be seen together: else each stage is
  // an indirect call.
  @inline(__always)
  private static func sum<F: Flow<Int, Never>>(_ flow: F) -> Int {
    let box = Atomic(0)
    flow.reduce(0) { mix($0, $1) }.subscribe { box.store($0, ordering: .relaxed) }.dispose()
    return box.load(ordering: .relaxed)
  }

  @inline(never)
  private static func handChain(_ count: Int) -> Int {
    var result = 0
    for value in 0..<count {
      let mapped = value &* 3
      if mapped & 1 == 0 { result = mix(result, mapped) }
    }
    return result
  }

  @inline(never)
  private static func flowChain(_ count: Int) -> Int {
    sum((0..<count).flow.map { $0 &* 3 }.filter { $0 & 1 == 0 })
  }

  @inline(never)
  private static func flowMerge(_ count: Int) -> Int {
    let half = count / 2
    return sum((0..<half).flow.merge(with: (half..<count).flow))
  }

  @inline(never)
  private static func handTenMaps(_ count: Int) -> Int {
    var result = 0
    for value in 0..<count { result = mix(result, value &+ 10) }
    return result
  }

  @inline(never)
  private static func flowTenMaps(_ count: Int) -> Int {
    sum(
      (0..<count).flow.map { $0 &+ 1 }.map { $0 &+ 1 }.map { $0 &+ 1 }.map { $0 &+ 1 }
        .map { $0 &+ 1 }.map { $0 &+ 1 }.map { $0 &+ 1 }.map { $0 &+ 1 }.map { $0 &+ 1 }
        .map { $0 &+ 1 })
  }

  /// A list of closures, called in turn.
  @inline(never)
  private static func handSubject(_ count: Int, observers: Int) -> Int {
    let sums = (0..<observers).map { _ in Cell() }
    let closures: [(Int) -> Void] = sums.map { cell in { cell.value = mix(cell.value, $0) } }
    for value in 0..<count { for closure in closures { closure(value) } }
    return sums[0].value
  }

  @inline(never)
  private static func flowSubject(_ count: Int, observers: Int) -> Int {
    let subject = PublishSubject<Int, Never>()
    let sums = (0..<observers).map { _ in Cell() }
    let tokens = sums.map { cell in subject.subscribe { cell.value = mix(cell.value, $0) } }
    for value in 0..<count { subject.send(value) }
    for token in tokens { token.dispose() }
    return sums[0].value
  }

  // @unchecked: made, used and dropped by one thread, which also sends.
  private final class Cell: @unchecked Sendable {
    var value = 0
  }
}
