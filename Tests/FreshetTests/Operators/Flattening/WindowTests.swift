import Freshet
import FreshetTesting
import Synchronization
import Testing

@Suite("window")
struct WindowTests {
  /// What came when, each value with the number of its window: `1a`, and `1|` for its end.
  private func timeline<Windows: Flow>(
    _ time: VirtualScheduler, _ windows: Windows, giving expected: String
  ) throws -> MarbleDifference?
  where Windows.Element == Window<String, MarbleFailure>, Windows.Failure == MarbleFailure {
    let count = Mutex(0)
    let named = windows.flatMap { window -> AnyFlow<String, MarbleFailure> in
      let number = count.withLock { count in
        count += 1
        return count
      }
      return window.map { "\(number)\($0)" }.startWith("\(number)(").endWith("\(number))").erased()
    }
    return try time.difference(of: named, from: expected)
  }

  @Test("by count: a window is opened for its first value")
  func count() throws {
    let time = VirtualScheduler()
    #expect(
      try timeline(
        time, time.hot("a---b---c---d---e--|").window(count: 2),
        giving: "[{1(}{1a}]---[{1b}{1)}]---[{2(}{2c}]---[{2d}{2)}]---[{3(}{3e}]--({3)}|)") == nil)
    let even = VirtualScheduler()
    #expect(
      try timeline(even, even.hot("ab|").window(count: 2), giving: "[{1(}{1a}][{1b}{1)}]|") == nil)
    let none = VirtualScheduler()
    #expect(try timeline(none, none.hot("--|").window(count: 2), giving: "--|") == nil)
  }

  @Test("by time: one follows the other, with values or without")
  func time() throws {
    let time = VirtualScheduler()
    #expect(
      try timeline(
        time, time.hot("a-b---------c|").window(for: .ticks(5), on: time),
        giving: "[{1(}{1a}]-{1b}--[{1)}{2(}]----[{2)}{3(}]-{3c}({3)}|)") == nil)
  }

  @Test("by time or count: a full one ends early and the next gets the whole time")
  func timeOrCount() throws {
    let time = VirtualScheduler()
    let flow = try time.hot("-ab-------c|").window(for: .ticks(5), orCount: 2, on: time)
    #expect(
      try timeline(time, flow, giving: "{1(}{1a}[{1b}{1)}{2(}]----[{2)}{3(}]--{3c}({3)}|)") == nil)
  }

  @Test("by a signal, whose finish changes nothing and whose failure ends all")
  func signal() throws {
    let time = VirtualScheduler()
    #expect(
      try timeline(
        time, time.hot("-a-b--c|").window(until: time.hot("--x-|")),
        giving: "{1(}{1a}[{1)}{2(}]{2b}--{2c}({2)}|)") == nil)
    let failing = VirtualScheduler()
    #expect(
      try timeline(
        failing, failing.hot("-a-b--c|").window(until: failing.hot("--#")), giving: "{1(}{1a}#")
        == nil)
  }

  @Test("a signal that never speaks opens the first window all the same")
  func silentSignal() throws {
    let time = VirtualScheduler()
    #expect(
      try timeline(
        time, time.hot("--a|").window(until: NeverFlow<Void, MarbleFailure>()),
        giving: "{1(}-{1a}({1)}|)") == nil)
  }

  @Test("a failure ends the window and the result")
  func failure() {
    let source = PublishSubject<Int, Problem>()
    let inner = Recorder<Int, Problem>()
    let outer = Recorder<String, Problem>()
    outer.subscribe(
      to: source.window(count: 3).map { window in
        inner.subscribe(to: window)
        return "window"
      })
    source.send(1)
    source.fail(.first)
    #expect(inner.transcript == ["1", "failed(first)"])
    #expect(outer.transcript == ["window", "failed(first)"])
  }

  @Test("a dispose: a window that is followed goes on to its end, which stops the source")
  func dispose() {
    let source = ScriptedSource<Int, Problem>()
    let scheduler = VirtualScheduler()
    let probe = LeakProbe()
    let inner = Recorder<Int, Problem>()
    let outer = Recorder<Int, Problem>()
    do {
      let token = probe.token()
      outer.subscribe(
        to: source.map { token.pass($0) }.window(for: .ticks(5), on: scheduler).map { window in
          inner.subscribe(to: window.map { token.pass($0) })
          return 0
        })
    }
    source.send(1)
    outer.dispose()
    source.send(2)
    scheduler.advance(by: .ticks(10))
    #expect(inner.transcript == ["1", "2", "finished"])
    #expect(outer.valueCount == 1, "expected no further window")
    #expect(probe.alive == [])
    #expect(source.activeCount == 0)
    #expect(scheduler.pendingCount == 0)
  }

  @Test("disposing of a window does not disturb the others")
  func disposeWindow() {
    let source = PublishSubject<Int, Never>()
    let inner = Box<Recorder<Int, Never>>()
    let outer = Recorder<Int, Never>()
    outer.subscribe(
      to: source.window(count: 2).map { window in
        let recorder = Recorder<Int, Never>()
        recorder.subscribe(to: window)
        inner.value = recorder
        return 0
      })
    source.send(1)
    inner.value?.dispose()
    for value in 2...4 { source.send(value) }
    #expect(inner.value?.transcript == ["3", "4", "finished"])
    #expect(outer.valueCount == 2)
  }

  @Test("100 000 windows stay flat")
  func flat() {
    Threads.onSmallStack {
      let recorder = Recorder<Int, Never>()
      recorder.subscribe(to: (0..<100_000).flow.window(count: 1).flatMap { $0 })
      #expect(recorder.valueCount == 100_000)
      #expect(recorder.hasEnded)
    }
  }

  @Test("pausing the flow of windows loses nothing")
  func pauseOuter() {
    let recorder = Recorder<Int, Never> { _, _ in .pause }
    let outer = (0..<20).flow.window(count: 3).concatMap { $0.buffer(count: 3) }
      .concatMap { $0.flow }
    recorder.subscribe(to: outer)
    for _ in 0..<100 where !recorder.hasEnded { recorder.resume() }
    #expect(recorder.values == Array(0..<20))
    #expect(recorder.hasEnded)
  }

  @Test("a window's observer that pauses stops the source, and nothing is lost")
  func pauseInner() {
    let source = ScriptedSource<Int, Never>(
      generating: { $0 < 1000 ? $0 : nil }, end: .finished)
    let recorder = Recorder<Int, Never> { _, _ in .pause }
    let outer = Recorder<Int, Never>()
    outer.subscribe(
      to: source.window(count: 2000).map { window in
        recorder.subscribe(to: window)
        return 0
      })
    #expect(source.log.sent < 10)
    for _ in 0..<2000 where !recorder.hasEnded {
      #expect(source.log.sent <= recorder.valueCount + 2)
      recorder.resume()
    }
    #expect(recorder.values == Array(0..<1000))
    #expect(outer.hasEnded)
  }
}
