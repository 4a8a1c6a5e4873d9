import Synchronization

/// What makes commits durable, and tells everybody how far they are.
extension Journal {
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

  func synchronize(_ segment: DataFile) throws(StoreError) {
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
  func publish(
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

  func poisonedError() -> StoreError {
    StoreError(
      .storeFailed,
      "a disk sync of \(path) has failed in some process, so its last commits may be "
        + "lost; open the store again once the disk is in order", path: path)
  }

  /// Refuses everything from now on.
  func fail(_ error: StoreError) -> StoreError {
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
