import Freshet
import FreshetTesting
import Testing

@Suite("finally")
struct FinallyTests {
  private enum Point: Sendable { case start, value, end }

  /// An observer that disposes at one point, or holds nothing at all.
  private struct Leaving: Observer {
    let point: Point?
    var subscription: Subscription?

    init(at point: Point?) { self.point = point }

    static var mayPause: Bool { false }

    mutating func start(_ subscription: Subscription) {
      if point != nil { self.subscription = subscription }
      if point == .start { subscription.dispose() }
    }

    mutating func receive(_ value: Int) -> Answer {
      if point == .value { subscription?.dispose() }
      return .more
    }

    mutating func end(_ end: End<Trouble>) {
      if point == .end { subscription?.dispose() }
    }
  }

  /// What a closure of `finally` is told, in words.
  private static func words(_ end: End<Trouble>?) -> String {
    switch end {
    case .finished: "finished"
    case .failed(let failure): "failed \(failure.code)"
    case nil: "disposed"
    }
  }

  @Test("runs once, after the observer was told the end")
  func ends() {
    for (source, expected) in [(playing(1), "finished"), (failing(1, code: 3), "failed 3")] {
      let seen = Seen<String>()
      let token = source.finally { seen.add(Self.words($0)) }
        .subscribe(onValue: { seen.add("\($0)") }, onEnd: { _ in seen.add("end") })
      #expect(seen.all == ["1", "end", expected])
      token.dispose()
      #expect(seen.count == 3, "expected nothing after the end")
    }
  }

  @Test("runs once, after the source was stopped by a dispose")
  func dispose() {
    let source = ScriptedSource<Int, Trouble>()
    let seen = Seen<String>()
    let token = source.finally { seen.add("\(Self.words($0)), \(source.activeCount) left") }
      .subscribe(onValue: { _ in }, onEnd: { _ in })
    token.dispose()
    token.dispose()
    #expect(seen.all == ["disposed, 0 left"])
  }

  @Test("an operator behind it that has enough disposes of it; one before it ends it")
  func take() {
    let behind = Seen<String>()
    let recorder = Recorder<Int, Trouble>()
    recorder.subscribe(to: playing(1, 2, 3).finally { behind.add(Self.words($0)) }.take(1))
    #expect(behind.all == ["disposed"])
    let before = Seen<String>()
    let second = Recorder<Int, Trouble>()
    second.subscribe(to: playing(1, 2, 3).take(1).finally { before.add(Self.words($0)) })
    #expect(before.all == ["finished"])
    #expect(recorder.violations + second.violations == [])
  }

  @Test("runs when the observer disposes from inside, and when it does so at the start")
  func inside() {
    for point in [Point.start, .value, .end] {
      let seen = Seen<String>()
      let handle = playing(1).finally { seen.add(Self.words($0)) }.subscribe(Leaving(at: point))
      #expect(seen.all == [point == .end ? "finished" : "disposed"], "\(point)")
      handle.dispose()
      #expect(seen.count == 1, "\(point)")
    }
  }

  @Test("runs when a subscription that nobody ends is let go")
  func letGo() {
    let seen = Seen<String>()
    NeverFlow<Int, Trouble>().finally { seen.add(Self.words($0)) }
      .subscribe(Leaving(at: nil))
    #expect(seen.all == ["disposed"])
  }

  @Test("runs once when eight threads dispose")
  func threads() {
    for _ in 0..<50 {
      let count = Counter()
      let subject = PublishSubject<Int, Never>()
      let token = subject.finally { _ in count.next() }.subscribe { _ in }
      Threads.concurrently(4) { number in
        if number == 0 { subject.finish() } else { token.dispose() }
      }
      #expect(count.value == 1)
    }
  }
}
