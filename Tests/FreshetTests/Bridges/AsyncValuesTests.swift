import Freshet
import FreshetTesting
import Synchronization
import Testing

@Suite("values, firstValue, value")
struct AsyncValuesTests {
  @Test("AS-01 values of a cold sequence: everything, then nil for ever")
  func cold() async {
    var iterator = (0..<1000).flow.values.makeAsyncIterator()
    for expected in 0..<1000 { #expect(await iterator.next() == expected) }
    for _ in 0..<3 { #expect(await iterator.next() == nil) }
  }

  @Test("AS-02 values of a hot subject with a slow loop: no loss by default")
  func hot() async {
    let subject = PublishSubject<Int, Never>()
    var iterator = subject.values.makeAsyncIterator()
    for value in 0..<500 { subject.send(value) }
    subject.finish()
    var values: [Int] = []
    while let value = await iterator.next() { values.append(value) }
    #expect(values == Array(0..<500))
  }

  @Test("AS-02 BF-01 with a policy that says otherwise")
  func policies() async throws {
    for (overflow, expected) in [
      (Overflow<Problem>.dropOldest, [3, 4, 5]), (.dropNewest, [1, 2, 3]),
      (.unbounded, [1, 2, 3, 4, 5]), (.suspend, [1, 2, 3, 4, 5]),
    ] {
      let subject = PublishSubject<Int, Problem>()
      var iterator = subject.values(capacity: 3, overflow: overflow).makeAsyncIterator()
      for value in 1...5 { subject.send(value) }
      subject.finish()
      var values: [Int] = []
      while let value = try await iterator.next() { values.append(value) }
      #expect(values == expected)
    }
  }

  @Test("BF-02 the failing policy: what waits comes first, then the failure, once")
  func failingPolicy() async {
    let source = ScriptedSource<Int, Problem>()
    var iterator = source.values(capacity: 3, overflow: .fail(.second)).makeAsyncIterator()
    for value in 1...5 { source.send(value) }
    #expect(source.activeCount == 0)
    var values: [Int] = []
    var failures: [Problem] = []
    for _ in 0..<6 {
      do throws(Problem) {
        if let value = try await iterator.next() { values.append(value) }
      } catch {
        failures.append(error)
      }
    }
    #expect(values == [1, 2, 3])
    #expect(failures == [.second])
  }

  @Test("a cold source is paused while the buffer is full")
  func bound() async {
    let source = ScriptedSource<Int, Never>(generating: { $0 < 1000 ? $0 : nil }, end: .finished)
    var iterator = source.values(capacity: 8).makeAsyncIterator()
    #expect(source.log.sent == 8)
    for expected in 0..<1000 {
      #expect(await iterator.next() == expected)
      #expect(source.log.sent <= expected + 1 + 8)
    }
    #expect(await iterator.next() == nil)
  }

  @Test("AS-04 cancelling a task that waits: nil, and the source is let go once")
  func cancelWhileWaiting() async {
    let source = ScriptedSource<Int, Never>()
    let (waits, signal) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      var iterator = source.values.makeAsyncIterator()
      signal.yield()
      return await iterator.next()
    }
    for await _ in waits { break }
    task.cancel()
    #expect(await task.value == nil)
    #expect(source.activeCount == 0)
    #expect(source.log.disposals == 1)
  }

  @Test("AS-04 a task that was cancelled before gets nil at once")
  func cancelledBefore() async {
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      var iterator = NeverFlow<Int, Never>().values.makeAsyncIterator()
      return await iterator.next()
    }
    #expect(await task.value == nil)
  }

  @Test("AS-05 cancelling against a value and against a finish: one answer, never none")
  func cancelRace() async {
    for round in 0..<300 {
      let subject = PublishSubject<Int, Never>()
      let task = Task { () -> Int? in
        var iterator = subject.values.makeAsyncIterator()
        return await iterator.next()
      }
      async let sending: Void = Task.detached {
        if round.isMultiple(of: 2) { subject.send(7) } else { subject.finish() }
      }.value
      task.cancel()
      let value = await task.value
      #expect(value == nil || value == 7)
      await sending
    }
  }

