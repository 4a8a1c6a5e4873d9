import Freshet
import FreshetTesting
import Testing

/// Rules 9 and 10, which the compiler checks: what stands here would not compile otherwise.
@Suite("typed and Sendable")
struct TypedTests {
  /// A subject may be a `static let`.
  private static let subject = PublishSubject<Int, Never>()

  private func failure<Source: Flow>(of _: Source) -> String { "\(Source.Failure.self)" }

  @Test("the failure type follows what an operator does with failures")
  func failures() {
    let failing = Fail<Int, Problem>(.first)
    #expect(failure(of: failing.map { $0 }.take(1).share()) == "Problem", "expected it kept")
    #expect(
      failure(of: failing.catchError { _ in Just(1) }) == "Never",
      "expected a replacement that cannot fail to make the result one that cannot")
    #expect(
      failure(of: failing.catchError { _ in Single<Int, NoValueError>.just(1) })
        == "NoValueError", "expected the replacement's failure")
    #expect(
      failure(of: Just(1).promoteFailure(to: Problem.self).merge(with: failing)) == "Problem",
      "expected the promoted failure")
    #expect(failure(of: failing.startWith(0)) == "Problem", "expected the source's failure")
  }

  @Test("a flow that cannot fail is awaited without try; one that can throws its own type")
  func awaiting() async {
    var values: [Int] = []
    for await value in (1...3).flow.values { values.append(value) }
    #expect(values == [1, 2, 3], "expected no try to be needed")
    do throws(Problem) {
      for try await _ in Fail<Int, Problem>(.second).values {}
      Issue.record("expected the failure to be thrown")
    } catch {
      let typed: Problem = error
      #expect(typed == .second, "expected the typed failure")
    }
  }

  @Test("a typed throw inside a single is its failure")
  func single() {
    let recorder = Recorder<Int, Problem>()
    recorder.subscribe(to: Single(calling: { () throws(Problem) -> Int in throw .first }))
    #expect(recorder.end == .failed(.first), "expected the thrown failure")
  }

  @Test("a detached task may send, subscribe and dispose")
  func detached() async {
    let seen = Seen<Int>()
    let token = Self.subject.subscribe { seen.add($0) }
    await Task.detached {
      Self.subject.send(7)
      Self.subject.subscribe { _ in }.dispose()
      token.dispose()
    }.value
    Self.subject.send(8)
    #expect(seen.all == [7], "expected what was sent before the dispose")
  }
}
