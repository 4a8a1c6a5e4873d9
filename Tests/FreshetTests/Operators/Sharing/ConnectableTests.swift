import Freshet
import FreshetTesting
import Testing

@Suite("publish, connect, autoconnect")
struct ConnectableTests {
  @Test("SH-10 connecting twice is connecting once")
  func connectTwice() {
    let source = ScriptedSource<Int, Problem>()
    let shared = source.publish()
    let recorder = Recorder<Int, Problem>()
    recorder.subscribe(to: shared)
    #expect(source.log.subscriptions == 0)
    let first = shared.connect()
    let second = shared.connect()
    #expect(first === second)
    source.send(42)
    #expect(recorder.values == [42])
    #expect(source.log.subscriptions == 1)
    first.dispose()
    #expect(source.activeCount == 0)
  }

  @Test("SH-10 there is one run, also when it has already ended")
  func oneRun() {
    let source = ScriptedSource<Int, Problem>(playing: [1, 2])
    let shared = source.publish(replay: 1)
    let connection = shared.connect()
    _ = shared.connect()
    connection.dispose()
    _ = shared.connect()
    #expect(source.log.subscriptions == 1)
    let late = Recorder<Int, Problem>()
    late.subscribe(to: shared)
    #expect(late.transcript == ["2", "finished"])
  }

  @Test("a connection that was disposed of can be made again")
  func reconnect() {
    let source = ScriptedSource<Int, Problem>()
    let shared = source.publish()
    let recorder = Recorder<Int, Problem>()
    recorder.subscribe(to: shared)
    let first = shared.connect()
    source.send(1)
    first.dispose()
    source.send(2)
    let second = shared.connect()
    source.send(3)
    first.dispose()
    source.send(4)
    #expect(recorder.values == [1, 3, 4])
    #expect(source.log.subscriptions == 2)
    second.dispose()
    #expect(source.activeCount == 0)
  }

  @Test("disposing while the source is being subscribed to stops it on arrival")
  func disposeWhileConnecting() {
    let source = ScriptedSource<Int, Problem>()
    let connectable = Box<Connectable<Deferred<ScriptedSource<Int, Problem>>>>()
    let shared = Deferred {
      // The connection that is being made, from inside its making.
      connectable.value?.connect().dispose()
      return source
    }.publish()
    connectable.value = shared
    _ = shared.connect()
    #expect(source.activeCount == 0)
    connectable.value = nil
  }

  @Test("RC-07 autoconnect connects once, whatever subscribes from inside a start")
  func autoconnectReentrant() {
    let source = ScriptedSource<Int, Never>(playing: [1])
    let shared = source.publish().autoconnect().erased()
    let inner = Recorder<Int, Never>()
    let outer = Recorder<Int, Never>()
    shared.subscribe(Starter { inner.subscribe(to: shared) })
    outer.subscribe(to: shared)
    #expect(source.log.subscriptions == 1)
    #expect(inner.hasEnded && outer.hasEnded)
  }

  @Test("autoconnect waits for enough observers, and goes on without them")
  func autoconnectMinimum() {
    let source = ScriptedSource<Int, Problem>()
    let shared = source.publish(replay: 1).autoconnect(minimum: 2)
    let (a, b, c) = (
      Recorder<Int, Problem>(), Recorder<Int, Problem>(), Recorder<Int, Problem>()
    )
    a.subscribe(to: shared)
    #expect(source.log.subscriptions == 0)
    b.subscribe(to: shared)
    source.send(1)
    a.dispose()
    b.dispose()
    source.send(2)
    c.subscribe(to: shared)
    #expect(a.values == [1] && b.values == [1] && c.values == [2])
    #expect(source.log.subscriptions == 1)
    source.finish()
    #expect(c.hasEnded)
  }

  @Test("autoconnect goes on when nobody keeps the flow")
  func autoconnectIsKept() {
    let source = ScriptedSource<Int, Problem>()
    let recorder = Recorder<Int, Problem>()
    let probe = LeakProbe()
    do {
      let token = probe.token()
      recorder.subscribe(to: source.map { token.pass($0) }.publish().autoconnect())
    }
    source.send(1)
    #expect(recorder.values == [1])
    source.finish()
    #expect(recorder.hasEnded)
    #expect(probe.alive == [])
  }

  @Test("letting go of connectable and connection stops the source")
  func release() {
    let source = ScriptedSource<Int, Problem>()
    let probe = LeakProbe()
    do {
      let token = probe.token()
      let shared = source.map { token.pass($0) }.publish()
      let connection = shared.connect()
      #expect(source.activeCount == 1)
      _ = connection
    }
    #expect(source.activeCount == 0)
    #expect(probe.alive == [])
  }

  @Test("SH-06 many threads connect once")
  func threads() {
    for _ in 0..<50 {
      let source = ScriptedSource<Int, Problem>()
      let shared = source.publish()
      let flow = shared.autoconnect(minimum: 8)
      Threads.concurrently(8) { _ in
        flow.subscribe(Silent<Int, Problem>())
      }
      #expect(source.log.subscriptions == 1)
      source.finish()
    }
  }

  @Test("a pause of one observer pauses the source, and nothing is lost")
  func pause() {
    let source = ScriptedSource<Int, Never>(generating: { $0 < 200 ? $0 : nil }, end: .finished)
    let shared = source.publish()
    let (slow, fast) = (Recorder<Int, Never> { _, _ in .pause }, Recorder<Int, Never>())
    slow.subscribe(to: shared)
    fast.subscribe(to: shared)
    let connection = shared.connect()
    for _ in 0..<400 where !slow.hasEnded {
      #expect(source.log.sent <= slow.valueCount + 2)
      slow.resume()
    }
    #expect(slow.values == Array(0..<200))
    #expect(fast.values == Array(0..<200))
    connection.dispose()
  }
}

/// Does something in its start.
private struct Starter: Observer {
  let action: @Sendable () -> Void
  static var mayPause: Bool { false }
  mutating func start(_ subscription: Subscription) { action() }
  mutating func receive(_ value: Int) -> Answer { .more }
  mutating func end(_ end: End<Never>) {}
}

/// Keeps nothing.
private struct Silent<Element: Sendable, Failure: Error>: Observer {
  static var mayPause: Bool { false }
  mutating func start(_ subscription: Subscription) {}
  mutating func receive(_ value: Element) -> Answer { .more }
  mutating func end(_ end: End<Failure>) {}
}
