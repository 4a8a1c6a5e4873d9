import Freshet
import FreshetTesting
import Testing

/// What can go wrong with a request.
enum RequestError: Error, Equatable {
  case unreachable
  case tooSlow
  case refused
}

/// A request that is given time, and more attempts while that makes sense.
func patiently<Request: Flow>(
  _ request: Request, on scheduler: any TimeScheduler
) -> some Flow<Request.Element, RequestError> where Request.Failure == RequestError {
  request
    .timeout(after: .seconds(5), on: scheduler) { .tooSlow }
    .retry(3, after: .exponential(from: .seconds(1)), on: scheduler) { $0 != .refused }
}

@Test("it tries again after 1 and 2 seconds, and takes a refusal for an answer")
func retryWithBackOff() throws {
  let time = VirtualScheduler(tick: .seconds(1))
  let attempts = BehaviorRelay(0)
  let request = Single<String, RequestError> { resolver in
    attempts.accept(attempts.value + 1)
    if attempts.value < 3 { resolver.fail(.unreachable) } else { resolver.succeed("x") }
    return nil
  }
  #expect(try time.difference(of: patiently(request, on: time), from: "---(x|)") == nil)

  let refusal = try time.cold("-#", failure: RequestError.refused)
  #expect(try time.difference(of: patiently(refusal, on: time), from: "-#") == nil)
}

@Test("silence is a failure, and the request that was silent is let go")
func timeout() throws {
  let time = VirtualScheduler(tick: .seconds(1))
  let silent = try time.cold("", failure: RequestError.unreachable)
  let recorder = try time.record(patiently(silent, on: time))
  #expect(recorder.end == .failed(.tooSlow))
  #expect(silent.log.subscriptions == 4 && silent.log.disposals == 4)
}
