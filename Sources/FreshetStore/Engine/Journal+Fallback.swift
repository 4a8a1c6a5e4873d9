import Synchronization

/// A snapshot that turns out to be damaged costs nothing while an older state and the journal after
/// it are kept: the fold is the same (I7).
extension Journal {
  /// Reads; when it meets a snapshot that is damaged, goes back to an older state and reads again.
  @inline(__always)
  func fallingBack<R>(_ work: () throws(StoreError) -> R) throws(StoreError) -> R {
    var attempts = 0
    while true {
      do throws(StoreError) {
        return try work()
      } catch {
        attempts += 1
        guard attempts < 8, try leaveSnapshot(because: error) else { throw error }
      }
    }
  }

  /// True when the error tells of a snapshot that can be done without, and is done without now.
  func leaveSnapshot(because error: StoreError) throws(StoreError) -> Bool {
    guard error.code == .damaged, let revision = FileNames.snapshotRevision(atPath: error.path)
    else { return false }
    let (known, base) = state.withLock { ($0.distrusted, $0.log.index.base?.revision) }
    // Somebody else has found it, too, and the state no longer rests on it.
    if known.contains(revision) { return base != revision }
    let unfit = known.union([revision])
    guard try folder.listing().base(for: revision, without: unfit) != nil else { return false }
    if base == revision {
      do throws(StoreError) {
        try standOnOlderBase(than: revision, without: unfit)
      } catch {
        // The journal before it is damaged, too: then the snapshot with its hole is the best there is.
        if error.code == .damaged { return false }
        throw error
      }
    }
    state.withLock { state in
      state.distrusted.insert(revision)
      state.snapshotProblem = SnapshotProblem(
        message: error.messageWithoutAdvice, isDispensable: true)
    }
    // What the last page left may rest on it.
    keep(nil)
    return true
  }

  private func standOnOlderBase(
    than revision: Int64, without unfit: Set<Int64>
  ) throws(StoreError) {
    try stand(
      on: try base(for: revision - 1, without: unfit),
      while: { $0.log.index.base?.revision == revision })
  }

  /// The state of the newest base that is not after a revision, and not unfit.
  ///
  /// A compaction may take away a snapshot between the oldest base and the newest while this looks:
  /// the one before it does as well (I10).
  func base(
    for revision: Int64, without unfit: Set<Int64> = []
  ) throws(StoreError) -> LogState {
    var unfit = unfit
    var listing = try folder.listing()
    var problem: StoreError?
    while let base = listing.base(for: revision, without: unfit) {
      if base == 0 { return LogState() }
      do throws(Snapshot.Fault) {
        return LogState(base: try Snapshot.open(base, in: folder))
      } catch {
        unfit.insert(base)
        switch error {
        case .absent: listing = try folder.listing()
        case .invalid(let error): problem = problem ?? error
        case .failed(let error): throw error
        }
      }
    }
    throw problem ?? folder.compacted(after: revision, listing)
  }

  /// Reads a snapshot whole; what is wrong with it, or nil.
  func problem(ofSnapshot revision: Int64) throws(StoreError) -> StoreError? {
    do throws(Snapshot.Fault) {
      try Snapshot.open(revision, in: folder).checkItems()
      return nil
    } catch {
      switch error {
      case .absent: return nil
      case .invalid(let error): return error
      case .failed(let error): throw error
      }
    }
  }

  /// Reads the newest snapshot whole; what is wrong with it, or nil.
  func problemOfNewestSnapshot() throws(StoreError) -> SnapshotProblem? {
    let listing = try folder.listing()
    guard let newest = listing.snapshots.last, let error = try problem(ofSnapshot: newest) else {
      return nil
    }
    return SnapshotProblem(
      message: error.messageWithoutAdvice,
      isDispensable: listing.base(for: newest, without: [newest]) != nil)
  }

  /// A compaction has written this one anew.
  func trust(_ revision: Int64) {
    state.withLock { state in
      state.distrusted.remove(revision)
      state.snapshotProblem = nil
    }
  }
}

extension FileNames {
  /// The revision of the snapshot that a path leads to; nil for other paths.
  static func snapshotRevision(atPath path: String?) -> Int64? {
    path?.split(separator: "/").last.flatMap { snapshotRevision(String($0)) }
  }
}