  @Test("AS-07 leaving the loop lets the source go")
  func breaking() async {
    let source = ScriptedSource<Int, Never>(generating: { $0 }, end: nil)
    let probe = LeakProbe()
    do {
      let token = probe.token()
      for await value in source.map({ token.pass($0) }).values where value == 3 { break }
    }
    #expect(source.activeCount == 0)
    #expect(probe.alive == [])
  }

  @Test("AS-08 a failure is thrown once, then nil, also when nobody waited for it")
  func failure() async {
    let subject = PublishSubject<Int, Problem>()
    var iterator = subject.values.makeAsyncIterator()
    subject.send(1)
    subject.fail(.first)
    var log: [String] = []
    for _ in 0..<4 {
      do throws(Problem) {
        log.append(try await iterator.next().map { "\($0)" } ?? "nil")
      } catch {
        log.append("\(error)")
      }
    }
    #expect(log == ["1", "first", "nil", "nil"])
  }

  @Test("AS-08 a failure while somebody waits")
  func failureWhileWaiting() async {
    let subject = PublishSubject<Int, Problem>()
    let (ready, signal) = AsyncStream.makeStream(of: Void.self)
    let task = Task { () -> Problem? in
      var iterator = subject.values.makeAsyncIterator()
      signal.yield()
      do throws(Problem) {
        _ = try await iterator.next()
        return nil
      } catch {
        return error
      }
    }
    for await _ in ready { break }
    subject.fail(.second)
    #expect(await task.value == .second)
  }

  @Test("AS-10 awaiting a single value of an empty stream")
  func empty() async throws {
    await #expect(throws: NoValueError.self) {
      try await Single<Int, Problem> { _ in nil }.value()
    }
    let promise = Promise<Int, Problem>()
    promise.resolve(3)
    #expect(try await promise.value() == 3)
    #expect(try await Empty<Int, Problem>().firstValue() == nil)
    #expect(try await Single<Int, Problem>.just(2).value() == 2)
    await #expect(throws: Problem.second) { try await Single<Int, Problem>.fail(.second).value() }
    let source = ScriptedSource<Int, Problem>(generating: { $0 }, end: nil)
    #expect(try await source.firstValue() == 0)
    #expect(source.activeCount == 0)
  }

  @Test("AS-10 awaiting in a task that was cancelled")
  func valueCancelled() async {
    let disposals = Counter()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await Single<Int, Problem> { resolver in
        Disposable { _ = (disposals.next(), resolver) }
      }.value()
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(disposals.value == 1)
  }

  @Test("AS-14 virtual time and async loops")
  func virtualTime() async {
    let scheduler = VirtualScheduler()
    let seen = Seen<Int>()
    let (ready, signal) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      let values = Interval(every: .ticks(10), on: scheduler).take(3).values
      var iterator = values.makeAsyncIterator()
      signal.yield()
      while let value = await iterator.next() { seen.add(value) }
    }
    for await _ in ready { break }
    await scheduler.advance(by: .ticks(100))
    await task.value
    #expect(seen.all == [0, 1, 2])
  }

  @Test("AS-16 the subscription starts when the iterator is made")
  func start() async {
    let source = ScriptedSource<Int, Never>()
    let values = source.values
    #expect(source.log.subscriptions == 0)
    var iterator = values.makeAsyncIterator()
    #expect(source.log.subscriptions == 1)
    source.send(1)
    #expect(await iterator.next() == 1)
  }

  @Test("SH-13 a shared async sequence: two loops, no loss for either")
  func shared() async {
    let shared = (0..<300).flow.publish()
    var (a, b) = (
      shared.values(capacity: 4).makeAsyncIterator(), shared.values(capacity: 4).makeAsyncIterator()
    )
    let connection = shared.connect()
    for expected in 0..<300 {
      #expect(await a.next() == expected)
      #expect(await b.next() == expected)
    }
    #expect(await a.next() == nil)
    connection.dispose()
  }
}
