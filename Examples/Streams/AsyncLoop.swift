import Freshet
import FreshetTesting
import Testing

@Test("a loop over a cold flow: the flow waits for the loop, and ends with it")
func loop() async {
  let source = ScriptedSource<Int, Never>(generating: { $0 }, end: nil)
  var sum = 0
  for await number in source.map({ $0 * 2 }).values(capacity: 4) {
    sum += number
    if number == 10 { break }
  }
  #expect(sum == 30)
  #expect(source.log.sent <= 12 && source.log.disposals == 1)
}

@Test("an asynchronous sequence as a flow, and the last value of it awaited")
func sequence() async {
  let numbers = AsyncStream<Int> { continuation in
    for number in 1...4 { continuation.yield(number) }
    continuation.finish()
  }
  let total = numbers.flow.reduce(0, +)
  #expect(await total.firstValue() == 10)
}

@Test("a promise: decided once, awaited by many")
func promise() async throws {
  let promise = Promise<String, RequestError>()
  let readers = (0..<3).map { _ in Task { try await promise.value() } }
  promise.resolve("here")
  for reader in readers { #expect(try await reader.value == "here") }
  #expect(!promise.resolve("late"))
}
