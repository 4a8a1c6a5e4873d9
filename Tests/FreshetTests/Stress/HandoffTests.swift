import Dispatch
import Freshet
import FreshetTesting
import Synchronization
import Testing

@Suite("observe(on:) under threads", .serialized)
struct HandoffTests {
  @Test("a concurrent queue: one at a time, in order, to the end")
  func concurrentQueue() {
    for round in 0..<50 {
      let scheduler = QueueScheduler(DispatchQueue(label: "many", attributes: .concurrent))
      let done = DispatchSemaphore(value: 0)
      let recorder = Recorder<Int, Never>()
      let token = (0..<200).flow.observe(on: scheduler, capacity: 7)
        .tap(onEnd: { _ in done.signal() })
      recorder.subscribe(to: token)
      #expect(done.wait(timeout: .now() + 30) == .success, "round \(round): expected the finish")
      #expect(recorder.values == Array(0..<200), "round \(round): expected every value in order")
      #expect(recorder.violations == [], "round \(round): expected one at a time")
    }
  }

  @Test("disposing, pausing and resuming from other threads while the job runs")
  func disposeRaces() {
    for round in 0..<200 {
      let probe = LeakProbe()
      let subject = PublishSubject<Int, Never>()
      let drained = DispatchSemaphore(value: 0)
      let queue = DispatchQueue(label: "race")
      do {
        let token = probe.token()
        let recorder = Recorder<Int, Never> { _, value in
          token.pass(value.isMultiple(of: 5) ? .pause : .more)
        }
        recorder.subscribe(to: subject.observe(on: QueueScheduler(queue), capacity: 4))
        Threads.concurrently(3) { thread in
          switch thread {
          case 0: for number in 0..<50 { subject.send(number) }
          case 1: for _ in 0..<50 { recorder.resume() }
          default:
            while recorder.valueCount < 3, !recorder.hasEnded, subject.send(1) == .more {}
            recorder.dispose()
          }
        }
        #expect(recorder.violations == [], "round \(round): expected one at a time")
      }
      queue.async { drained.signal() }
      drained.wait()
      #expect(probe.alive.isEmpty, "round \(round): expected the observer to be released")
    }
  }
}
