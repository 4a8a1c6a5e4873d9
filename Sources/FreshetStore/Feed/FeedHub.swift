import Synchronization

/// Somebody who wants to know when the durable watermark moves.
protocol FeedListener: AnyObject, Sendable {
  /// There may be more to read. Must return quickly.
  func wake()
  /// Nothing will come any more.
  func close(_ error: StoreError?)
}

/// Where feeds are listed, to be woken.
protocol FeedHome: AnyObject, Sendable {
  func remove(_ listener: any FeedListener)
}

/// Knows how far feeds may read, and wakes them when that moves.
///
/// News comes from this process's committer and from one thread that watches HEAD for the commits
/// of other processes. Both only say "look again".
final class FeedHub: FeedHome {
  private struct State: Sendable {
    var limit: HeadRecord
    var listeners: [ObjectIdentifier: any FeedListener] = [:]
    var watch: (any Watch)?
    var lastSnapshotLook: ContinuousClock.Instant?
    var isClosed = false
    var closingError: StoreError?
  }

  private let state: Mutex<State>

  init(limit: HeadRecord) {
    state = Mutex(State(limit: limit))
  }

  /// The watermark: feeds read up to here, and with `durable` visibility it is what HEAD says (I2).
  var limit: HeadRecord { state.withLock { $0.limit } }

  func advance(to record: HeadRecord) {
    let listeners = state.withLock { state -> [any FeedListener] in
      guard record.isAhead(of: state.limit) else { return [] }
      state.limit = record
      return Array(state.listeners.values)
    }
    for listener in listeners { listener.wake() }
  }

  /// Adds a listener and starts to follow other processes; the watch is armed when this returns,
  /// so whoever reads afterwards misses nothing.
  func add(_ listener: any FeedListener, journal: Journal) throws(StoreError) {
    let (isClosed, error, isWatching) = state.withLock { state in
      if !state.isClosed { state.listeners[ObjectIdentifier(listener)] = listener }
      return (state.isClosed, state.closingError, state.watch != nil)
    }
    if isClosed { throw error ?? .closed(journal.path) }
    if !isWatching { try startFollowing(journal) }
    if let record = try journal.horizon() { advance(to: record) }
  }

  func remove(_ listener: any FeedListener) {
    // Held until after the lock: its release may run foreign code.
    let removed = state.withLock { $0.listeners.removeValue(forKey: ObjectIdentifier(listener)) }
    withExtendedLifetime(removed) {}
  }

  func close(_ error: StoreError?) {
    let listeners = state.withLock { state -> [any FeedListener] in
      state.isClosed = true
      state.closingError = error
      defer { state.listeners = [:] }
      return Array(state.listeners.values)
    }
    stopFollowing()
    for listener in listeners { listener.close(error) }
  }

  func stopFollowing() {
    let watch = state.withLock { $0.watch.take() }
    watch?.interrupt()
  }

  private func startFollowing(_ journal: Journal) throws(StoreError) {
    let watch: any Watch
    do throws(SystemError) {
      watch = try journal.folder.fileSystem.watch(
        directory: journal.path, file: journal.head.path,
        includesWrites: journal.options.visibility == .visible)
    } catch {
      throw .system(error, doing: "watch", path: journal.path)
    }
    let isFirst = state.withLock { state in
      guard state.watch == nil, !state.isClosed else { return false }
      state.watch = watch
      return true
    }
    guard isFirst else { return }
    let sweep = journal.options.sweepMilliseconds
    BackgroundThread.start(name: "freshet.follower") { [weak journal] in
      var isRunning = true
      while isRunning {
        do throws(SystemError) {
          try watch.wait(milliseconds: sweep)
        } catch {
          journal?.hub.close(.system(error, doing: "watch", path: "the store"))
          return
        }
        isRunning = journal?.look() ?? false
      }
    }
  }

  /// True once a second at most: for looking whether another process has compacted the store.
  fileprivate func isTimeForSnapshots() -> Bool {
    let now = ContinuousClock.now
    return state.withLock { state in
      if let last = state.lastSnapshotLook, now - last < .seconds(1) { return false }
      state.lastSnapshotLook = now
      return true
    }
  }

  fileprivate var isFollowing: Bool { state.withLock { $0.watch != nil } }
}

extension Journal {
  /// Reads HEAD and tells the feeds; false when there is nothing to follow any more.
  fileprivate func look() -> Bool {
    guard hub.isFollowing else { return false }
    do throws(StoreError) {
      if try folder.status(of: FileNames.head)?.identity != headIdentity() {
        throw StoreError(
          .ioError, "the store \(path) was removed or replaced while it was open", path: path)
      }
      if let record = try horizon() { hub.advance(to: record) }
      if hub.isTimeForSnapshots() { considerMaintenance(hasRolled: false, looksForSnapshot: true) }
      return true
    } catch {
      hub.close(error)
      return false
    }
  }

  private func headIdentity() throws(StoreError) -> FileIdentity {
    do throws(SystemError) {
      return try head.identity()
    } catch {
      throw .system(error, doing: "look at", path: head.path)
    }
  }
}
