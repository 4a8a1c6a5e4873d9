import Freshet
import FreshetTesting
import Testing

@Suite("operators on failures")
struct FailingTests {
  @Test("send what they say", arguments: examples)
  func example(_ example: Example) {
    example.check()
  }

  static let examples: [Example] = [
    Example("replaceFailure", "1 0 |") { failing(1, code: 5).replaceFailure(with: 0) },
    Example("replaceFailure by the failure", "1 5 |") {
      failing(1, code: 5).replaceFailure { $0.code }
    },
    Example("replaceFailure of a finish", "1 |") { playing(1).replaceFailure(with: 0) },
    Example("assertNoFailure of a finish", "1 |") { playing(1).assertNoFailure("it is built in") },
    Example("assertNoFailure between maps", "6 |") {
      playing(1).map { $0 + 1 }.assertNoFailure().map { $0 * 3 }
    },
    Example("promoteFailure between maps", "6 |") {
      Just(1).map { $0 + 1 }.promoteFailure(to: Trouble.self).map { $0 * 3 }
    },
  ]

  @Test("assertNoFailure stops the program, and says why")
  func assertion() async throws {
    let result = try await #require(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let token = failing(1, code: 5).assertNoFailure("the list is built in").subscribe { _ in }
      token.dispose()
    }
    let words = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(words.contains("the list is built in"), "\(words)")
    #expect(words.contains("(5)"), "\(words)")
    #expect(words.contains("FailingTests.swift"), "\(words)")
  }

  @Test("breakpoint without a hook stops the program")
  func defaultHook() async throws {
    await #expect(processExitsWith: .failure) {
      let token = Just(1).breakpoint(onValue: { $0 == 1 }).subscribe { _ in }
      token.dispose()
    }
  }

  @Test("breakpoint calls the hook before the observer gets the event")
  func hook() {
    let seen = Seen<String>()
    let token = failing(1, 2, code: 5)
      .breakpoint(onValue: { $0 == 2 }, onEnd: { $0 != .finished }, hook: { seen.add("hook") })
      .subscribe(onValue: { seen.add("\($0)") }, onEnd: { _ in seen.add("end") })
    token.dispose()
    #expect(seen.all == ["1", "hook", "2", "hook", "end"])
  }

  @Test("breakpointOnFailure lets a finish pass")
  func onFailure() {
    let seen = Seen<String>()
    let first = playing(1).breakpointOnFailure(hook: { seen.add("hook") })
      .subscribe(onValue: { seen.add("\($0)") }, onEnd: { _ in seen.add("end") })
    let second = failing(2).breakpointOnFailure(hook: { seen.add("hook") })
      .subscribe(onValue: { seen.add("\($0)") }, onEnd: { _ in seen.add("end") })
    first.dispose()
    second.dispose()
    #expect(seen.all == ["1", "end", "2", "hook", "end"])
  }
}
