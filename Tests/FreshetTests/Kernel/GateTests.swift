import FreshetTesting
import Synchronization
import Testing

@testable import Freshet

@Suite("gate")
struct GateTests {
  @Test("a backlog is handed over, in order, to a caller who comes by", .timeLimit(.minutes(1)))
  func handOver() {
    let rig = GateRig()
    #expect(rig.enter())
    Threads.concurrently(2) { thread in
      if thread == 0 {
        while !rig.handOver() {}
      } else {
        rig.sendUntilTakenOver()
      }
    }
    let count = rig.sent.load(ordering: .relaxed)
    #expect(rig.taken.withLock { $0 } == Array(0..<count), "nothing is lost, doubled or moved")
    #expect(rig.enter(), "the one who took over has left")
  }

  @Test("without anybody else the gate is kept")
  func nobody() {
    let rig = GateRig()
    #expect(rig.enter())
    #expect(!rig.handOver(), "there is no backlog to hand over")
    #expect(rig.leave())
  }

  @Test("nobody delivers without end what others send", .timeLimit(.minutes(1)))
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

  func enter() -> Bool { gate.enter() }
  func leave() -> Bool { gate.leave() }
  func handOver() -> Bool { gate.handOver() }

  func sendUntilTakenOver() {
    while true {
      let number = sent.add(1, ordering: .relaxed).oldValue
      switch gate.enter(orLeave: number) {
      case .left: continue
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
