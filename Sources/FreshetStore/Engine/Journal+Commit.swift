import Synchronization

extension Journal {
  /// Puts a request in line.
  ///
  /// Whoever finds no committer becomes it, for one round: a lone caller pays for no change of
  /// thread. The worker takes over when others have lined up meanwhile, or when LOCK is taken, so
  /// that a caller waits for nobody else. A round takes all that wait: one append, one sync.
  func enqueue(_ request: CommitRequest) {
    if state.withLock({ $0.isClosed }) { return request.resolve(.failure(.closed(path))) }
    let (mustStart, isAlone) = queue.withLock { queue in
      queue.waiting.append(request)
      if queue.committer != nil { return (false, false) }
      queue.committer = Platform.threadID
      queue.idle.enter()
      return (true, queue.crowd == 0)
    }
    guard mustStart else { return }
    // With several callers about, the worker makes larger rounds than they would.
    if !isAlone || !commitHere() { worker.run { self.drainQueue() } }
  }

  /// One round on this thread; false when it cannot be done without waiting for LOCK.
  private func commitHere() -> Bool {
    guard let lock, let holding = lock.acquireIfFree() else { return false }
    guard let group = nextGroup() else {
      lock.release()
      return true
    }
    commit(group, holding)
    let hasMore = queue.withLock { queue in
      if !queue.waiting.isEmpty { return true }
      queue.stop()
      return false
    }
    if hasMore { worker.run { self.drainQueue() } }
    return true
  }

  private func drainQueue() {
    queue.withLock { $0.committer = Platform.threadID }
    while let group = nextGroup() { commit(group, nil) }
  }

  /// As many requests as fit into one append.
  private func nextGroup() -> [CommitRequest]? {
    queue.withLock { queue in
      if queue.waiting.isEmpty {
        queue.stop()
        return nil
      }
      if queue.waiting.count == 1 {
        queue.crowd = max(0, queue.crowd - 1)
        defer { queue.waiting.removeAll(keepingCapacity: true) }
        return queue.waiting
      }
      var count = 0
      var bytes = 0
      while count < queue.waiting.count, count == 0 || bytes < Limits.batchBytes / 4 {
        bytes += queue.waiting[count].bytes
        count += 1
      }
      queue.crowd = count > 1 ? 16 : max(0, queue.crowd - 1)
      defer { queue.waiting.removeFirst(count) }
      return Array(queue.waiting[..<count])
    }
  }

  /// Commits a group; `holding` when LOCK is held already.
  private func commit(_ group: [CommitRequest], _ holding: WriteLock.Holding?) {
    let requests = group.allSatisfy { $0.isWanted } ? group : group.filter { $0.isWanted }
    if requests.isEmpty {
      if holding != nil { lock?.release() }
      return
    }
    let results: [Result<CommitReceipt, StoreError>]
    do throws(StoreError) {
      results = try append(requests, holding)
    } catch {
      results = requests.map { _ in .failure(error) }
    }
    for (request, result) in zip(requests, results) {
      request.resolve(again(request, result))
    }
  }

  /// The same request once more, when it failed for a snapshot that can be done without.
  private func again(
    _ request: CommitRequest, _ result: Result<CommitReceipt, StoreError>
  ) -> Result<CommitReceipt, StoreError> {
    guard case .failure(let error) = result, error.code == .damaged else { return result }
    do throws(StoreError) {
      guard try leaveSnapshot(because: error) else { return result }
      return try append([request], nil)[0]
    } catch {
      return .failure(error)
    }
  }

