import Freshet
import FreshetTesting
import Synchronization
import Testing

@Suite("AsyncFlow and Single(async:)")
struct AsyncSourcesTests {
  @Test("AS-11 the elements come in order, then the end")
  func elements() async {
    let flow = AsyncFlow {
      AsyncStream { continuation in
        for value in 0..<100 { continuation.yield(value) }
        continuation.finish()
      }
    }
    var values: [Int] = []
    for await value in flow.values { values.append(value) }
    #expect(values == Array(0..<100))
  }

  @Test("AS-11 AS-13 a dispose cancels the task, and the producer learns of it")
  func cancel() async {
    let (left, leaving) = AsyncStream.makeStream(of: Void.self)
    let flow = AsyncFlow {
      AsyncStream<Int> { continuation in
        continuation.onTermination = { _ in leaving.yield() }
        continuation.yield(1)
      }
    }
    let recorder = Recorder<Int, Never>()
    let (came, coming) = AsyncStream.makeStream(of: Void.self)
    recorder.subscribe(
      to: flow.map { value in
        coming.yield()
        return value
      })
    for await _ in came { break }
    recorder.dispose()
    for await _ in left { break }
    #expect(recorder.transcript == ["1"])
  }

  @Test("AS-11 a cancellation is not reported as a failure")
  func cancellationIsSilent() async {
    let (over, ending) = AsyncStream.makeStream(of: Void.self)
    let (begun, beginning) = AsyncStream.makeStream(of: Void.self)
    let flow = AsyncFlow {
      Steps { number in
        beginning.yield()
        do {
          try await Task.never()
        } catch {
          ending.yield()
          throw error
        }
        return number
      }
    }
    let recorder = Recorder<Int, any Error>()
    recorder.subscribe(to: flow)
    for await _ in begun { break }
    recorder.dispose()
    for await _ in over { break }
    #expect(recorder.transcript == [])
  }

  @Test("AS-11 a failure of the sequence is one of the flow")
  func failure() async {
    let flow = AsyncFlow {
      Steps { number in
        if number == 3 { throw Problem.second }
        return number
      }
    }
    var values: [Int] = []
    await #expect(throws: Problem.second) {
      for try await value in flow.values { values.append(value) }
    }
    #expect(values == [0, 1, 2])
  }

  @Test("AS-11 it does not iterate ahead of a pausing observer")
  func pull() async {
    let pulled = Counter()
    let flow = AsyncFlow {
      Steps { number in
        pulled.next()
        return number < 100 ? number : nil
      }
    }
    var iterator = flow.values(capacity: 4).makeAsyncIterator()
    do {
      for expected in 0..<100 {
        #expect(try await iterator.next() == expected)
        #expect(pulled.value <= expected + 1 + 4 + 1)
      }
      #expect(try await iterator.next() == nil)
    } catch {
      Issue.record("\(error)")
    }
  }

  @Test("taking a few stops the sequence")
  func take() async {
    let pulled = Counter()
    let flow = AsyncFlow {
      Steps { number in
        pulled.next()
        return number
      }
    }
    var values: [Int] = []
    do {
      for try await value in flow.take(3).values { values.append(value) }
    } catch {
      Issue.record("\(error)")
    }
    #expect(values == [0, 1, 2])
    #expect(pulled.value == 3)
  }

  @Test("each subscription makes a sequence")
  func laziness() async {
    let made = Counter()
    let flow = AsyncFlow {
      made.next()
      return AsyncStream<Int> { $0.finish() }
    }
    #expect(made.value == 0)
    for await _ in flow.values {}
    for await _ in flow.values {}
    #expect(made.value == 2)
  }

  @Test("Single(async:) runs with each subscription and tells value or failure")
  func single() async throws {
    let runs = Counter()
    let single = Single<Int, Problem>(async: { () async throws(Problem) -> Int in
      let run = runs.next()
      if run == 2 { throw .second }
      return run
    })
    #expect(runs.value == 0)
    #expect(try await single.value() == 1)
    await #expect(throws: Problem.second) { try await single.value() }
    #expect(try await single.value() == 3)
  }

  @Test("Single(async:): a dispose cancels the task, whose answer is dropped")
  func singleCancelled() async {
    let (begun, beginning) = AsyncStream.makeStream(of: Void.self)
    let (over, ending) = AsyncStream.makeStream(of: Void.self)
    let recorder = Recorder<Int, Never>()
    recorder.subscribe(
      to: Single<Int, Never>(async: {
        beginning.yield()
        try? await Task.never()
        ending.yield()
        return 1
      }))
    for await _ in begun { break }
    recorder.dispose()
    for await _ in over { break }
    #expect(recorder.transcript == [])
  }
}

/// A sequence whose elements a function makes from their numbers.
private struct Steps: AsyncSequence, Sendable {
  let step: @Sendable (Int) async throws -> Int?

  func makeAsyncIterator() -> Iterator { Iterator(step: step) }

  struct Iterator: AsyncIteratorProtocol {
    let step: @Sendable (Int) async throws -> Int?
    var number = 0

    mutating func next() async throws -> Int? {
      defer { number += 1 }
      return try await step(number)
    }
  }
}

extension Task where Success == Never, Failure == Never {
  /// Waits until the task is cancelled.
  fileprivate static func never() async throws {
    let (silence, keeper) = AsyncStream.makeStream(of: Never.self)
    for await _ in silence {}
    withExtendedLifetime(keeper) {}
    try checkCancellation()
  }
}
