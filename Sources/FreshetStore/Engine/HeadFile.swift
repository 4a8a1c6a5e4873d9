import Synchronization

/// The HEAD file: the durable watermark that all processes share.
///
/// It only moves forward, except in recovery. Readers take no lock.
final class HeadFile: Sendable {
  let path: String
  private let file: any File
  private let fileSystem: any FileSystem
  private let timeout: Duration
  private let storeBits: UInt64
  /// True while somebody in this process changes HEAD: all share one open file, for which the file's
  /// lock does not count among them.
  private let isChanging = Atomic(false)

  init(
    path: String, file: any File, fileSystem: any FileSystem, timeout: Duration,
    storeBits: UInt64
  ) {
    self.path = path
    self.file = file
    self.fileSystem = fileSystem
    self.timeout = timeout
    self.storeBits = storeBits
  }

  /// The watermark; nil when no slot checks.
  func read() throws(StoreError) -> HeadRecord? {
    do throws(SystemError) {
      return try newest()
    } catch {
      throw .reading(path, at: 0, error)
    }
  }

  private func newest() throws(SystemError) -> HeadRecord? {
    try bytes { HeadRecord.newest(in: $0, storeBits: storeBits) }
  }

  private func bytes<R>(_ read: (UnsafeRawBufferPointer) -> R) throws(SystemError) -> R {
    let result = withUnsafeTemporaryAllocation(
      byteCount: HeadRecord.fileBytes, alignment: 8
    ) { buffer in
      Result { () throws(SystemError) in
        let count = try file.readFully(buffer, at: 0)
        return read(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      }
    }
    return try result.get()
  }

  /// The watermark, and the slot that does not check beside it.
  ///
  /// A slot that somebody writes at this moment is looked at again.
  func look() throws(StoreError) -> (newest: HeadRecord?, bad: HeadRecord.BadSlot?) {
    do throws(SystemError) {
      var found = try slots()
      if found.bad != nil { found = try slots() }
      return found
    } catch {
      throw .reading(path, at: 0, error)
    }
  }

  private func slots() throws(SystemError) -> (newest: HeadRecord?, bad: HeadRecord.BadSlot?) {
    try bytes {
      (
        HeadRecord.newest(in: $0, storeBits: storeBits),
        HeadRecord.badSlot(in: $0, storeBits: storeBits)
      )
    }
  }

  /// The slot that does not check, beside one that does.
  func badSlot() throws(StoreError) -> HeadRecord.BadSlot? {
    do throws(SystemError) {
      return try bytes { HeadRecord.badSlot(in: $0, storeBits: storeBits) }
    } catch {
      throw .reading(path, at: 0, error)
    }
  }

  func identity() throws(SystemError) -> FileIdentity { try file.status().identity }

  /// Moves the watermark to `mine` unless it is there already; returns what HEAD says now.
  ///
  /// A poisoned HEAD stays as it is.
  func publish(_ mine: HeadRecord) throws(StoreError) -> HeadRecord {
    try change { current in
      guard let current else { return mine }
      if current.isPoisoned || !mine.isAhead(of: current) { return nil }
      var next = mine
      if current.isRelaxed {
        next.isRelaxed = true
        next.boot = current.boot
      }
      return next
    }
  }

  /// Marks the store as one whose last bytes may be lost, for every process and for recovery.
  func poison() throws(StoreError) {
    _ = try change { current in
      guard var next = current, !next.isPoisoned else { return nil }
      next.isPoisoned = true
      return next
    }
  }

  func synchronize() throws(StoreError) {
    do throws(SystemError) {
      try file.synchronize()
    } catch {
      throw .system(error, doing: "sync", path: path)
    }
  }

  private func change(
    _ next: (HeadRecord?) -> HeadRecord?
  ) throws(StoreError) -> HeadRecord {
    try hold { () throws(SystemError) in
      let current = try newest()
      guard var record = next(current) else {
        return current ?? HeadRecord(segment: 1, revision: 0)
      }
      record.sequence = (current?.sequence ?? 0) + 1
      try write(record)
      return record
    }
  }

  /// Writes both slots, whatever they said, and makes them durable.
  ///
  /// For recovery, under LOCK. Nil when HEAD has been poisoned since recovery looked at it: what
  /// recovery believed then must be looked at again.
  func reset(_ record: HeadRecord, overPoison: Bool) throws(StoreError) -> HeadRecord? {
    try hold { () throws(SystemError) in
      var record = record
      if let current = try newest() {
        if current.isPoisoned && !overPoison { return nil }
        record.sequence = max(record.sequence, current.sequence)
      }
      for _ in HeadRecord.slotOffsets {
        record.sequence += 1
        try write(record)
      }
      try file.synchronize()
      return record
    }
  }

  /// Runs `work` while nobody else changes HEAD, in this process or another.
  ///
  /// For two small calls, but a process can be stopped between them: who waits for it waits no longer
  /// than the time-out (I12).
  private func hold<R>(
    _ work: () throws(SystemError) -> R
  ) throws(StoreError) -> R {
    guard PollingLock.wait(fileSystem, timeout, until: claim) else { throw lockedError() }
    defer { isChanging.store(false, ordering: .releasing) }
    let isMine: Bool
    do throws(SystemError) {
      isMine = try PollingLock.acquire(file, fileSystem, timeout)
    } catch {
      throw .system(error, doing: "update", path: path)
    }
    guard isMine else { throw lockedError() }
    defer { file.unlock() }
    do throws(SystemError) {
      return try work()
    } catch {
      throw .system(error, doing: "update", path: path)
    }
  }

  private func claim() -> Bool {
    isChanging.compareExchange(
      expected: false, desired: true, ordering: .acquiringAndReleasing
    ).exchanged
  }

  private func lockedError() -> StoreError {
    StoreError(
      .locked,
      "another process has held the lock of \(path) for \(timeout), which takes microseconds "
        + "unless it is stopped; let it go on, or end it", path: path)
  }

  private func write(_ record: HeadRecord) throws(SystemError) {
    let slot = HeadRecord.slotOffsets[Int(record.sequence & 1)]
    try file.writeFully(record.encoded(storeBits: storeBits), at: slot)
  }
}
