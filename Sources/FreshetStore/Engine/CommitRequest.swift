import Synchronization

/// One caller's operations on their way into one commit.
final class CommitRequest: Sendable {
  let operations: [PreparedOperation]
  let bytes: Int
  private let answer: @Sendable (Result<CommitReceipt, StoreError>) -> Void
  private let isCancelled = Atomic<Bool>(false)

  init(
    _ operations: [PreparedOperation],
    answer: @escaping @Sendable (Result<CommitReceipt, StoreError>) -> Void
  ) {
    self.operations = operations
    self.answer = answer
    bytes = operations.reduce(0) { $0 + $1.bytes }
  }

  /// Takes it back, unless the commit has begun.
  func cancel() { isCancelled.store(true, ordering: .relaxed) }

  var isWanted: Bool { !isCancelled.load(ordering: .relaxed) }

  func resolve(_ result: Result<CommitReceipt, StoreError>) { answer(result) }
}
