import Freshet
import FreshetTesting
import Testing

@Suite("AS: values, and awaiting one value")
struct AsyncBridgeTests {
  @Test("AS-01 values of a cold sequence: everything, then nil for ever")
  func as01() async {
    var iterator = (0..<1000).flow.values(capacity: 3).makeAsyncIterator()
    for number in 0..<1000 {
      let value = await iterator.next()
      #expect(value == number, "expected \(number)")
    }
    for _ in 0..<3 {
      let value = await iterator.next()
      #expect(value == nil, "expected nil after the end, as often as asked")
    }
  }

  @Test("AS-02 values of a hot subject and a slow loop: nothing is lost")
  func as02() async {
    let subject = PublishSubject<Int, Never>()
    var iterator = subject.values(capacity: 2).makeAsyncIterator()
    for number in 1...5 { subject.send(number) }
    subject.finish()
    var values: [Int] = []
    while let value = await iterator.next() { values.append(value) }
    #expect(values == [1, 2, 3, 4, 5], "expected the default to lose nothing")
  }

  @Test("AS-04 cancelling the task while it waits")
  func as04() async {
    let source = ScriptedSource<Int, Never>()
    let task = Task {
      var count = 0
      for await _ in source.values { count += 1 }
      return count
    }
    while source.activeCount == 0 { await Task.yield() }
    task.cancel()
    let count = await task.value
    #expect(count == 0, "expected the loop to end")
    #expect(source.log.disposals == 1, "expected the source to be disposed of once")
  }

  @Test("AS-04 a task that is cancelled before it asks")
  func as04Before() async {
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      var iterator = (0..<10).flow.values.makeAsyncIterator()
      return await iterator.next()
    }
    let value = await task.value
    #expect(value == nil, "expected nil, not a hang")
  }

  @Test("AS-05 cancelling races with a value and with the finish")
  func as05() async {
    for round in 0..<300 {
      let source = ScriptedSource<Int, Never>()
      let task = Task {
        var iterator = source.values.makeAsyncIterator()
        return await iterator.next()
      }
      while source.activeCount == 0 { await Task.yield() }
      let racing = Task.detached {
        Threads.concurrently(2) { thread in
          if thread == 0 {
            source.send(1)
            source.finish()
          } else {
            task.cancel()
          }
        }
      }
      let value = await task.value
      await racing.value
      #expect(value == nil || value == 1, "round \(round): expected the value or nil, once")
    }
  }

  @Test("AS-07 leaving the loop disposes of the source")
  func as07() async {
    let source = ScriptedSource<Int, Never>(playing: Array(0..<100), end: nil)
    for await value in source.values where value == 3 { break }
    #expect(source.log.disposals == 1, "expected the source to be disposed of")
    #expect(source.log.sent < 100, "expected the source not to have been run to its end")
  }

  @Test("AS-08 a failure is thrown once, after the values, then nil")
  func as08() async {
    let source = ScriptedSource<Int, Problem>(playing: [1, 2], end: .failed(.first))
    var iterator = source.values.makeAsyncIterator()
    var log: [String] = []
    for _ in 0..<5 {
      do throws(Problem) {
        let value = try await iterator.next()
        log.append(value.map { "\($0)" } ?? "nil")
      } catch {
        log.append("\(error)")
      }
    }
    #expect(log == ["1", "2", "first", "nil", "nil"], "expected one failure, typed")
  }

  @Test("AS-10 awaiting one value of a stream that has none")
  func as10() async {
    await #expect(throws: NoValueError.self, "expected an error, not a hang") {
      try await Single<Int, Problem> { _ in nil }.value()
    }
    let first = await Empty<Int, Never>().firstValue()
    #expect(first == nil, "expected nil from a flow that finishes without a value")
  }

  @Test("AS-10 awaiting a value, a failure, and being cancelled")
  func single() async throws {
    let value = try await Single<Int, Problem>.just(7).value()
    #expect(value == 7, "expected the value")
    await #expect(throws: Problem.first, "expected the typed failure") {
      try await Single<Int, Problem>.fail(.first).value()
    }
    let disposed = Seen<Int>()
    let started = Seen<Int>()
    let task = Task {
      try await Single<Int, Problem> { resolver in
        started.add(1)
        return Disposable {
          disposed.add(1)
          resolver.succeed(0)
        }
      }.value()
    }
    while started.count == 0 { await Task.yield() }
    task.cancel()
    await #expect(throws: CancellationError.self, "expected the cancellation") {
      try await task.value
    }
    #expect(disposed.count == 1, "expected the work to be disposed of")
  }

  /// One value a second for three seconds.
  private func ticks(on scheduler: VirtualScheduler) -> some Flow<Int, Never> {
    (0..<3).flow.flatMap(maxConcurrent: 1) { number in
      Single<Int, Never> { resolver in
        scheduler.schedule(after: .seconds(1)) { resolver.succeed(number) }
      }
    }
  }

  @Test("AS-14 an advance runs the tasks it resumes before time moves on")
  func as14() async {
    let scheduler = VirtualScheduler()
    let times = Seen<Moment>()
    let flow = ticks(on: scheduler)
    let task = Task(executorPreference: scheduler) {
      for await _ in flow.values { times.add(scheduler.now) }
    }
    advance(scheduler, by: .seconds(10))
    await task.value
    #expect(
      times.all == [1, 2, 3].map { Moment(.seconds($0)) },
      "expected the task to see each moment before time moves on")
  }

  /// The synchronous advance, also from an asynchronous test.
  private func advance(_ scheduler: VirtualScheduler, by duration: Duration) {
    scheduler.advance(by: duration)
  }

  @Test("AS-14 an asynchronous advance gives way to tasks that run elsewhere")
  func as14Elsewhere() async throws {
    let scheduler = VirtualScheduler()
    let flow = ticks(on: scheduler)
    let started = Seen<Int>()
    let task = Task {
      var iterator = flow.values.makeAsyncIterator()
      started.add(1)
      var values: [Int] = []
      while let value = await iterator.next() { values.append(value) }
      return values
    }
    while started.count == 0 { await Task.yield() }
    await scheduler.advance(by: .seconds(2))
    try await scheduler.run()
    let values = await task.value
    #expect(values == [0, 1, 2], "expected every tick")
    #expect(scheduler.now == Moment(.seconds(3)), "expected three seconds")
  }

  @Test("AS-16 the subscription starts when the iterator is made")
  func as16() {
    let source = ScriptedSource<Int, Never>()
    let values = source.values
    #expect(source.log.subscriptions == 0, "expected no subscription yet")
    let iterator = values.makeAsyncIterator()
    #expect(source.log.subscriptions == 1, "expected the subscription with the iterator")
    withExtendedLifetime(iterator) {}
  }
}
