import FreshetStore
import Testing

@testable import FreshetCLI

@Suite("Many operations in one commit")
struct StoreBatchTests {
  /// The codes of the answers to three deletions of which the store refuses the second.
  private func codes(refusing code: StoreError.Code) throws(Stop) -> [String?] {
    let answers = try Session.answers(
      to: ["a", "b", "c"].map { .delete(id: $0) }
    ) { operations throws(Stop) in
      let isRefused = operations.contains { if case .delete("b") = $0 { true } else { false } }
      if isRefused { throw .store(Problem(code: code.name, message: "no")) }
      return CommitReceipt(token: nil, outcomes: operations.map { _ in .deleted })
    }
    return answers.map { answer in
      if case .failure(let problem) = answer { problem.code } else { nil }
    }
  }

  @Test(
    "what the store refuses for one operation costs that one alone",
    arguments: [StoreError.Code.invalidBody, .tooLarge, .invalidID])
  func refusal(_ code: StoreError.Code) throws {
    #expect(try codes(refusing: code) == [nil, code.name, nil])
  }

  @Test("what is wrong with the store itself ends the run")
  func lost() {
    #expect(throws: Stop.store(Problem(code: "io_error", message: "no"))) {
      try codes(refusing: .ioError)
    }
  }
}
