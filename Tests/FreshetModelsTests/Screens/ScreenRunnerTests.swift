import Freshet
import FreshetStore
import FreshetTesting
import Synchronization
import Testing

@testable import FreshetModels

/// A screen that counts, and asks for whatever number it is told.
private enum Counter: Screen {
  struct State: ScreenState {
    enum Phase: String, ScreenPhase {
      case counting
      var name: String { rawValue }
    }
    var phase: Phase = .counting
    var count = 0
    var waiting = 0
    var isSettled: Bool { waiting == 0 }
    var summary: JSONObject { JSONObject() }
  }

  enum Event: Sendable {
    case add(Int)
    case ask(Int, slot: String)
    case stop(slot: String)
    case answer(Int)
  }

  enum Effect: ScreenEffect {
    case ask(Int, slot: String)
    case stop(slot: String)
    var slot: String {
      switch self {
      case .ask(_, let slot), .stop(let slot): slot
      }
    }
    var isStop: Bool { if case .stop = self { true } else { false } }
  }

  enum Cause: String, Sendable { case change }
  enum Notice: String, ScreenNotice { case none }

  static func reduce(_ state: State, _ event: Event) -> Step<Counter> {
    var step = Step<Counter>(state: state)
    switch event {
    case .add(let number):
      step.state.count += number
      step.move(to: .counting, .change)
    case .ask(let number, let slot):
      step.state.waiting += 1
      step.want(.ask(number, slot: slot))
    case .stop(let slot):
      step.state.waiting = 0
      step.want(.stop(slot: slot))
    case .answer(let number):
      step.state.waiting -= 1
      step.state.count += number
      step.move(to: .counting, .change)
    }
    return step
  }
}

/// What was ended, in order.
private final class Ended: Sendable {
  let numbers = Mutex<[Int]>([])
}

@Suite("Screens: the runner")
struct ScreenRunnerTests {
  private let scheduler = VirtualScheduler()
  private let disposed = Ended()

  private func runner() -> ScreenRunner<Counter> {
    ScreenRunner(Counter.State(), on: ImmediateScheduler()) { [scheduler, disposed] effect, send in
      guard case .ask(let number, _) = effect else { return nil }
      let timer = scheduler.schedule(after: .seconds(1)) { send(.answer(number)) }
      return Disposable {
        timer.dispose()
        disposed.numbers.withLock { $0.append(number) }
      }
    }
  }

  @Test("events sent from inside a delivery are queued: serial, in order, never recursive")
  func reentrant() {
    let runner = runner()
    let recorder = Recorder<Int, Never>(scheduler: scheduler)
    recorder.subscribe(to: runner.transitions.map(\.state.count))
    let token = runner.transitions.subscribe { [weak runner] transition in
      if transition.state.count < 5 { runner?.send(.add(1)) }
    }
    runner.send(.add(1))
    #expect(recorder.values == [1, 2, 3, 4, 5])
    #expect(recorder.violations == [])
    token.dispose()
  }

  @Test("work of a slot ends when other work of it begins, or when it is stopped")
  func slots() {
    let runner = runner()
    runner.send(.ask(1, slot: "a"))
    runner.send(.ask(2, slot: "b"))
    runner.send(.ask(3, slot: "a"))
    #expect(disposed.numbers.withLock { $0 } == [1])
    runner.send(.stop(slot: "b"))
    #expect(disposed.numbers.withLock { $0 } == [1, 2])
    scheduler.advance(by: .seconds(1))
    #expect(runner.state.count == 3)
  }

  @Test("settled: at once, or with the answer; never while an event waits")
  func settled() {
    let runner = runner()
    let recorder = Recorder<Int, Never>(scheduler: scheduler)
    recorder.subscribe(to: runner.settled().map(\.count))
    #expect(recorder.values == [0])
    runner.send(.ask(7, slot: "a"))
    let later = Recorder<Int, Never>(scheduler: scheduler)
    later.subscribe(to: runner.settled().map(\.count))
    #expect(later.values.isEmpty)
    scheduler.advance(by: .seconds(1))
    #expect(later.values == [7])
    #expect(later.end == .finished)
  }

  @Test("closing ends all work, finishes the flows and those who wait; events do nothing then")
  func close() {
    let runner = runner()
    let states = Recorder<Int, Never>(scheduler: scheduler)
    states.subscribe(to: runner.states.map(\.count))
    runner.send(.ask(1, slot: "a"))
    let waiting = Recorder<Int, Never>(scheduler: scheduler)
    waiting.subscribe(to: runner.settled().map(\.count))
    runner.close()
    runner.close()
    #expect(disposed.numbers.withLock { $0 } == [1])
    #expect(states.end == .finished)
    #expect(waiting.end == .finished)
    #expect(waiting.values.isEmpty)
    runner.send(.add(1))
    #expect(runner.state.count == 0)
    #expect(scheduler.pendingCount == 0)
  }

  @Test("events from eight threads are all taken, one at a time")
  func threads() {
    let runner = runner()
    let recorder = Recorder<Int, Never>(scheduler: scheduler)
    recorder.subscribe(to: runner.transitions.map(\.state.count))
    Threads.concurrently(8) { _ in
      for _ in 0..<500 { runner.send(.add(1)) }
    }
    // Whoever came while another delivered has left; what is queued was taken by that one.
    #expect(runner.state.count == 4000)
    #expect(recorder.values.count == 4000)
    #expect(recorder.values == (1...4000).map { $0 })
    #expect(recorder.violations == [])
  }
}
