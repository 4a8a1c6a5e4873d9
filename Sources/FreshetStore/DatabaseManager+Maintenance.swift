import Freshet

extension DatabaseManager {
  /// Writes a snapshot of the state and removes what nobody needs any more.
  ///
  /// Commits, reads and feeds go on meanwhile. The single answers when it is done, on a thread of
  /// the store. Changes are kept as `StoreOptions.retention` and leases say; a feed that is further
  /// behind fails with `compacted`. It fails with `locked` when another compaction is running, with
  /// `notWritable`, `diskFull`, `damaged`, `newerFormat`, `ioError`, `storeFailed` or `closed`; then
  /// the store is as it was. Disposing of it does not stop a compaction that has begun.
  ///
  /// - Complexity: O(bytes of live and deleted items).
  public func compact() -> Single<CompactionReport, StoreError> {
    maintain { journal throws(StoreError) in try journal.compact() }
  }

  /// How large the store is, and what it holds.
  ///
  /// The single answers with what is durable at that moment. It fails with `ioError`, `closed`.
  ///
  /// - Complexity: O(items) when items have been deleted, otherwise O(files).
  public func stats() -> Single<StoreStatistics, StoreError> {
    maintain { journal throws(StoreError) in try journal.statistics() }
  }

  /// Reads everything that is kept and checks it: checksums, revisions, batches, and that each
  /// snapshot is what the journal before it gives.
  ///
  /// Nothing is changed and no lock is taken. Damage is in the report, not a failure. The single
  /// fails with `ioError`, `closed`.
  ///
  /// - Complexity: O(bytes of the store).
  public func verify() -> Single<VerificationReport, StoreError> {
    maintain { journal throws(StoreError) in try journal.verify() }
  }

  private func maintain<Value: Sendable>(
    _ work: @escaping @Sendable (Journal) throws(StoreError) -> Value
  ) -> Single<Value, StoreError> {
    Single { [self] resolver in
      whenReady { result in
        switch result {
        case .success(let journal):
          journal.maintain(work) { result in
            switch result {
            case .success(let value): resolver.succeed(value)
            case .failure(let error): resolver.fail(error)
            }
          }
        case .failure(let error): resolver.fail(error)
        }
      }
      return nil
    }
  }
}
