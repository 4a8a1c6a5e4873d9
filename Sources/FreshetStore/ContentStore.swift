import Freshet

/// Items with a history: what the flat file is, and what a remote engine can be.
///
/// Code written against it runs on either. What every engine keeps to:
///
/// 1. **Commits.** A batch is one commit with one revision, greater than all before; all of it is
///    done or nothing. Revisions may have gaps.
/// 2. **Compare and set.** `Operation.expect` is about the state before the batch. When one
///    expectation is not met nothing is written, and the receipt says so (`isConflict`).
/// 3. **Answers.** What was answered is seen by every later read through the same store. A failure
///    changed nothing, but for `durabilityUnknown`: read again before you try again.
/// 4. **States.** A page is of one commit and says which; with its token the next pages are of the
///    same.
/// 5. **Changes.** After a token comes every commit, once, in order, whole; or the failure
///    `compacted`, `diverged` or `differentStore`, never a silent gap. The answer to all three is the
///    same: read the pages, then follow from their token.
/// 6. **Batches.** Every engine takes `ContentStoreLimits.portableOperations` operations, each about
///    another id (expectations aside), and `deleteAll` alone in its batch. Some take more.
///
/// Where engines may differ: how much history they keep, how long a page of an old state takes, and
/// whether `deleteAll` is one commit or several.
public protocol ContentStore: Sendable {
  /// The commits as a flow.
  associatedtype Changes: Flow where Changes.Element == ChangeSet, Changes.Failure == StoreError

  /// How many operations a batch may have.
  var operationLimit: Int { get }

  /// The last commit.
  func latest() -> Single<Token, StoreError>

  /// Before the oldest commit that changes can be followed from.
  func oldest() -> Single<Token, StoreError>

  /// Does several operations as one commit.
  func apply(_ operations: [Operation]) -> Single<CommitReceipt, StoreError>

  /// One item, or nil; a deleted one only when asked for.
  func fetch(id: String, includingDeleted: Bool) -> Single<Record?, StoreError>

  /// The first `limit` live items behind a key, in the query's order, as of a token or of now.
  func page(
    _ query: Query, after key: PageKey?, limit: Int, at token: Token?
  ) -> Single<Page, StoreError>

  /// Every commit from a position on, once, in order.
  func changes(since start: StartPosition) -> Changes

  /// Ends all feeds with `finished` and refuses further operations.
  func close()
}

/// What every engine takes.
public enum ContentStoreLimits {
  /// The operations of a batch; the number that etcd takes in one transaction.
  public static let portableOperations = 128
}

extension ContentStore {
  /// Inserts or replaces one item, only when it is as expected; see `Operation.expect`.
  public func save(
    id: String, body: [UInt8], if expectation: Expectation? = nil
  ) -> Single<Outcome, StoreError> {
    outcome(of: .save(id: id, body: body), id, expectation)
  }

  /// Deletes one item, only when it is as expected; `restore` brings it back.
  public func delete(
    id: String, if expectation: Expectation? = nil
  ) -> Single<Outcome, StoreError> {
    outcome(of: .delete(id: id), id, expectation)
  }

  private func outcome(
    of operation: Operation, _ id: String, _ expectation: Expectation?
  ) -> Single<Outcome, StoreError> {
    let batch = expectation.map { [.expect(id: id, $0), operation] } ?? [operation]
    let receipt = apply(batch)
    return Single { resolver in
      receipt.subscribe(
        onValue: { receipt in
          let isConflict = receipt.isConflict
          resolver.succeed(receipt.outcomes[isConflict ? 0 : batch.count - 1])
        },
        onEnd: { end in
          if case .failed(let error) = end { resolver.fail(error) }
        })
    }
  }
}

extension DatabaseManager: ContentStore {
  /// No limit but that of the batch's bytes, 16 MiB.
  public var operationLimit: Int { .max }

  /// The last durable commit, whichever process made it.
  ///
  /// It fails with `ioError`, `closed`.
  public func latest() -> Single<Token, StoreError> {
    answering { journal throws(StoreError) in
      try journal.checkOpen()
      try journal.refresh()
      return journal.currentToken
    }
  }

  /// Before the oldest commit that changes can be followed from.
  ///
  /// It fails with `ioError`, `notReadable`, `closed`.
  public func oldest() -> Single<Token, StoreError> {
    answering { journal throws(StoreError) in
      try journal.checkOpen()
      return try journal.oldestToken()
    }
  }

  private func answering(
    _ work: @escaping @Sendable (Journal) throws(StoreError) -> Token
  ) -> Single<Token, StoreError> {
    Single { [self] resolver in
      whenReady { result in
        do throws(StoreError) {
          resolver.succeed(try work(try result.get()))
        } catch {
          resolver.fail(error)
        }
      }
      return nil
    }
  }
}
