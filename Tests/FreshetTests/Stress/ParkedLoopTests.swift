import Freshet
import FreshetTesting
import Synchronization
import Testing

@Suite("resuming races with parking", .serialized)
struct ParkedLoopTests {
  /// Pauses at every value; another thread resumes as soon as it hears of it.
  ///
  /// That is often before the source has parked. Every value must come once, in order.
  private func race<Source: Flow>(
    _ name: String, count: Int, _ flow: Source
  ) where Source.Element == Int, Source.Failure == Never {
    let pauses = Atomic<Int>(0)
    let hasEnded = Atomic<Bool>(false)
    let recorder = Recorder<Int, Never> { _, _ in
      pauses.add(1, ordering: .acquiringAndReleasing)
      return .pause
    }
    let isDone = Threads.finishes(within: 60) {
      Threads.concurrently(2) { thread in
        guard thread == 1 else {
          recorder.subscribe(to: flow)
          return
        }
        var resumed = 0
        while !hasEnded.load(ordering: .acquiring) {
          if pauses.load(ordering: .acquiring) > resumed {
            resumed += 1
            // The recorder writes a value down before it counts it as a pause.
            recorder.resume()
          }
          if recorder.hasEnded { hasEnded.store(true, ordering: .releasing) }
        }
      }
    }
    #expect(isDone, "\(name): expected no resume to be lost")
    #expect(recorder.values == Array(0..<count), "\(name): expected each value once, in order")
    #expect(recorder.violations == [], "\(name): expected one at a time")
  }

  @Test("a sequence")
  func sequence() {
    race("sequence", count: 3000, (0..<3000).flow)
  }

  @Test("through a kernel operator")
  func kernel() {
    race("merge", count: 2000, (0..<2000).flow.merge(with: Empty()))
    race("flatMap", count: 2000, (0..<2000).flow.flatMap(maxConcurrent: 1) { Just($0) })
    race("startWith", count: 2000, (1..<2000).flow.startWith(0))
  }

  @Test("through share and observe(on:)")
  func hubAndHandoff() {
    race("share", count: 2000, (0..<2000).flow.share())
    race(
      "observe(on:)", count: 2000,
      (0..<2000).flow.observe(on: QueueScheduler(label: "race"), capacity: 3))
  }
}