  private func append(
    _ requests: [CommitRequest], _ held: WriteLock.Holding?
  ) throws(StoreError) -> [Result<CommitReceipt, StoreError>] {
    guard let lock else {
      throw StoreError(.notWritable, "the store \(path) was opened read-only", path: path)
    }
    var holding = held
    if holding == nil {
      // Takes in what there is before the lock, to hold it for a shorter time.
      try refresh()
      holding = try lock.acquire()
    }
    let (failure, mustLook) = state.withLock { state in
      defer { state.mustLook = true }
      return (state.failure, state.mustLook)
    }
    if let failure {
      lock.release()
      throw failure
    }
    let isAlone = holding == .again && !mustLook
    var planned: [Result<(revision: Int64?, outcomes: [Outcome]), StoreError>] = []
    var plan: CommitPlan
    let epoch: Int64
    var appended = 0
    do throws(StoreError) {
      var watermark: HeadRecord
      (plan, watermark) = try catchUp(isAlone: isAlone)
      if plan.end.offset >= options.segmentBytes {
        watermark = try roll(&plan)
      } else if watermark.segment < plan.end.segment {
        // Whoever made this segment may not have come to make its name durable.
        try synchronizeNames()
      }
      let start = plan.end
      let durable = watermark.segment == start.segment ? watermark.offset : 0
      let time = options.now()
      for request in requests {
        planned.append(
          Result { () throws(StoreError) in
            try plan.add(request.operations, durableBefore: durable, time: time)
          })
      }
      epoch = plan.epoch
      if !plan.writer.bytes.isEmpty {
        appended = plan.writer.bytes.count
        try write(plan.writer.bytes, at: start)
        keepBuffer(plan.takeBytes())
      }
    } catch {
      lock.release()
      throw error
    }
    lock.release()
    try settle(plan, appended: appended)
    return planned.map { result in
      result.map { planned in
        CommitReceipt(
          token: planned.revision.map { token(epoch: epoch, revision: $0) },
          outcomes: planned.outcomes)
      }
    }
  }

  /// Begins a plan after the journal's last whole commit, whoever wrote it.
  ///
  /// Under LOCK.
  func catchUp(isAlone: Bool = false) throws(StoreError) -> (CommitPlan, HeadRecord) {
    if isAlone {
      // HEAD is read again when this commit moves it; until then what it said last is a lower bound.
      let known = state.withLock { $0.head }
      if let plan = try planAfterTail(isAlone: true) { return (plan, known) }
    }
    for _ in 0..<2 {
      if let watermark = try head.read() {
        if watermark.isPoisoned { throw fail(poisonedError()) }
        if let plan = try planOrAdopt() { return (plan, watermark) }
      }
      // A writer died in the middle of an append, or HEAD is gone: recover, as an opener would.
      let recovery = Recovery(folder: folder, head: head, options: options)
      let result = try recovery.run(from: nil)
      state.withLock { state in
        state.log = result.state
        state.head = result.head
      }
      hub.advance(to: result.head)
    }
    throw fail(
      StoreError(.storeFailed, "the journal of \(path) changed while it was recovered", path: path))
  }

  /// The same as `planAfterTail`, where others may have compacted away the segment that this
  /// journal was in.
  private func planOrAdopt() throws(StoreError) -> CommitPlan? {
    do throws(StoreError) {
      return try planAfterTail(isAlone: false)
    } catch {
      let revision = state.withLock { $0.log.revision }
      guard error.code == .damaged, let newest = try folder.listing().snapshots.last,
        newest >= revision
      else { throw error }
      try adoptNewest()
      return try planAfterTail(isAlone: false)
    }
  }

  private func keepBuffer(_ bytes: consuming [UInt8]) {
    guard bytes.capacity <= Limits.batchBytes / 4 else { return }
    bytes.removeAll(keepingCapacity: true)
    let kept = bytes
    spare.withLock { $0 = kept }
  }

