import Freshet

extension DatabaseManager {
  /// Inserts an item, or replaces its body.
  ///
  /// The single answers `saved`, `replaced`, or `unchanged` when the same bytes are there already;
  /// then nothing is written. Disposed of before the commit begins, nothing is written; after that,
  /// it is written and nothing is answered. It fails with `tooLarge`, `invalidID`, `invalidBody`,
  /// `locked`, `diskFull`, `ioError`, `notWritable`, `storeFailed`, `closed` — nothing changed —
  /// or with `durabilityUnknown`.
  ///
  /// - Parameters:
  ///   - id: 1 to 512 bytes without control characters, compared byte by byte.
  ///   - body: One JSON object of at most 1 MiB without newlines; kept byte for byte.
  public func save(id: String, body: [UInt8]) -> Single<Outcome, StoreError> {
    one(.save(id: id, body: body))
  }

  /// Deletes an item; `restore` brings it back.
  ///
  /// The single answers `deleted`, or `notFound`; then nothing is written. Failures as `save`.
  public func delete(id: String) -> Single<Outcome, StoreError> { one(.delete(id: id)) }

  /// Brings a deleted item back to its old place.
  ///
  /// The single answers `restored`, `notDeleted` or `notFound`; with the latter two nothing is
  /// written. Failures as `save`.
  public func restore(id: String) -> Single<Outcome, StoreError> { one(.restore(id: id)) }

  /// Deletes all items; `restore` brings each back.
  ///
  /// The single answers `deletedAll` with their number. Failures as `save`.
  ///
  /// - Complexity: One line in the journal, whatever the number.
  public func deleteAll() -> Single<Outcome, StoreError> { one(.deleteAll) }

  /// Inserts or replaces an item, only when it is as expected.
  ///
  /// The single answers as `save(id:body:)`, or `conflict` with what there is instead; then nothing
  /// is written. Failures as `save(id:body:)`.
  public func save(
    id: String, body: [UInt8], if expectation: Expectation
  ) -> Single<Outcome, StoreError> {
    one(.save(id: id, body: body), if: expectation, of: id)
  }

  /// Deletes an item, only when it is as expected.
  ///
  /// The single answers as `delete(id:)`, or `conflict` with what there is instead; then nothing is
  /// written. Failures as `save`.
  public func delete(id: String, if expectation: Expectation) -> Single<Outcome, StoreError> {
    one(.delete(id: id), if: expectation, of: id)
  }

  private func one(
    _ operation: Operation, if expectation: Expectation, of id: String
  ) -> Single<Outcome, StoreError> {
    Single { [self] resolver in
      commit([.expect(id: id, expectation), operation]) { result in
        switch result {
        case .success(let receipt):
          resolver.succeed(receipt.isConflict ? receipt.outcomes[0] : receipt.outcomes[1])
        case .failure(let error): resolver.fail(error)
        }
      }
    }
  }

  /// Does several operations as one commit with one revision: all of them or none.
  ///
  /// The single answers one outcome per operation, in order; each sees those before it. When
  /// nothing had to be written there is no token. Failures as `save`; a batch holds at most 16 MiB.
  public func apply(_ operations: [Operation]) -> Single<CommitReceipt, StoreError> {
    Single { [self] resolver in
      commit(operations) { result in
        switch result {
        case .success(let receipt): resolver.succeed(receipt)
        case .failure(let error): resolver.fail(error)
        }
      }
    }
  }

  private func one(_ operation: Operation) -> Single<Outcome, StoreError> {
    Single { [self] resolver in
      commit([operation]) { result in
        switch result {
        case .success(let receipt): resolver.succeed(receipt.outcomes[0])
        case .failure(let error): resolver.fail(error)
        }
      }
    }
  }

  /// Starts one commit; the token takes it back, unless it has begun.
  private func commit(
    _ operations: [Operation],
    answer: @escaping @Sendable (Result<CommitReceipt, StoreError>) -> Void
  ) -> Disposable? {
    let request: CommitRequest
    do throws(StoreError) {
      request = CommitRequest(try PreparedOperation.prepare(operations), answer: answer)
    } catch {
      answer(.failure(error))
      return nil
    }
    whenReady { result in
      switch result {
      case .success(let journal): journal.enqueue(request)
      case .failure(let error): request.resolve(.failure(error))
      }
    }
    return Disposable { request.cancel() }
  }

