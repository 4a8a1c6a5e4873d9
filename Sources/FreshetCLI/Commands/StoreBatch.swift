import Freshet
import FreshetCatalog
import FreshetStore

extension Session {
  /// Commits operations on content items.
  ///
  /// A delete-all takes the content items and nothing else: settings, students and the like come
  /// back in the same commit.
  func commit(_ operations: [Operation], to manager: DatabaseManager) throws(Stop) -> CommitReceipt
  {
    guard operations.contains(.deleteAll) else { return try wait(for: manager.apply(operations)) }
    let deletion = try wait(for: manager.contentDeletion())
    if operations == [.deleteAll], deletion.count == 0 {
      return CommitReceipt(token: nil, outcomes: [.deletedAll(0)])
    }
    let spared = deletion.restores
    let receipt = try wait(
      for: manager.apply(operations.flatMap { $0 == .deleteAll ? [$0] + spared : [$0] }))
    var outcomes: [Outcome] = []
    var rest = receipt.outcomes[...]
    while let outcome = rest.popFirst() {
      if case .deletedAll(let count) = outcome {
        outcomes.append(.deletedAll(count - spared.count))
        rest = rest.dropFirst(spared.count)
      } else {
        outcomes.append(outcome)
      }
    }
    return CommitReceipt(token: receipt.token, outcomes: outcomes)
  }

  /// What became of one operation.
  typealias Applied = Result<(outcome: Outcome, revision: Int64?), Problem>

  /// Does operations in one commit, and answers each.
  ///
  /// What the store refuses for the sake of one operation is asked again one by one, so that a
  /// record costs only itself.
  /// - Throws: ``Stop/store(_:)`` when the store itself is in the way.
  func apply(_ operations: [Operation], to manager: DatabaseManager) throws(Stop) -> [Applied] {
    try Self.answers(to: operations) { operations throws(Stop) in
      try commit(operations, to: manager)
    }
  }

  static func answers(
    to operations: [Operation], commit: ([Operation]) throws(Stop) -> CommitReceipt
  ) throws(Stop) -> [Applied] {
    if operations.isEmpty { return [] }
    do {
      let receipt = try commit(operations)
      return receipt.outcomes.map { .success(($0, receipt.token?.revision)) }
    } catch {
      guard let problem = error.refusal else { throw error }
      if operations.count == 1 { return [.failure(problem)] }
      var answers: [Applied] = []
      for operation in operations { answers += try Self.answers(to: [operation], commit: commit) }
      return answers
    }
  }
}

extension Stop {
  /// Why the store refused an operation, nil when more than that is wrong.
  var refusal: Problem? {
    guard case .store(let problem) = self else { return nil }
    let codes: [StoreError.Code] = [.invalidBody, .tooLarge, .invalidID]
    return codes.contains { $0.name == problem.code } ? problem : nil
  }
}
