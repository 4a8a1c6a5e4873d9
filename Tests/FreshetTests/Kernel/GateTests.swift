import FreshetTesting
import Synchronization
import Testing

@testable import Freshet

@Suite("gate")
struct GateTests {
  @Test("a backlog is handed over, in order, to a caller who comes by", .timeLimit(.minutes(15)))
  func handOver() {
    let rig = GateRig()
    Threads.concurrently(2) { thread in
      rig.arrived.add(1, ordering: .acquiringAndReleasing)
      if thread == 0 {
        rig.enterWhenFree()
        rig.arrived.add(1, ordering: .acquiringAndReleasing)
        while !rig.handOver() {}
      } else {
        while rig.arrived.load(ordering: .acquiring) < 3 {}
        rig.sendUntilTakenOver()
      }
    }
    let count = rig.sent.load(ordering: .relaxed)
    #expect(rig.taken.withLock { $0 } == Array(0..<count), "nothing is lost, doubled or moved")
    #expect(rig.enterWhenFree(), "the one who took over has left")
  }

  @Test("without anybody else the gate is kept")
  func nobody() {
    let rig = GateRig()
    #expect(rig.enter())
    #expect(!rig.handOver(), "there is no backlog to hand over")
    #expect(rig.leave())
  }

  @Test("the owner of a gate that comes from inside leaves its event for itself")
  func ownerInside() {
    let rig = GateRig()
    #expect(rig.enter())
    #expect(!rig.enter())
    #expect(rig.send(1) == .left)
    #expect(rig.send(2) == .left)
    #expect(!rig.leave(), "the backlog comes first")
    #expect(rig.takeBacklog() == [1, 2])
    #expect(rig.leave())
    #expect(rig.send(3) == .inside)
    #expect(rig.leave())
  }

  @Test("a gate is taken from its owner while that is inside: the owner finds what was left")
  func takenFromInside() {
    let rig = GateRig()
    #expect(rig.enter())
    #expect(rig.send(1) == .left)
    Threads.concurrently(1) { _ in #expect(rig.send(2) == .left) }
    #expect(rig.send(3) == .left, "the former owner is still inside")
    #expect(!rig.leave())
    #expect(rig.takeBacklog() == [1, 2, 3])
    Threads.concurrently(1) { _ in #expect(rig.send(4) == .left) }
    #expect(!rig.leave())
    #expect(rig.takeBacklog() == [4])
    #expect(rig.leave())
    Threads.concurrently(1) { _ in
      #expect(rig.enter(), "the gate is everybody's")
      #expect(rig.leave())
    }
    #expect(rig.send(5) == .inside)
    #expect(rig.leave())
  }

  @Test("a gate is taken from its owner while that is inside and has left itself nothing")
  func takenFromInsideEmpty() {
    let rig = GateRig()
    #expect(rig.enter())
    Threads.concurrently(1) { _ in
      #expect(!rig.enter(), "that alone does not take it")
      #expect(rig.send(1) == .left)
    }
    #expect(!rig.enter())
    #expect(!rig.leave())
    #expect(rig.takeBacklog() == [1])
    #expect(rig.leave())
    #expect(rig.enter())
    #expect(rig.leave())
  }

  @Test("a gate is taken from its owner while that is outside")
  func takenFromOutside() {
    let rig = GateRig()
    Threads.concurrently(1) { _ in
      #expect(rig.send(1) == .inside)
      #expect(rig.leave())
    }
    #expect(rig.enter())
    Threads.concurrently(1) { _ in
      #expect(!rig.enter())
      #expect(rig.send(2) == .left)
    }
    #expect(!rig.leave())
    #expect(rig.takeBacklog() == [2])
    #expect(rig.leave())
  }

  @Test("nobody delivers without end what others send", .timeLimit(.minutes(15)))
  func everybodyGetsOn() {
    let subject = PublishSubject<Int, Never>()
    let rig = GateRig()
    // Slow enough that a sender is always ahead of whoever delivers.
    let slow = subject.subscribe { value in
      var sum = value
      for step in 0..<2_000 { sum = (sum &* 31) ^ step }
      withExtendedLifetime(sum) {}
    }
    // Each goes on until both have got on: one who is held for the other's sake never does.
    Threads.concurrently(2) { thread in
      rig.arrived.add(1, ordering: .relaxed)
      while rig.arrived.load(ordering: .relaxed) < 2 {}
      while rig.sends(0) < 100 || rig.sends(1) < 100 {
        subject.send(1)
        rig.sent(by: thread)
      }
    }
    slow.dispose()
  }
}

private final class GateRig: Sendable {
  let gate = Gate<Int>()

  deinit { gate.free() }

  let taken = Mutex<[Int]>([])
  let sent = Atomic<Int>(0)
  let arrived = Atomic<Int>(0)
  let first = Atomic<Int>(0)
  let second = Atomic<Int>(0)

  func sends(_ thread: Int) -> Int {
    thread == 0 ? first.load(ordering: .relaxed) : second.load(ordering: .relaxed)
  }

  func sent(by thread: Int) {
    if thread == 0 {
      first.add(1, ordering: .relaxed)
    } else {
      second.add(1, ordering: .relaxed)
    }
  }

  /// Says whether the first try got in, after taking the gate from its owner.
  @discardableResult
  func enterWhenFree() -> Bool {
    if gate.enter() { return true }
    if case .inside = gate.enter(orLeave: 0) { return true }
    return false
  }

  func enter() -> Bool { gate.enter() }
  func send(_ number: Int) -> Gate<Int>.Entry { gate.enter(orLeave: number) }
  func takeBacklog() -> [Int] { gate.takeBacklog() }
  func leave() -> Bool { gate.leave() }
  func handOver() -> Bool { gate.handOver() }

  func sendUntilTakenOver() {
    while true {
      let number = sent.add(1, ordering: .relaxed).oldValue
      switch gate.enter(orLeave: number) {
      case .left, .leftMany: continue
      case .inside: return taken.withLock { $0 = [-1] }
      case .tookOver: break
      }
      repeat {
        let events = gate.takeBacklog()
        taken.withLock { $0 += events }
      } while !gate.leave()
      return
    }
  }
}