  /// Nil when the tail is not whole.
  private func planAfterTail(isAlone: Bool) throws(StoreError) -> CommitPlan? {
    let log = state.withLock { state in
      (
        state.log.end, state.log.revision, state.log.epoch, state.log.index.liveCount,
        state.log.tail
      )
    }
    let buffer = spare.withLock { spare in
      defer { spare = [] }
      return spare
    }
    var plan = CommitPlan(
      folder: folder, end: log.0, revision: log.1, epoch: log.2, liveCount: log.3,
      writer: LineWriter(bytes: buffer)
    ) { [self] hash in
      state.withLock { state in
        state.log.index.candidates(hash).all.map {
          ($0.entry, state.log.index.location(of: $0.entry))
        }
      }
    }
    // Nobody has appended since, or begun the next segment.
    var source = try file(log.4, at: plan.end)
    if isAlone, try folder.checkedSize(of: source) == plan.end.offset { return plan }
    while true {
      let size = try source.size
      if size < plan.end.offset { return nil }
      if size > plan.end.offset {
        var reader = CommitReader(
          source, from: plan.end, limit: size, revision: plan.revision, epoch: plan.epoch,
          hash: folder.hash, wantsContents: true, isDurable: false)
        reading: while true {
          switch try reader.next() {
          case .commit: plan.absorb(reader.commit, contents: reader.contents)
          case .end: break reading
          case .bad: return nil
          }
        }
      }
      // Another process may have rolled; appending to the old segment would be lost.
      guard plan.end.segment <= plan.revision, try folder.hasSegment(plan.revision + 1) else {
        _ = try folder.checkedSize(of: source)
        return plan
      }
      plan.continueInNextSegment()
      source = try folder.segment(plan.end.segment)
    }
  }

  /// The segment of a place: the one at hand, also when it has lost its name.
  private func file(_ tail: DataFile?, at place: Place) throws(StoreError) -> DataFile {
    if let tail { return tail }
    return try folder.segment(place.segment)
  }

  /// Begins the next segment.
  ///
  /// The old one is durable before the new one has a name, so that a successor proves its
  /// predecessor.
  func roll(_ plan: inout CommitPlan) throws(StoreError) -> HeadRecord {
    try synchronize(try folder.segment(plan.end.segment))
    let next = plan.revision + 1
    // Whoever takes LOCK next must look for it, also when nothing is written into it now.
    state.withLock { $0.mustLook = true }
    do throws(SystemError) {
      try folder.makeSegment(next)
    } catch {
      throw .system(error, doing: "make", path: folder.path(ofSegment: next))
    }
    plan.continueInNextSegment()
    return try publish(plan.end, revision: plan.revision, epoch: plan.epoch)
  }

  func synchronizeNames() throws(StoreError) {
    do throws(SystemError) {
      try folder.fileSystem.synchronizeDirectory(path)
    } catch {
      throw .system(error, doing: "sync", path: path)
    }
  }

  func write(_ bytes: [UInt8], at place: Place) throws(StoreError) {
    let file = try folder.segment(place.segment).file
    do throws(SystemError) {
      try file.writeFully(bytes, at: place.offset)
    } catch {
      let path = folder.path(ofSegment: place.segment)
      // Nobody was told anything: take back what was written, so that nothing is fused to it (I8).
      do throws(SystemError) {
        try file.truncate(to: place.offset)
        try file.synchronizeData()
      } catch let second {
        let message =
          "a write to \(path) failed (\(error)) and could not be taken back "
          + "(\(second)); open the store again once the disk is in order"
        _ = fail(StoreError(.storeFailed, message, path: path, cause: error))
        // Of several commits in one append the first may be there as a whole.
        throw StoreError(.durabilityUnknown, message, path: path, cause: error)
      }
      throw .system(error, doing: "write", path: path)
    }
  }

