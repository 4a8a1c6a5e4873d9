import Freshet
import FreshetTesting
import Synchronization
import Testing

@Suite("overlap detection")
struct OverlapTests {
  @Test("a send from inside a delivery names both lines, and the values keep their order")
  func reentrant() {
    let seen = Seen<Overlap>()
    let subject = PublishSubject<Int, Never>()
    let detector = OverlapDetector("orders", subject) { seen.add($0) }
    let recorder = Recorder<Int, Never> { _, value in
      if value == 1 { detector.send(2, file: "App/Inner.swift", line: 20) }
      return .more
    }
    recorder.subscribe(to: subject)
    detector.send(1, file: "App/Outer.swift", line: 10)
    detector.send(3, file: "App/Outer.swift", line: 11)
    #expect(recorder.values == [1, 2, 3])
    #expect(seen.count == 1)
    #expect(seen.last?.isReentrant == true)
    #expect(seen.last?.first.place == "App/Outer.swift:10")
    #expect(seen.last?.second.place == "App/Inner.swift:20")
    #expect(seen.last?.description.contains("orders: App/Inner.swift:20 (thread ") == true)
  }

  @Test("a send from another thread during a delivery names both threads")
  func concurrent() {
    let seen = Seen<Overlap>()
    let subject = BehaviorSubject<Int, Never>(0)
    let detector = OverlapDetector("state", subject) { seen.add($0) }
    let recorder = Recorder<Int, Never> { _, value in
      if value == 1 { Threads.concurrently(1) { _ in detector.send(2) } }
      return .more
    }
    recorder.subscribe(to: subject)
    detector.send(1)
    #expect(recorder.values == [0, 1, 2])
    #expect(seen.count == 1)
    #expect(seen.last?.isReentrant == false)
    #expect(seen.last?.first.thread != seen.last?.second.thread)
    #expect(seen.last?.first.place.hasPrefix("FreshetTests/OverlapTests.swift:") == true)
  }

  @Test("one after the other is no overlap; an end may be one")
  func serial() {
    let seen = Seen<Overlap>()
    let subject = ReplaySubject<Int, Problem>(capacity: 1)
    let detector = OverlapDetector("log", subject) { seen.add($0) }
    for value in 0..<10 { detector.send(value) }
    #expect(seen.count == 0)
    let recorder = Recorder<Int, Problem> { _, value in
      if value == 10 { detector.finish() }
      return .more
    }
    recorder.subscribe(to: subject)
    detector.send(10)
    detector.fail(.first)
    #expect(recorder.transcript == ["9", "10", "finished"])
    #expect(seen.count == 1)
  }

  @Test("a source of one's own that delivers two at a time is found, a good one is not")
  func operators() {
    let seen = Seen<Overlap>()
    let unruly = ScriptedSource<Int, Never>(.unruly)
    let token = unruly.detectOverlap("sensor") { seen.add($0) }.subscribe { value in
      if value == 1 { unruly.send(2) }
    }
    unruly.send(1)
    #expect(seen.count == 1)
    #expect(seen.last?.isReentrant == true)
    #expect(seen.last?.first.place == "value 1")
    #expect(seen.last?.second.place == "value 2")
    token.dispose()
    unruly.release()
    let good = Recorder<Int, Never>()
    good.subscribe(to: (0..<10).flow.detectOverlap("numbers") { seen.add($0) })
    #expect(good.valueCount == 10 && seen.count == 1)
  }
}