  /// The live items in list order: the order of their insertion.
  ///
  /// The single reads what is durable at the moment of subscription, whoever wrote it, on the
  /// subscriber's thread. It fails with `damaged`, `ioError`, `closed`.
  ///
  /// - Complexity: O(live bytes).
  public func fetch() -> Single<[Record], StoreError> { fetch(includingDeleted: false) }

  /// The live items, and those deleted that can be restored, in list order.
  public func fetch(includingDeleted: Bool) -> Single<[Record], StoreError> {
    read { journal throws(StoreError) in
      try journal.records(includingDeleted: includingDeleted)
    }
  }

  /// One live item, or nil.
  ///
  /// Reads and fails as `fetch()`.
  ///
  /// - Complexity: O(1): one read of the record.
  public func fetch(id: String) -> Single<Record?, StoreError> {
    fetch(id: id, includingDeleted: false)
  }

  /// One item, deleted or not, or nil.
  public func fetch(id: String, includingDeleted: Bool) -> Single<Record?, StoreError> {
    Single { [self] resolver in
      @Sendable func answer(_ journal: Journal) {
        do throws(StoreError) {
          resolver.succeed(try journal.record(id: id, includingDeleted: includingDeleted))
        } catch {
          resolver.fail(error)
        }
      }
      // As `read` does it, without the closure for the work, and where there is nothing to wait for,
      // without one that waits: `scripts/thresholds` counts both.
      if let journal = openJournal {
        answer(journal)
      } else {
        whenReady { result in
          switch result {
          case .success(let journal): answer(journal)
          case .failure(let error): resolver.fail(error)
          }
        }
      }
      return nil
    }
  }

  private func read<Value: Sendable>(
    _ work: @escaping @Sendable (Journal) throws(StoreError) -> Value
  ) -> Single<Value, StoreError> {
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

  /// The items that match, as a live list.
  ///
  /// The first element is the state at the start (`isInitial`): with `.after(token)` the state as
  /// of that commit. Then comes exactly one element per commit that touches the query, in order,
  /// whichever process made it. Each subscription reads the journal at its own pace: one that
  /// pauses falls behind, skips nothing, and costs nobody memory. Only durable commits are
  /// delivered. It finishes when the manager is closed, and fails with `differentStore`,
  /// `diverged` or `compacted` for a token, and with `damaged` or `ioError`.
  ///
  /// - Complexity: O(live items) memory per subscription, as an element holds the whole list.
  public func observe(
    _ query: Query = .all, from start: StartPosition = .snapshot
  ) -> LiveListFlow {
    LiveListFlow(manager: self, query: query, start: start)
  }

  /// Several queries' lists side by side, commit by commit.
  ///
  /// The first element is the state of all at the start (`isInitial`). Then comes one element for
  /// every commit, also for one that touches none of the queries, so that whoever follows knows how
  /// far the store has come; the lists it does not touch are nil. Each subscription reads the journal
  /// once for all queries and at its own pace, as that of one query does, and ends like it; queries
  /// in another order than that of insertion fail with `invalidQuery`.
  ///
  /// - Complexity: O(live items of each query) memory per subscription.
  public func observe(
    _ queries: [Query], from start: StartPosition = .snapshot
  ) -> LiveListsFlow {
    LiveListsFlow(manager: self, queries: queries, start: start)
  }

  /// Every commit from a position on, once, in order, whichever process makes it.
  ///
  /// A commit is one element, a batch too. `.snapshot` is the same as `.now` here. Pace, end and
  /// failures as `observe(_:from:)`.
  ///
  /// - Complexity: O(one commit) memory per subscription; a delete-all takes one pass over the
  ///   journal, to name the items.
  public func changes(since start: StartPosition) -> ChangeFlow {
    ChangeFlow(manager: self, start: start)
  }
}