  /// Makes the plan's bytes durable as the options say, then adds its commits to the state: only
  /// then is anybody answered (I1).
  ///
  /// - Parameter appended: So many of the bytes are this journal's own.
  func settle(_ plan: CommitPlan, appended: Int = 0) throws(StoreError) {
    var watermark: HeadRecord?
    switch options.durability {
    case .everyCommit:
      // Also when nothing was written: an answer may rest on another process's unsynced commit.
      let isDurable = state.withLock { $0.head.revision >= plan.revision }
      if !isDurable {
        try synchronize(try folder.segment(plan.end.segment))
        watermark = try publish(plan.end, revision: plan.revision, epoch: plan.epoch)
      }
    case .interval(let delay):
      scheduleSync(after: delay)
      if options.visibility == .visible { watermark = plan.watermark }
    case .never:
      // Nothing will ever be proven durable; this process's own feeds follow what is visible.
      watermark = plan.watermark
    }
    let result = state.withLock { state in
      Result { () throws(StoreError) in
        for commit in plan.commits { try state.log.apply(commit) }
        state.appended += Int64(appended)
        // A segment that was begun and not written to is not known to the state.
        state.mustLook = state.log.end != plan.end
      }
    }
    do throws(StoreError) { try result.get() } catch { throw fail(error) }
    if let watermark { hub.advance(to: watermark) }
    considerMaintenance(hasRolled: plan.hasEnteredSegment)
  }

  private func synchronize(_ segment: DataFile) throws(StoreError) {
    do throws(SystemError) {
      try segment.file.synchronizeData()
    } catch {
      // The kernel may have dropped the bytes and call them clean: no second sync can be believed.
      // Every process must know, and only recovery may go on.
      let path = segment.path
      var message =
        "the disk did not confirm a write to \(path) (\(error)): the last commits may or may not "
        + "survive; open the store again once the disk is in order"
      do throws(StoreError) { try head.poison() } catch let second {
        message += "; other processes could not be told (\(second.message))"
      }
      _ = fail(StoreError(.storeFailed, message, path: path, cause: error))
      throw StoreError(.durabilityUnknown, message, path: path, cause: error)
    }
  }

  /// Moves the watermark in HEAD forward.
  private func publish(
    _ end: Place, revision: Int64, epoch: Int64
  ) throws(StoreError) -> HeadRecord {
    let mine = HeadRecord(
      epoch: epoch, segment: end.segment, offset: end.offset, revision: revision,
      isRelaxed: options.durability != .everyCommit, boot: options.boot())
    let record: HeadRecord
    do throws(StoreError) {
      record = try head.publish(mine)
    } catch {
      // A stopped process keeps HEAD only while it is stopped: the next commit tells of this one.
      if error.code != .locked { _ = fail(error) }
      throw StoreError(
        .durabilityUnknown,
        "the commit is on disk, but HEAD could not be updated: "
          + "\(error.message)", path: head.path, cause: error)
    }
    if record.isPoisoned {
      let error = fail(poisonedError())
      throw StoreError(.durabilityUnknown, error.message, path: head.path, cause: error)
    }
    state.withLock { state in
      if record.isAhead(of: state.head) { state.head = record }
    }
    return record
  }

  private func poisonedError() -> StoreError {
    StoreError(
      .storeFailed,
      "a disk sync of \(path) has failed in some process, so its last commits may be "
        + "lost; open the store again once the disk is in order", path: path)
  }

  /// Refuses everything from now on.
  private func fail(_ error: StoreError) -> StoreError {
    state.withLock { state in
      if state.failure == nil { state.failure = error }
    }
    return error
  }

  // MARK: Relaxed durability

  private func scheduleSync(after delay: Duration) {
    let mustSchedule = state.withLock { state in
      defer { state.isSyncScheduled = true }
      return !state.isSyncScheduled
    }
    if mustSchedule { worker.run(after: delay) { [weak self] in self?.synchronizeLater() } }
  }

  /// Makes durable what was acknowledged before, and tells followers.
  func synchronizeLater() {
    let (end, revision, epoch, tail) = state.withLock { state in
      state.isSyncScheduled = false
      return (state.log.end, state.log.revision, state.log.epoch, state.log.tail)
    }
    guard state.withLock({ $0.head.revision < revision && $0.failure == nil }) else { return }
    do throws(StoreError) {
      try synchronize(try file(tail, at: end))
      hub.advance(to: try publish(end, revision: revision, epoch: epoch))
    } catch {
      // `synchronize` and `publish` have recorded it: the next commit reports it.
      return
    }
  }
}
