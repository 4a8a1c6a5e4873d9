import Freshet
import FreshetTesting
import Testing

@Suite("blocking(atMost:)")
struct BlockingTests {
  private static let long = Duration.seconds(60)
  private static let short = Duration.milliseconds(20)

  @Test("all values of a synchronous flow, of one on another thread, of nothing")
  func all() throws {
    #expect(try [1, 2, 3].flow.blocking(atMost: Self.long).toArray() == [1, 2, 3])
    let elsewhere = (0..<10_000).flow.observe(on: QueueScheduler(label: "blocking"))
    #expect(try elsewhere.blocking(atMost: Self.long).toArray() == Array(0..<10_000))
    #expect(try Empty<Int, Never>().blocking(atMost: Self.long).toArray() == [])
  }

  @Test("the first value stops the source")
  func first() throws {
    let source = ScriptedSource<Int, Problem>(playing: [1, 2, 3])
    #expect(try source.blocking(atMost: Self.long).first() == 1)
    #expect(source.log.sent == 1)
    #expect(try (1...).flow.blocking(atMost: Self.long).first() == 1, "an endless source")
    #expect(try Empty<Int, Never>().blocking(atMost: Self.long).first() == nil)
  }

  @Test("the last value, and the wait without values")
  func last() throws {
    #expect(try [1, 2, 3].flow.blocking(atMost: Self.long).last() == 3)
    #expect(try Empty<Int, Never>().blocking(atMost: Self.long).last() == nil)
    try [1, 2, 3].flow.blocking(atMost: Self.long).wait()
  }

  @Test("a failure is thrown, also where only the finish is waited for")
  func failure() {
    let flow = Recording<Int, Problem>([1], end: .failed(.second)).blocking(atMost: Self.long)
    let expected = BlockingError<Problem>.failed(.second)
    #expect(throws: expected) { try flow.toArray() }
    #expect(throws: expected) { try flow.last() }
    #expect(throws: expected) { try flow.wait() }
    #expect(flow.recording() == Recording([1], end: .failed(.second)))
  }

  @Test("a flow that says nothing: the limit ends the wait, and the subscription")
  func silent() {
    let subject = PublishSubject<Int, Never>()
    let ended = Seen<Bool>()
    let flow = subject.finally { ended.add($0 == nil) }.startWith(7, 8)
    #expect(throws: BlockingError<Never>.timedOut(after: Self.short, values: 2)) {
      try flow.blocking(atMost: Self.short).toArray()
    }
    #expect(ended.all == [true], "expected a dispose")
    let recording = flow.blocking(atMost: Self.short).recording()
    #expect(recording == Recording([7, 8], end: nil))
  }

  @Test("a synchronous source without an end is stopped by the limit, with values or without")
  func endless() {
    let seen = Counter()
    let endless = Generate(from: 0) { number -> Int? in
      number += 1
      return number
    }
    let finished = Threads.finishes(within: 60) {
      _ = endless.tap { _ in seen.next() }.filter { _ in false }
        .blocking(atMost: Self.short).recording()
      _ = endless.blocking(atMost: Self.short).recording()
    }
    #expect(finished, "expected the limit to stop the source")
    #expect(seen.value > 0)
  }

  @Test("a queue that waits for the calling thread does not hold it for ever")
  func ownQueue() {
    let queue = QueueScheduler(label: "own")
    let result = Box<String>()
    let finished = Threads.finishes(within: 60) {
      let done = Box(false)
      queue.schedule {
        let waited = Just(1).observe(on: queue).blocking(atMost: Self.short).recording()
        result.value = "\(waited.values), \(waited.end == nil)"
        done.value = true
      }
      // The queue is serial: this job comes after that one.
      _ = Just(0).observe(on: queue).blocking(atMost: .seconds(60)).recording()
    }
    #expect(finished)
    #expect(result.value == "[], true")
  }

  @Test("an unruly source: nothing after the end, no second source")
  func unruly() {
    struct Unruly: Flow {
      typealias Element = Int
      typealias Failure = Problem

      func subscribe<O: Observer>(_ observer: O) -> Subscription
      where O.Element == Int, O.Failure == Problem {
        var observer = observer
        let first = Subscription()
        let second = Subscription()
        observer.start(first)
        observer.start(second)
        #expect(second.isDisposed && !first.isDisposed)
        _ = observer.receive(1)
        observer.end(.finished)
        #expect(observer.receive(2) == .stop)
        observer.end(.failed(.first))
        return first
      }
    }
    #expect(Unruly().blocking(atMost: Self.long).recording() == Recording([1], end: .finished))
  }

  @Test("says what happened and what to do")
  func words() {
    #expect(
      BlockingError<Problem>.timedOut(after: .seconds(2), values: 1).description
        == "the flow had not ended after 2.0 seconds, and had sent 1 value; give it longer, "
        + "or end it with take")
    #expect(BlockingError<Problem>.failed(.first).description == "the flow failed: first")
  }
}
