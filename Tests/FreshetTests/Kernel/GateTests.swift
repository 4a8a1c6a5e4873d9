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

  @Test(
    "whoever subscribes is not held as everybody's deliverer while others send",
    .timeLimit(.minutes(1)))
  func subscriberIsFree() {
    let subject = PublishSubject<Int, Never>()
    let rig = GateRig()
    // Slow enough that the senders are always ahead of whoever delivers.
    let slow = subject.subscribe { value in
      var sum = value
      for step in 0..<200 { sum = (sum &* 31) ^ step }
      withExtendedLifetime(sum) {}
    }
    Threads.concurrently(3) { thread in
      if thread == 0 {
        for _ in 0..<200 { subject.subscribe { _ in }.dispose() }
        rig.isOver.store(true, ordering: .relaxed)
      } else {
        while !rig.isOver.load(ordering: .relaxed) { subject.send(1) }
      }
    }
    slow.dispose()
  }
}

private final class GateRig: Sendable {
  let gate = Gate<Int>()
  let taken = Mutex<[Int]>([])
  let sent = Atomic<Int>(0)
  let isOver = Atomic<Bool>(false)

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
