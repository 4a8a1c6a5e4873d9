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
}
