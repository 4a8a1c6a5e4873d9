import Freshet
import FreshetTesting
import Testing

@Suite("Generate, and flows from asynchronous functions")
struct GenerateTests {
  @Test("each subscription begins anew; no call is made ahead")
  func generate() {
    let calls = Counter()
    let powers = Generate(from: 1) { state -> Int? in
      calls.next()
      defer { state *= 2 }
      return state < 10 ? state : nil
    }
    for _ in 1...2 {
      let recorder = Recorder<Int, Never>()
      recorder.subscribe(to: powers)
      #expect(recorder.transcript == ["1", "2", "4", "8", "finished"])
    }
    let first = Counter()
    let few = Recorder<Int, Never> { _, _ in .pause }
    few.subscribe(
      to: Generate(from: 0) { state -> Int? in
        first.next()
        state += 1
        return state
      }.take(3))
    #expect(first.value == 1, "expected a pause to stop the calls")
    few.resume()
    few.resume()
    #expect(few.transcript == ["1", "2", "3", "finished"])
    #expect(first.value == 3)
  }

  @Test("an asynchronous function feeds a flow, finishes it or fails it")
  func create() async throws {
    let flow = Create<Int, Problem>(async: { out async throws(Problem) in
      for number in 1...3 { await out.send(number) }
    })
    var values: [Int] = []
    for try await value in flow.values { values.append(value) }
    #expect(values == [1, 2, 3])
    let failing = Create<Int, Problem>(async: { out async throws(Problem) in
      await out.send(1)
      throw .second
    })
    var iterator = failing.values.makeAsyncIterator()
    #expect(try await iterator.next() == 1)
    await #expect(throws: Problem.second) { _ = try await iterator.next() }
  }

  @Test("the function waits while the observer pauses, and is cancelled by a dispose")
  func createWaits() async {
    let scheduler = VirtualScheduler()
    let sent = Counter()
    let over = Promise<Bool, Never>()
    let flow = Create<Int, Never>(async: { out in
      for number in 0..<1000 {
        guard await out.send(number) else { break }
        sent.next()
      }
      over.resolve(Task.isCancelled)
    })
    let paused = Promise<Void, Never>()
    let recorder = Recorder<Int, Never>(scheduler: scheduler) { _, value in
      guard value == 4 else { return .more }
      paused.resolve(())
      return .pause
    }
    recorder.subscribe(to: flow)
    _ = await paused.firstValue()
    #expect(recorder.values == [0, 1, 2, 3, 4], "expected nothing to come during the pause")
    #expect(sent.value <= 5, "expected the function to wait")
    recorder.dispose()
    #expect(await over.firstValue() == true, "expected the task to be cancelled")
    #expect(recorder.values == [0, 1, 2, 3, 4])
  }

  @Test("sleep takes virtual time, and a cancelled one throws")
  func sleep() async throws {
    let scheduler = VirtualScheduler()
    let asleep = Promise<Void, Never>()
    let task = Task {
      asleep.resolve(())
      try await scheduler.sleep(for: .ticks(5))
      return scheduler.now
    }
    _ = await asleep.firstValue()
    while scheduler.pendingCount == 0 { await Task.yield() }
    await scheduler.advance(by: .ticks(5))
    #expect(try await task.value == Moment(.ticks(5)))
    let cancelled = Task { try await scheduler.sleep(for: .ticks(5)) }
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
  }
}

@Suite("@Stateful")
struct StatefulTests {
  @MainActor
  final class Player {
    @Stateful var volume = 5
    @Stateful var title: String?
  }

  @Test("tells the current value, then each one; inside an observer it reads what is told")
  @MainActor
  func property() {
    let player = Player()
    let recorder = Recorder<Int, Never>()
    recorder.subscribe(to: player.$volume)
    player.volume = 7
    player.volume += 1
    let late = Recorder<Int, Never>()
    late.subscribe(to: player.$volume)
    #expect(recorder.values == [5, 7, 8])
    #expect(late.values == [8])
    #expect(player.title == nil)
    let seen = Seen<Bool>()
    let volume = player.$volume
    let token = volume.subscribe { value in
      seen.add(MainActor.assumeIsolated { player.volume == value })
    }
    player.volume = 9
    #expect(seen.all == [true, true])
    token.dispose()
    recorder.dispose()
    late.dispose()
  }

  @Test("two copies of a struct share the property, as a reference would")
  func copies() {
    struct Settings {
      @Stateful var size = 1
    }
    let first = Settings()
    let second = first
    first.size = 2
    #expect(second.size == 2)
  }
}
