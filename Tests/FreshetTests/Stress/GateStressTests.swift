import FreshetTesting
import Synchronization
import Testing

@testable import Freshet

@Suite("TH: a gate that is taken from its owner", .serialized)
struct GateStressTests {
  /// Each round makes a gate, whose owner goes in and out at once while two others come by and
  /// take the gate away, at another moment in each round: one takes it while the other one
  /// comes for the first time.
  @Test("one at a time, nothing lost, whenever the others come", .timeLimit(.minutes(15)))
  func taken() {
    for round in 0..<2_000 {
      var random = Seed.generator(round)
      let delay = Int.random(in: 0..<400, using: &random)
      let table = Table()
      let each = 60
      Threads.concurrently(3) { thread in
        if thread == 0 {
          table.open(Counting())
          for _ in 0..<each { table.counting?.send() }
        } else {
          while table.counting == nil {}
          for _ in 0..<delay { _ = table.counting }
          for _ in 0..<each { table.counting?.send() }
        }
      }
      let counting = table.counting
      #expect(counting?.overlaps.load(ordering: .relaxed) == 0, Seed.replay)
      #expect(counting?.handled == 3 * each, Seed.replay)
    }
  }
}

/// Where the first thread leaves what the others are waiting for.
private final class Table: Sendable {
  private let place = AtomicLazyReference<Counting>()
  // The place alone would do, but the thread sanitizer does not see into it.
  private let isOpen = Atomic<Bool>(false)

  var counting: Counting? { isOpen.load(ordering: .acquiring) ? place.load() : nil }

  func open(_ counting: Counting) {
    _ = place.storeIfNil(counting)
    isOpen.store(true, ordering: .releasing)
  }
}

/// Counts events, inside a gate, without any other protection.
// @unchecked: `handled` belongs to whoever is inside; that it does is what is tested.
private final class Counting: @unchecked Sendable {
  let gate = Gate<Int>()
  let isBusy = Atomic<Bool>(false)
  let overlaps = Atomic<Int>(0)
  @exclusivity(unchecked) var handled = 0

  deinit { gate.free() }

  func send() {
    switch gate.enter(orLeave: 1) {
    case .inside: handle(1)
    case .left, .leftMany: return
    case .tookOver: break
    }
    while !gate.leave() {
      for number in gate.takeBacklog() { handle(number) }
    }
  }

  private func handle(_ number: Int) {
    // Not an exchange, which would be a barrier of its own.
    if isBusy.load(ordering: .relaxed) { overlaps.add(1, ordering: .relaxed) }
    isBusy.store(true, ordering: .relaxed)
    handled += number
    isBusy.store(false, ordering: .relaxed)
  }
}
