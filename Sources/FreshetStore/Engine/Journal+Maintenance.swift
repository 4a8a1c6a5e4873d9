import Synchronization

extension Journal {
  /// Runs long work beside commits and reads, one at a time, and calls back when `close` need not
  /// wait for it any more.
  func maintain<Value: Sendable>(
    _ work: @escaping @Sendable (Journal) throws(StoreError) -> Value,
    _ answer: @escaping @Sendable (Result<Value, StoreError>) -> Void
  ) {
    maintenanceWorker.run { [self] in
      maintenance.enter()
      let result = Result { () throws(StoreError) in
        try checkOpen()
        return try work(self)
      }
      maintenance.leave()
      answer(result)
    }
  }

  func compact(
    progress: (_ done: Int64, _ total: Int64) -> Void = { _, _ in }
  ) throws(StoreError) -> CompactionReport {
    let report = try fallingBack { () throws(StoreError) in
      try Compaction(self).run(progress: progress)
    }
    state.withLock { $0.compactionProblem = nil }
    return report
  }

  // MARK: By itself

  /// Looks whether something is to be done in the background; cheap, and called after commits.
  func considerMaintenance(hasRolled: Bool, looksForSnapshot: Bool = false) {
    guard hasRolled || looksForSnapshot || wantsCompaction else { return }
    let mustSchedule = state.withLock { state in
      defer { state.isMaintenanceScheduled = true }
      return !state.isMaintenanceScheduled && !state.isClosed
    }
    guard mustSchedule else { return }
    maintenanceWorker.run { [weak self] in
      guard let self else { return }
      maintenance.enter()
      defer { maintenance.leave() }
      state.withLock { $0.isMaintenanceScheduled = false }
      maintainItself(prunes: hasRolled && isAutomatic)
    }
  }

  private var isAutomatic: Bool { options.compactsAutomatically && lock != nil }

  /// True when most of the store is dead, or most of it is journal that an opening must read.
  ///
  /// Each copy of the live items is paid for by as many bytes of journal since the last one, so
  /// that all copies together write no more than twice what the commits have written.
  private var wantsCompaction: Bool {
    guard isAutomatic else { return false }
    return state.withLock { state in
      let (dead, tail) = (state.log.deadBytes, state.log.tailBytes)
      guard tail >= state.nextCompaction else { return false }
      let base = state.log.index.base?.footer.offset ?? 0
      return dead > state.log.index.keptBytes && dead > options.compactionBytes
        || tail > base && tail > options.compactionBytes
    }
  }

  private func maintainItself(prunes: Bool) {
    do throws(StoreError) {
      try checkOpen()
      try adoptNewest()
      if wantsCompaction {
        _ = try compact()
      } else if prunes, try !folder.listing().snapshots.isEmpty {
        try Compaction(self).prune()
      }
    } catch {
      noteProblem(error)
    }
  }

  /// Another process may be at it; anything else is told by the statistics.
  ///
  /// It is tried again when the journal has grown by as much as makes it worth while.
  private func noteProblem(_ error: StoreError) {
    guard error.code != .closed else { return }
    state.withLock { state in
      let isElsewhere = error.code == .locked
      if !isElsewhere { state.compactionProblem = error.description }
      state.nextCompaction =
        state.log.tailBytes + (isElsewhere ? options.compactionBytes / 8 : options.compactionBytes)
    }
  }

  // MARK: At the end

  /// True when a writer that ends leaves a journal that is long beside the newest snapshot.
  ///
  /// Who has only read, or written little, leaves it to others.
  func owesSnapshot(_ state: State) -> Bool {
    guard isAutomatic, state.failure == nil else { return false }
    let least = options.compactionBytes / 4
    let base = state.log.index.base?.footer.offset ?? 0
    return state.appended >= least && state.log.tailBytes >= max(least, base / 4)
  }

  /// Makes the snapshot that spares the next opening most of the journal, unless another process
  /// is at it.
  ///
  /// Without it the next opening takes longer, and nothing is lost.
  func compactAtEnd() {
    guard state.withLock({ owesSnapshot($0) }) else { return }
    do throws(StoreError) {
      try adoptNewest()
      if state.withLock({ owesSnapshot($0) }) { _ = try compact() }
    } catch {
      noteProblem(error)
    }
  }

  // MARK: Standing on the newest snapshot

