import Synchronization

/// Decides which old files go, and removes them.
///
/// What is kept always begins with a whole state: the first commit, or a snapshot with its journal.
/// So everything that can be followed can also be listed.
struct Retention {
  let journal: Journal
  let lock: WriteLock

  private var folder: StoreFolder { journal.folder }
  private var options: StoreOptions { journal.options }

  /// Removes what nobody needs, for a store that has had so many commits; returns the oldest
  /// revision that is kept.
  func apply(now commits: Int64) throws(StoreError) -> Int64 {
    let candidate = try soundBase(commits)
    let doomed = try lock.hold { () throws(StoreError) in try decide(commits, candidate) }
    remove(doomed.names)
    folder.forgetSegments(before: doomed.oldest + 1)
    return doomed.oldest
  }

  /// The snapshot that may become the base; nil when none may.
  ///
  /// What is before it goes for good, so it is read whole first: outside LOCK, as that takes its time.
  private func soundBase(_ commits: Int64) throws(StoreError) -> Int64? {
    let listing = try folder.listing()
    let present = listing.oldestBase ?? 0
    let leases = try FollowerLeases(folder: folder, now: options.now()).active()
    var unsound: Set<Int64> = []
    while true {
      let chosen = try choose(listing, present, commits, leases) { !unsound.contains($0) }
      if chosen == present { return nil }
      guard let problem = try journal.problem(ofSnapshot: chosen) else { return chosen }
      unsound.insert(chosen)
      journal.state.withLock {
        $0.snapshotProblem = SnapshotProblem(
          message: problem.messageWithoutAdvice, isDispensable: true)
      }
    }
  }

  private struct Doomed {
    var oldest: Int64
    /// Oldest first.
    var names: [String]
  }

  /// Chooses the base of what is kept, and takes their names from the bases before it.
  ///
  /// Under LOCK, so that a lease is either seen here or sees what is left. A base that has lost its
  /// name is none any more: from that moment on nobody begins with what is to be removed, and in
  /// which order the rest goes does not matter.
  private func decide(
    _ commits: Int64, _ candidate: Int64?
  ) throws(StoreError) -> Doomed {
    let listing = try folder.listing()
    let present = listing.oldestBase ?? 0
    let leases = try FollowerLeases(folder: folder, now: options.now()).active()
    let oldest = try choose(listing, present, commits, leases) { $0 == candidate }
    let kept = try steppingStones(listing, from: oldest)
    var bases = listing.snapshots.filter { !kept.contains($0) }
      .flatMap { [FileNames.snapshot($0), FileNames.snapshotIndex($0)] }
      .filter(listing.names.contains)
    let orphans = listing.names.filter { name in
      FileNames.snapshotIndexRevision(name).map { !listing.snapshots.contains($0) } ?? false
    }
    var segments = listing.segments.filter { $0 <= oldest }.map(FileNames.segment)
    if oldest > 0, segments.first == FileNames.segment(1) { bases.append(segments.removeFirst()) }
    guard !bases.isEmpty else { return Doomed(oldest: oldest, names: orphans + segments) }
    do throws(SystemError) {
      for name in bases {
        try folder.fileSystem.rename(
          folder.path(of: name), to: folder.path(of: name + FileNames.discarded))
      }
      try folder.fileSystem.synchronizeDirectory(folder.path)
    } catch {
      throw .system(error, doing: "remove old files of", path: folder.path)
    }
    return Doomed(
      oldest: oldest, names: bases.map { $0 + FileNames.discarded } + orphans + segments)
  }

  /// The newest snapshot that is old enough for what must be kept; the present base when none is.
  private func choose(
    _ listing: StoreFolder.Listing, _ present: Int64, _ commits: Int64, _ leases: [FollowerLease],
    _ mayBe: (Int64) -> Bool
  ) throws(StoreError) -> Int64 {
    let now = options.now()
    for revision in listing.snapshots.reversed() where revision > present && mayBe(revision) {
      guard listing.segments.contains(revision + 1),
        leases.allSatisfy({ $0.token.revision >= revision })
      else { continue }
      do throws(Snapshot.Fault) {
        let header = try Snapshot.frame(revision, in: folder).0
        if commits - header.commits >= Int64(options.retention.commits),
          now - header.time >= options.retention.age.microseconds
        {
          return revision
        }
      } catch {
        switch error {
        // Not whole: it proves nothing, and may be all that is left of somebody's data.
        case .absent, .invalid: continue
        case .failed(let error): throw error
        }
      }
    }
    return present
  }

  /// The snapshots that are kept: the base, the newest, and between them a few to become the base
  /// later, each an eighth of the retention after the one before.
  private func steppingStones(
    _ listing: StoreFolder.Listing, from oldest: Int64
  ) throws(StoreError) -> Set<Int64> {
    var kept: Set<Int64> = [oldest]
    if let newest = listing.snapshots.last { kept.insert(newest) }
    var last: SnapshotHeader?
    for revision in listing.snapshots where revision >= oldest {
      let header: SnapshotHeader
      do throws(Snapshot.Fault) {
        header = try Snapshot.frame(revision, in: folder).0
      } catch {
        // Not whole, and the journal does as well.
        if case .failed(let error) = error { throw error }
        continue
      }
      let isFar = last.map { last in
        (header.commits - last.commits) * 8 >= Int64(options.retention.commits)
          && (header.time - last.time) >= options.retention.age.microseconds / 8
      }
      guard isFar ?? true else { continue }
      kept.insert(revision)
      last = header
    }
    return kept
  }

  /// Gives the space back, outside all locks: freeing a large file takes long.
  ///
  /// Whoever has a file open reads on. What is not removed is removed by the next compaction.
  private func remove(_ names: [String]) {
    guard !names.isEmpty else { return }
    do throws(SystemError) {
      for name in names { try folder.fileSystem.remove(folder.path(of: name)) }
      try folder.fileSystem.synchronizeDirectory(folder.path)
    } catch {
      return
    }
  }
}

extension StoreFolder {
  /// The bytes of journal, snapshots and their indexes.
  func bytes() throws(StoreError) -> Int64 {
    var sum: Int64 = 0
    for name in try listing().names where FileNames.isData(name) {
      sum += try status(of: name)?.size ?? 0
    }
    return sum
  }
}
