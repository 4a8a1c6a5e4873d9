import Freshet

extension DatabaseManager {
  /// Writes a snapshot of the state and removes what nobody needs any more.
  ///
  /// Commits, reads and feeds go on meanwhile. The single answers when it is done, on a thread of
  /// the store. Changes are kept as `StoreOptions.retention` and leases say; a feed that is further
  /// behind fails with `compacted`. It fails with `locked` when another compaction is running, with
  /// `notWritable`, `diskFull`, `damaged`, `newerFormat`, `ioError`, `storeFailed` or `closed`; then
  /// the store is as it was, but for deleted items that were due to be erased. Disposing of it does not stop a compaction that has begun.
  ///
  /// - Parameter progress: Called on a thread of the store, now and then, with the items written so
  ///   far and in all.
  /// - Complexity: O(bytes of live and deleted items).
  public func compact(
    progress: @escaping @Sendable (_ done: Int64, _ total: Int64) -> Void = { _, _ in }
  ) -> Single<CompactionReport, StoreError> {
    maintain { journal throws(StoreError) in try journal.compact(progress: progress) }
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

  /// Reads the newest snapshot whole, from which the store is opened; what is wrong with it, or nil.
  ///
  /// Reads go round a damaged snapshot by themselves where an older state is kept, and then nothing
  /// is lost. The single fails with `ioError`, `closed`.
  ///
  /// - Complexity: O(bytes of the snapshot).
  public func checkSnapshot() -> Single<SnapshotProblem?, StoreError> {
    maintain { journal throws(StoreError) in try journal.problemOfNewestSnapshot() }
  }

  /// Looks whether HEAD, which says how far the journal is durable, checks; nil when it does.
  ///
  /// A process that only reads cannot mend it. Fails with `ioError`, `damaged`, `closed`.
  ///
  /// - Complexity: O(bytes of the journal after HEAD's other slot) when it does not, else O(1).
  public func checkHead() -> Single<HeadProblem?, StoreError> {
    maintain { journal throws(StoreError) in try journal.problemOfHead() }
  }

  /// Keeps the changes after a token for a follower that will come back, whatever the retention.
  ///
  /// Call it again to move on or to stay longer: the last call counts. A follower that does not come
  /// back keeps nothing after the time is over. The single answers with the lease, and fails with
  /// `compacted`, `diverged` or `differentStore` when the changes are not there any more, with
  /// `invalidID`, `locked`, `notWritable`, `diskFull`, `ioError`, `closed`.
  ///
  /// - Parameters:
  ///   - token: What the follower has seen.
  ///   - name: 1 to 64 letters, digits, `-` and `_`.
  ///   - duration: For how long, from now on.
  public func keepChanges(
    after token: Token, for name: String, during duration: Duration
  ) -> Single<FollowerLease, StoreError> {
    maintain { journal throws(StoreError) in
      let expires = journal.options.now().addingReportingOverflow(duration.microseconds)
      return try journal.hold(
        FollowerLease(
          name: name, token: token, expires: expires.overflow ? .max : expires.partialValue))
    }
  }

  /// Ends a follower's lease.
  ///
  /// The single answers false when there is none. It fails with `locked`, `notWritable`, `ioError`,
  /// `closed`.
  public func endLease(of name: String) -> Single<Bool, StoreError> {
    maintain { journal throws(StoreError) in try journal.endLease(name) }
  }

  /// Does work on a thread of the store, when the store is open.
  func maintain<Value: Sendable>(
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