  /// Goes over to the newest snapshot, when another process has made one: old files are let go of.
  func adoptNewest() throws(StoreError) {
    let distrusted = state.withLock { $0.distrusted }
    guard let newest = try folder.listing().snapshots.last(where: { !distrusted.contains($0) }),
      state.withLock({ ($0.log.index.base?.revision ?? 0) < newest })
    else { return }
    do throws(Snapshot.Fault) {
      try adopt(try Snapshot.open(newest, in: folder))
    } catch {
      switch error {
      // It is not needed: the present state is as good.
      case .absent, .invalid: return
      case .failed(let error): throw error
      }
    }
  }

  /// Puts a snapshot under the state.
  ///
  /// The same items, found through its index and the journal after it (I7). What lists and feeds hold of the old files stays readable.
  func adopt(_ snapshot: Snapshot?) throws(Snapshot.Fault) {
    guard let snapshot else { return }
    do throws(StoreError) {
      try stand(
        on: LogState(base: snapshot),
        while: { ($0.log.index.base?.revision ?? 0) < snapshot.revision },
        then: { state in
          state.appended = min(state.appended, state.log.tailBytes)
          state.nextCompaction = 0
        })
    } catch {
      throw .failed(error)
    }
    folder.forgetSegments(before: snapshot.revision + 1)
    keep(nil)
  }

  /// Brings another fold of the journal to where the state is, and puts it in the state's place.
  ///
  /// - Parameters:
  ///   - fold: A base with nothing of the journal after it.
  ///   - isWanted: Asked under the lock, each time before the fold is compared; false ends it with
  ///     nothing done.
  ///   - finish: Called under the lock when the fold is in its place.
  func stand(
    on fold: LogState, while isWanted: (State) -> Bool,
    then finish: (inout State) -> Void = { _ in }
  ) throws(StoreError) {
    var log = fold
    var cursor = LogCursor(folder: folder, after: log, wantsContents: false)
    while true {
      // The old state is released outside the lock.
      let (limit, old) = state.withLock { state -> (HeadRecord?, LogState?) in
        guard isWanted(state) else { return (nil, nil) }
        if state.log.revision > log.revision {
          return (state.log.watermark, nil)
        }
        let old = state.log
        state.log = log
        finish(&state)
        return (nil, old)
      }
      guard let limit else { return withExtendedLifetime(old) {} }
      while try cursor.next(upTo: limit) { try log.apply(cursor.commit) }
    }
  }

  // MARK: Figures

  func statistics() throws(StoreError) -> StoreStatistics {
    try refresh()
    let (log, problem, damage) = state.withLock {
      ($0.log, $0.compactionProblem, $0.snapshotProblem)
    }
    let listing = try folder.listing()
    let base = listing.oldestBase ?? 0
    var statistics = StoreStatistics(
      token: token(epoch: log.epoch, revision: log.revision),
      oldest: token(epoch: epoch(at: base), revision: base), created: description.created,
      liveCount: log.index.liveCount, deletedCount: log.index.deletedCount(),
      segmentCount: listing.segments.count, segmentBytes: 0,
      snapshotRevision: listing.snapshots.last, snapshotBytes: 0, tailBytes: log.tailBytes,
      deadBytes: log.deadBytes, skippedRecords: log.unknownLines,
      followers: try FollowerLeases(folder: folder, now: options.now()).active(),
      compactionProblem: problem, snapshotProblem: damage)
    for name in listing.names where FileNames.isData(name) {
      let size = try folder.status(of: name)?.size ?? 0
      if FileNames.firstRevision(name) != nil {
        statistics.segmentBytes += size
      } else {
        statistics.snapshotBytes += size
      }
    }
    return statistics
  }

  // MARK: Leases

  /// Keeps the changes after a token until a time.
  func hold(_ lease: FollowerLease) throws(StoreError) -> FollowerLease {
    guard FollowerLeases.isName(lease.name) else {
      throw StoreError(
        .invalidID,
        "a follower's name has 1 to 64 letters, digits, - and _; this one is “\(lease.name)”")
    }
    let compaction = try Compaction(self)
    try refresh()
    return try compaction.lock.hold { () throws(StoreError) in
      try check(lease.token)
      try FollowerLeases(folder: folder, now: options.now()).write(lease)
      return lease
    }
  }

  func endLease(_ name: String) throws(StoreError) -> Bool {
    guard FollowerLeases.isName(name) else { return false }
    let compaction = try Compaction(self)
    return try compaction.lock.hold { () throws(StoreError) in
      try FollowerLeases(folder: folder, now: options.now()).remove(name)
    }
  }
}
